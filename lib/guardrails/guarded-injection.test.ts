import { compileRelease, injectPod, loadRelease } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { ownErrorOf } from "../../test/support/own-error-of.ts";
import { guardedInjection, refusedIn } from "./guarded-injection.ts";
import { readGuardrails } from "./read-guardrails.ts";

const injectorWith = (template: string, config = "") =>
  loadRelease(compileRelease([{ config: `defaultTemplates: [own]\n${config}`, "templates/own": template }]));
const requestOf = (labels: Readonly<Record<string, string>> = {}) =>
  ({
    pod: { metadata: { name: "web", labels }, spec: { containers: [{ name: "app", image: "app:1" }] } },
    namespace: "shop",
    parameters: {},
  }) as never;

const NODE = injectorWith(
  "spec:\n  containers: [{name: agent, image: a}]\n  volumes: [{name: node, hostPath: {path: /run/secret-path}}]\n",
);

describe("guardedInjection()", () => {
  it("injects what is within the guardrails", () => {
    const result = guardedInjection(readGuardrails("baseline,hostPath:/run/*"))(NODE, requestOf());
    expect(result).toEqual(injectPod(NODE, requestOf()));
    expect(result.injected).toBe(true);
  });

  it("refuses the rest: what, where, and the way out", () => {
    const error = ownErrorOf(() => guardedInjection(readGuardrails("baseline"))(NODE, requestOf()));
    expect(error).toMatchObject({ code: "guardrail-violated", path: "spec.volumes[0].hostPath.path" });
    expect(error.message).toBe(
      "Cannot inject: the templates add hostPath /run/secret-path (spec.volumes[0].hostPath.path), which this deployment's guardrails do not admit; change the template, or the setting guardrails with a deploy",
    );
  });

  it("logs the field, and nothing of the value", () => {
    const { logged } = ownErrorOf(() => guardedInjection(readGuardrails("baseline"))(NODE, requestOf()));
    expect(logged).toEqual({
      message: "Cannot inject: the templates add what the guardrails do not admit, in spec.volumes",
      path: "spec.volumes",
    });
  });

  it("says besides which entries of the setting it does not know: one of them may be the one", () => {
    const error = ownErrorOf(() => guardedInjection(readGuardrails("baseline,hostpath:/run/*"))(NODE, requestOf()));
    expect(error.message).toContain('with a deploy. Cannot use "hostpath:/run/*" of the setting guardrails');
  });

  it("judges nothing where guardrails are off, nor a pod that is not injected", () => {
    expect(guardedInjection(readGuardrails(""))(NODE, requestOf()).injected).toBe(true);
    const notInjected = requestOf({ "sidecar.istio.io/inject": "false" });
    expect(guardedInjection(readGuardrails("baseline"))(NODE, notInjected)).toEqual(injectPod(NODE, notInjected));
    expect(guardedInjection(readGuardrails("baseline"))(NODE, notInjected).injected).toBe(false);
  });
});

describe("refusedIn()", () => {
  const baseline = readGuardrails("baseline");

  it("finds what a pod is given that is not admitted, and nothing for one that is not injected", () => {
    expect(refusedIn(baseline, NODE, requestOf())).toMatchObject([{ kind: "hostPath", value: "/run/secret-path" }]);
    expect(refusedIn(baseline, NODE, requestOf({ "sidecar.istio.io/inject": "false" }))).toEqual([]);
  });

  it("finds nothing for a pod that is denied", () => {
    const denying = injectorWith("spec:\n  hostPID: true\n  hostname: \"{{fail 'no'}}\"\n");
    expect(() => injectPod(denying, requestOf())).toThrow("no");
    expect(refusedIn(baseline, denying, requestOf())).toEqual([]);
  });
});
