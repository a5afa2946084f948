// `outrigger publish --verify` against a registry and an API server on loopback.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toStored } from "@outrigger/injector";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { startFakeApiServer } from "../../test/eks/fake-api-server.ts";
import { labCertificate } from "../../test/eks/lab-certificate.ts";

/** The template as it is stored. */
const SIDECAR = toStored(SHIPPED["templates/sidecar"] as string, "templates/sidecar");
const DIGEST = `sha256:${"cd".repeat(32)}`;

/** A public registry, which has one image. */
async function startRegistry() {
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    const isThere = url === "/v2/istio/proxyv2/manifests/latest";
    response.writeHead(isThere ? 200 : 404, isThere ? { "docker-content-digest": DIGEST } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  return { host, asked, close };
}

describe("outrigger publish --verify", () => {
  let registry: Awaited<ReturnType<typeof startRegistry>>;
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(async () => {
    registry = await startRegistry();
    aws = fakeAws();
    cli = fakeCli(aws.connect, SHIPPED);
    await aws.edit("values/10-mine", `global:\n  hub: ${registry.host}/istio\n`);
  });
  afterEach(() => registry.close());

  it("publishes what is there, and keeps the digest in the history", async () => {
    const { code, err } = await cli.run("publish --verify -m", "our registry");
    expect({ code, err }).toEqual({ code: 0, err: `Verified: ${registry.host}/istio/proxyv2@${DIGEST}\n` });
    const { history } = await cli.json("channel stable");
    expect(history[0].why).toBe(`our registry; ${registry.host}/istio/proxyv2@${DIGEST}`);
  });

  it("refuses a misspelt registry with the line that has it, also of a directory, and writes nothing", async () => {
    const typo = `global:\n  hub: ${registry.host}/istoi\n`;
    await aws.edit("values/10-mine", typo);
    const why = `${registry.host}/istoi/proxyv2 (values/10-mine:2): ${registry.host} has no istoi/proxyv2 with latest`;
    const message = `Cannot publish what does not exist: ${why}; fix the name, or publish without --verify\n`;
    expect(await cli.run("publish --verify")).toEqual({ code: 1, out: "", err: message });
    await aws.remove("values/10-mine");
    cli.write("mine/values/10-mine.yaml", typo);
    expect(await cli.run("publish --dir mine --verify")).toMatchObject({
      code: 1,
      err: expect.stringContaining(message),
    });
    expect(aws.stored("values/10-mine")).toBeUndefined();
    expect(aws.asked).toEqual([]);
  });

  it("asks no registry without it, and warns where one cannot be asked", async () => {
    await registry.close();
    expect(await cli.run("publish --verify")).toMatchObject({
      code: 0,
      err: expect.stringContaining("Warning: not verified: "),
    });
    expect((await cli.run("lint source")).code).toBe(0);
    expect(registry.asked).toEqual([]);
  });

  it("looks up istiod's address among the services of the cluster", async () => {
    const certificate = await labCertificate();
    const api = await startFakeApiServer(certificate);
    try {
      const cluster = { server: api.url, "certificate-authority-data": btoa(certificate.cert) };
      const user = { name: "u", user: { token: "static" } };
      const contexts = [{ name: "eks", context: { cluster: "c", user: "u" } }];
      cli.write("kubeconfig", JSON.stringify({ contexts, clusters: [{ name: "c", cluster }], users: [user] }));
      api.put("/api/v1/namespaces/istio-system/services/istiod", {
        kind: "Service",
        metadata: { name: "istiod", namespace: "istio-system" },
        spec: { ports: [{ port: 15012 }] },
      });
      await aws.edit(
        "templates/sidecar",
        `${SIDECAR}    env:\n    - name: PROXY_CONFIG\n      value: '{"discoveryAddress":"istoid.istio-system.svc:15012"}'\n`,
      );
      const line = "publish --verify --kubeconfig kubeconfig --context eks";
      const { code, err } = await cli.run(line);
      expect(code).toBe(1);
      expect(err).toContain(
        "istoid.istio-system.svc:15012 (templates/sidecar:7): there is no service istio-system/istoid",
      );
      await aws.edit("templates/sidecar", SIDECAR);
      expect((await cli.run(line)).code).toBe(0);
    } finally {
      await api.close();
    }
  });
});
