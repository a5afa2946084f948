import { describe, expect, it } from "vitest";
import { parseGuardrails } from "./parse-guardrails.ts";
import { readGuardrails, unknownEntries } from "./read-guardrails.ts";

describe("parseGuardrails()", () => {
  it.each([
    "",
    "off",
    "baseline",
    "restricted,capability:SYS_PTRACE,image:a/*,image:b",
    "privileged,cpu:2,memory:4Gi,imageDigest",
    "baseline,container:fluent-bit hostPath:/var/log,container:a image:b/* secret:c",
    "baseline,secret:none,csi:none,annotation:vault.hashicorp.com/,identity:istio-token",
  ])("takes %j", (text) => expect(parseGuardrails(text).level).toBe(text.split(",")[0] || "off"));

  it.each([
    ["basline", 'did you mean "baseline"'],
    ["baseline,hostpath:/x", 'did you mean "hostPath"'],
    ["baseline,image", "write image: and what is allowed"],
    ["baseline,", '"" is not known'],
    ["baseline,container:a", "write what container a may have behind it, as hostPath:/run/agent"],
    ["baseline,container: hostPath:/a", "begin with container:NAME or image:NAME"],
    ["baseline,pod:a hostPath:/a", "begin with container:NAME or image:NAME"],
    ["baseline,container:a hostPID", "hostPID is of the whole pod"],
    ["baseline,container:a cpu:2", "cpu is of the whole pod"],
    ["baseline,container:a imageDigest", "imageDigest is of the whole pod"],
  ])("refuses %j, and says what is wrong", (text, why) => {
    expect(() => parseGuardrails(text)).toThrow(why);
  });
});

describe("readGuardrails()", () => {
  it("goes on without an entry that it does not know, which allows nothing, and names it", () => {
    const guardrails = readGuardrails("baseline,hostPath:/run/a,hostpaths:/run/b,team:a hostPath:/run/c");
    expect([guardrails.level, guardrails.allowed.get("hostPath"), guardrails.scoped]).toEqual([
      "baseline",
      ["/run/a"],
      [],
    ]);
    const { message } = unknownEntries(guardrails) ?? {};
    expect(message).toContain('Cannot use "hostpaths:/run/b", "team:a hostPath:/run/c" of the setting guardrails');
    expect(message).toContain("outrigger deploy");
  });

  it("takes a level that it does not know for the strictest one", () => {
    expect(readGuardrails("paranoid")).toMatchObject({ level: "restricted", unknown: ["paranoid"] });
  });

  it("says nothing of a setting that it knows", () => {
    expect(unknownEntries(readGuardrails("baseline,secret:none"))).toBeUndefined();
  });
});
