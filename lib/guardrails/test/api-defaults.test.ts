// A value that the API server filled in is not the author's: a template may write another one.
import { compileRelease, injectPod, loadRelease } from "@outrigger/injector";
import { admittedForm, type Pod, type PodSpec } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { guardedInjection } from "../guarded-injection.ts";
import { injectionPowers } from "../injection-powers.ts";
import { parseGuardrails } from "../parse-guardrails.ts";

const namespace = "shop";
const podWith = (spec: Partial<PodSpec>): Pod => {
  const containers = [{ name: "app", image: "registry.example/app:1" }];
  return admittedForm({ metadata: { name: "web" }, spec: { containers, ...spec } }, { namespace });
};

const injectorWith = (template: string) =>
  loadRelease(compileRelease([{ config: "policy: enabled\ndefaultTemplates: [own]\n", "templates/own": template }]));

const outcomeOf = (template: string, spec: Partial<PodSpec>) => {
  const injector = injectorWith(template);
  const request = { pod: podWith(spec), namespace, parameters: {} };
  const powers = (() => {
    const result = injectPod(injector, request);
    if (!result.injected) return [];
    return injectionPowers(result.author as never, result.pod as never).map(
      ({ effect, value }) => `${effect} ${value}`,
    );
  })();
  try {
    const result = guardedInjection(parseGuardrails("baseline"))(injector, request);
    return { powers, spec: result.injected ? result.pod.spec : undefined };
  } catch (error) {
    return { powers, message: (error as Error).message };
  }
};

describe("a field that the API server has filled in", () => {
  const grace = "spec:\n  terminationGracePeriodSeconds: 60\n";

  it("is free to be given another value where the field is free", () => {
    expect(outcomeOf(grace, {})).toMatchObject({ powers: [], spec: { terminationGracePeriodSeconds: 60 } });
  });

  it("is the author's where another value was written, and is refused as theirs", () => {
    const { powers, message } = outcomeOf(grace, { terminationGracePeriodSeconds: 45 });
    expect(powers).toEqual(["author-changed spec.terminationGracePeriodSeconds"]);
    expect(message).toContain("spec.terminationGracePeriodSeconds");
  });

  it("is left to the author by a condition that reads the default", () => {
    const guarded =
      "spec:\n{{#if (eq spec.terminationGracePeriodSeconds 30)}}\n  terminationGracePeriodSeconds: 60\n{{/if}}\n";
    expect(outcomeOf(guarded, {}).spec?.terminationGracePeriodSeconds).toBe(60);
    expect(outcomeOf(guarded, { terminationGracePeriodSeconds: 45 }).spec?.terminationGracePeriodSeconds).toBe(45);
  });

  it("stays closed where the field is closed", () => {
    const { powers } = outcomeOf("spec:\n  dnsPolicy: Default\n", {});
    expect(powers).toEqual(["pod-may-not-run spec.dnsPolicy"]);
  });

  it("is judged as before where a template takes it away", () => {
    expect(outcomeOf("spec:\n  terminationGracePeriodSeconds: null\n", {}).message).toContain("guardrails");
  });

  it("does not make options for DNS the author's, and keeps those that are", () => {
    const ndots = 'spec:\n  dnsConfig:\n    options:\n    - name: ndots\n      value: "2"\n';
    expect(outcomeOf(ndots, {})).toMatchObject({ powers: [], spec: { dnsConfig: { options: [{ name: "ndots" }] } } });
    const own = { dnsConfig: { options: [{ name: "timeout", value: "1" }] } };
    expect(outcomeOf(ndots, own).message).toContain("spec.dnsConfig.options");
  });
});
