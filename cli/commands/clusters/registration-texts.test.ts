import { describe, expect, it } from "vitest";
import { nextStep, sharedPods } from "./registration-texts.ts";

describe("sharedPods()", () => {
  const [istios, mesh, other] = [
    { isIstios: true, isMesh: true },
    { isIstios: false, isMesh: true },
    { isIstios: false, isMesh: false },
  ] as const;
  it.each<[string, typeof istios | typeof mesh | typeof other, boolean, boolean | undefined, string]>([
    ["istiod", istios, false, true, "Outrigger replaces what it adds"],
    ["istiod, of a release that is not known", istios, false, undefined, "Outrigger replaces what it adds"],
    ["istiod, of a release without a proxy", istios, false, false, "Outrigger takes out what it adds"],
    ["istiod by another label", istios, true, true, "a pod that asks both gets two proxies"],
    ["istiod by another label, without a proxy", istios, true, false, "pods keep what each adds"],
    ["istiod by another label, of a release that is not known", istios, true, undefined, "pods keep what each adds"],
    ["another mesh beside", mesh, true, true, "a pod that asks both gets two proxies"],
    ["another Outrigger beside", other, true, true, "pods keep what each adds"],
    ["another Outrigger", other, false, true, "pods may get two sidecars"],
  ])("says what becomes of the pods of %s", (_, kind, isBeside, addsProxy, effect) => {
    const found = [{ name: "them", namespaces: ["a", "b"], ...kind, isBeside }];
    const line = `them also injects pods of 2 namespaces (a, b): ${effect}`;
    expect(sharedPods({ found, phase: "cluster" }, addsProxy)).toEqual([line]);
    expect(sharedPods({ found, phase: "audit" }, addsProxy)).toEqual([`${line}, in dry runs alone for now`]);
  });

  it.each([
    [["a"], "1 namespace (a)"],
    [["a", "b", "c"], "3 namespaces (a, b, c)"],
    [["a", "b", "c", "d"], "4 namespaces (a, b, c and 1 more)"],
    [["a", "b", "c", "d", "e"], "5 namespaces (a, b, c and 2 more)"],
  ])("names three of the namespaces %j at most", (namespaces, named) => {
    const found = [{ name: "them", namespaces, ...other, isBeside: false }];
    expect(sharedPods({ found, phase: "enforce" }, true)).toEqual([
      `them also injects pods of ${named}: pods may get two sidecars`,
    ]);
  });
});

describe("nextStep()", () => {
  it.each([
    ["audit", "--phase namespace --namespace …"],
    ["namespace", "--phase cluster"],
    ["cluster", "--phase enforce"],
  ] as const)("is the command for the phase after %s", (phase, words) => {
    expect(nextStep({ cluster: "shop" }, "default", phase)).toBe(`Next: outrigger register --cluster shop ${words}\n`);
  });

  it("names the registration and the revision where the command needs them", () => {
    expect(nextStep({ cluster: "shop", as: "till" }, "1-30", "cluster")).toBe(
      "Next: outrigger register --cluster shop --as till --revision 1-30 --phase enforce\n",
    );
  });

  it("is empty after the last phase", () => {
    expect(nextStep({ cluster: "shop" }, "default", "enforce")).toBe("");
  });
});
