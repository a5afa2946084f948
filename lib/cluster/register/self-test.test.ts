import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { refusedBefore, testOnce } from "./self-test.ts";

describe("testOnce()", () => {
  let stop = () => {};
  afterEach(() => stop());

  /** A webhook that adds nothing, and the problem that is found with it; `denial` is its answer to a pod that names a template. */
  async function problemWith(denial: object) {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => {
        const review = JSON.parse(Buffer.concat(chunks).toString());
        const { uid, object } = review.request;
        const answer = object.metadata.annotations === undefined ? { allowed: true } : denial;
        response.end(JSON.stringify({ ...review, response: { uid, ...answer } }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    stop = () => void server.close();
    const { port } = server.address() as AddressInfo;
    return (await testOnce(`http://127.0.0.1:${port}/t/token/inject`, { timeoutSeconds: 5 })).problem;
  }

  it("takes an answer without a patch where a template that no tree has is denied by name", async () => {
    expect(await problemWith({ allowed: false, status: { message: 'no template "outrigger-probe"' } })).toBeUndefined();
  });

  it.each([
    ["is allowed", { allowed: true }],
    ["is denied for another reason", { allowed: false, status: { message: "nobody may" } }],
  ])("is not content with an answer without a patch where such a template %s", async (_what, denial) => {
    expect(await problemWith(denial)).toContain("it does not inject a pod that asks for a sidecar");
  });
});

describe("refusedBefore()", () => {
  it("names the resource policy, and in China the ICP recordal", () => {
    const china = refusedBefore("https://a1b2.execute-api.cn-north-1.amazonaws.com.cn/t/x/inject");
    expect(china).toContain("see its resource policy, and whether the account has an ICP recordal (docs/endpoint.md)");
    const elsewhere = refusedBefore("https://a1b2.execute-api.eu-west-1.amazonaws.com/t/x/inject");
    expect(elsewhere).toContain("see its resource policy (docs/endpoint.md)");
  });
});
