import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { refusedBefore, testOnce } from "./self-test.ts";

describe("testOnce()", () => {
  /** What a self-test says of a webhook with these answers: to a pod that names no template, and to one that names some. */
  async function tested(plain: object, named: object) {
    const server = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk) => (text += chunk));
      request.on("end", () => {
        const { uid, object } = JSON.parse(text).request;
        const answer = object.metadata.annotations === undefined ? plain : named;
        response.end(JSON.stringify({ kind: "AdmissionReview", response: { uid, ...answer } }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const result = await testOnce(`http://127.0.0.1:${port}/t/x/inject`, { timeoutSeconds: 10 });
    await new Promise((resolve) => server.close(resolve));
    return result;
  }
  const denied = { allowed: false, status: { message: "Cannot inject a template" } };

  it("takes an answer without a patch where no template is for the pod: one that is unknown is denied", async () => {
    expect(await tested({ allowed: true }, denied)).toEqual({});
  });

  it("finds fault with a webhook that answers nothing to any pod", async () => {
    const problem = "it does not inject a pod that asks for a sidecar; see the policy";
    expect(await tested({ allowed: true }, { allowed: true })).toEqual({ problem });
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
