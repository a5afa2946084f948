import { describe, expect, it } from "vitest";
import type { GuardrailKind } from "./kinds.ts";
import { type Mistake, readGuardrails, readSetting, unknownEntries } from "./read-guardrails.ts";

const allowedIn = (text: string) => Object.fromEntries(readGuardrails(text).allowed);

describe("what a setting allows to any container", () => {
  it.each<[string, Partial<Record<GuardrailKind, readonly string[]>>]>([
    ["baseline", {}],
    ["baseline,privileged", { privileged: ["*"] }],
    ["baseline,hostPath:/run/a,hostPath:/run/b", { hostPath: ["/run/a", "/run/b"] }],
    ["baseline, hostPath:/run/a , hostPort:80", { hostPath: ["/run/a"], hostPort: ["80"] }],
    ["baseline,image:registry.example:5000/a:*", { image: ["registry.example:5000/a:*"] }],
    ["baseline,secret:none", { secret: [] }],
    ["baseline,secret:none,secret:a", { secret: ["a"] }],
    ["baseline,hostPath:none", { hostPath: ["none"] }],
    ["baseline,annotation:vault.example/", { annotation: ["vault.example/*"] }],
    ["baseline,label:team.example/", { label: ["team.example/*"] }],
    ["baseline,label:team.example/a", { label: ["team.example/a"] }],
    ["baseline,hostPath:/run/", { hostPath: ["/run/"] }],
    ["baseline,cpu:2,imageDigest", { cpu: ["2"], imageDigest: ["*"] }],
    // What one container may have is refused to the others, where it is free otherwise.
    ["baseline,container:a secret:b", { secret: [] }],
    ["baseline,container:a secret:b,secret:c", { secret: ["c"] }],
    ["baseline,container:a hostPath:/run", {}],
  ])("%s", (text, allowed) => {
    expect(allowedIn(text)).toEqual(allowed);
    expect(readGuardrails(text)).toMatchObject({ level: "baseline", unknown: [] });
  });

  it("is nothing and no level where the setting is empty", () => {
    expect(readGuardrails("")).toEqual({ level: "off", allowed: new Map(), scoped: [], unknown: [] });
    expect(readGuardrails("privileged").level).toBe("privileged");
  });
});

describe("what a setting allows to some containers", () => {
  it.each([
    ["container:agent", [true, true, false]],
    ["container:*", [true, true, true]],
    ["image:good.example/*", [true, false, true]],
    ["container:agent image:good.example/*", [true, false, false]],
  ])("is for those of %s", (scopes, expected) => {
    const [entry, ...others] = readGuardrails(`baseline,${scopes} hostPath:/run`).scoped;
    expect(entry).toMatchObject({ kind: "hostPath", pattern: "/run" });
    expect(others).toEqual([]);
    const holders = [
      { container: "agent", image: "good.example/a:1" },
      { container: "agent", image: "evil.example/a:1" },
      { container: "web", image: "good.example/a:1" },
    ];
    expect(holders.map((holder) => entry?.isFor(holder))).toEqual(expected);
  });

  it("is nothing of what is said to be none", () => {
    expect(readGuardrails("baseline,container:a secret:none").scoped).toEqual([]);
  });
});

describe("what is wrong with a part", () => {
  it.each<[string, Mistake]>([
    ["basline", { why: "level", word: "basline" }],
    ["baseline,pod:a hostPath:/a", { why: "scope", word: "pod:a" }],
    ["baseline,container: hostPath:/a", { why: "scope", word: "container:" }],
    ["baseline,container:a", { why: "container", word: "a" }],
    ["baseline,container", { why: "container", word: "" }],
    ["baseline,hostpath:/a", { why: "kind", word: "hostpath" }],
    // It is reported, and no entry admits it.
    ["baseline,imageReference", { why: "kind", word: "imageReference" }],
    ["baseline,secret", { why: "value", word: "secret" }],
    ["baseline,cpu:", { why: "value", word: "cpu" }],
    ["baseline,container:a hostPID", { why: "pod", word: "hostPID container:a" }],
    ["baseline,container:a image:b memory:1Gi", { why: "pod", word: "memory container:a image:b" }],
    ["baseline,container:a imageDigest", { why: "pod", word: "imageDigest container:a" }],
  ])("%s", (text, mistake) => {
    const found: [string, Mistake][] = [];
    const { allowed, scoped, unknown } = readSetting(text, (part, each) => found.push([part, each]));
    const part = text.split(",").at(-1) as string;
    expect(found).toEqual([[part, mistake]]);
    expect([allowed.size, scoped, unknown]).toEqual([0, [], [part]]);
  });

  it("takes nothing away from the other parts", () => {
    const guardrails = readGuardrails("baseline,hostpath:/a,hostPort:80,secret");
    expect([...guardrails.allowed]).toEqual([["hostPort", ["80"]]]);
    expect(guardrails.unknown).toEqual(["hostpath:/a", "secret"]);
  });

  it("is said with the first hundred characters of each part, and the field that holds it", () => {
    const error = unknownEntries(readGuardrails(`baseline,a,${"x".repeat(200)}`));
    expect(error).toMatchObject({ code: "config-invalid", path: "guardrails" });
    expect(error?.message).toContain(`Cannot use "a", "${"x".repeat(100)}" of the setting guardrails`);
  });
});
