import { describe, expect, it } from "vitest";
import { refusedBefore } from "./self-test.ts";

describe("refusedBefore()", () => {
  it("names the resource policy, and in China the ICP recordal", () => {
    const china = refusedBefore("https://a1b2.execute-api.cn-north-1.amazonaws.com.cn/t/x/inject");
    expect(china).toContain("see its resource policy, and whether the account has an ICP recordal (docs/endpoint.md)");
    const elsewhere = refusedBefore("https://a1b2.execute-api.eu-west-1.amazonaws.com/t/x/inject");
    expect(elsewhere).toContain("see its resource policy (docs/endpoint.md)");
  });
});
