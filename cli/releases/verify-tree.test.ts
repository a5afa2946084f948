import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { closing, listening } from "../../test/support/loopback.ts";
import { openDeployment } from "../connect/deployment.ts";
import { ecrEndpoint, verifyTree } from "./verify-tree.ts";

const DIGEST = `sha256:${"cd".repeat(32)}`;

describe("verifyTree()", () => {
  const aws = fakeAws();
  const cli = fakeCli(aws.connect, SHIPPED);
  /** A registry that has the image `there/proxyv2`, and no other. */
  const registry = createServer(({ url = "" }, response) => {
    const isThere = url.startsWith("/v2/there/proxyv2/");
    response.writeHead(isThere ? 200 : 404, isThere ? { "docker-content-digest": DIGEST } : {}).end();
  });
  let host = "";
  beforeAll(async () => {
    host = `127.0.0.1:${await listening(registry)}`;
  });
  afterAll(async () => {
    cli.remove(".");
    await closing(registry);
  });

  async function verify(hub: string, options: Parameters<typeof verifyTree>[2] = {}) {
    const io = fakeIo({ cwd: cli.cwd, templates: join(cli.cwd, "shipped"), connect: aws.connect });
    const tree = { "values/10-mine": `global: {hub: "${hub}"}\n` };
    const found = await verifyTree(tree, await openDeployment({ deployment: "dev" }, io), options, io).catch(
      ({ code, message }) => ({ code, message }),
    );
    return { found, err: io.err() };
  }

  it("says which images are there, by their digests", async () => {
    const image = `${host}/there/proxyv2@${DIGEST}`;
    expect(await verify(`${host}/there`)).toEqual({ found: image, err: `Verified: ${image}\n` });
  });

  it("refuses what does not exist, and how to go on", async () => {
    const { found, err } = await verify(`${host}/missing`);
    expect(found).toEqual({
      code: "findings",
      message: expect.stringMatching(
        /^Cannot publish what does not exist: .*missing\/proxyv2.*; fix the name, or publish without --verify$/,
      ),
    });
    expect(err).toBe("");
  });

  it("warns of what cannot be looked up, and does not keep it back", async () => {
    const { found, err } = await verify("127.0.0.1:1/there");
    expect(found).toBe("");
    expect(err).toMatch(/^Warning: not verified: .*127\.0\.0\.1:1.*\n$/);
  });

  it("asks the cluster of a context that is named", async () => {
    const { found } = await verify(`${host}/there`, { kubeconfig: "none", context: "prod" });
    expect(found).toMatchObject({ message: expect.stringContaining("none") });
  });
});

it("ecrEndpoint() is the one that the environment names for ECR, then for all services", () => {
  const own = { AWS_ENDPOINT_URL_ECR: "http://ecr.test", AWS_ENDPOINT_URL: "http://aws.test" };
  expect(ecrEndpoint(own)).toBe("http://ecr.test");
  expect(ecrEndpoint({ ...own, AWS_ENDPOINT_URL_ECR: "" })).toBe("http://aws.test");
  expect([ecrEndpoint({}), ecrEndpoint({ AWS_ENDPOINT_URL: "" })]).toEqual([undefined, undefined]);
});
