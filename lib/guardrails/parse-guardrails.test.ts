import { describe, expect, it } from "vitest";
import { parseGuardrails } from "./parse-guardrails.ts";

describe("parseGuardrails()", () => {
  it.each([
    "",
    "off",
    "baseline",
    "restricted,capability:SYS_PTRACE,image:a/*,image:b",
    "privileged,cpu:2,memory:4Gi,imageDigest",
  ])("takes %j", (text) => expect(parseGuardrails(text).level).toBe(text.split(",")[0] || "off"));

  it.each([
    ["basline", 'did you mean "baseline"'],
    ["baseline,hostpath:/x", 'did you mean "hostPath"'],
    ["baseline,image", "write image: and what is allowed"],
    ["baseline,", '"" is not known'],
  ])("refuses %j, and says what is wrong", (text, why) => {
    expect(() => parseGuardrails(text)).toThrow(why);
  });
});
