// The containers of the mesh: each has what it is for and nothing besides, and what an author asks of the proxy is the author's.
import { compileRelease, loadRelease } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { guardedInjection } from "../guarded-injection.ts";
import { parseGuardrails } from "../parse-guardrails.ts";

/** Injects one container, in block style below its list, into a pod under the guardrails. */
function inject(list: string, fields: string, annotations: Readonly<Record<string, string>> = {}) {
  const release = compileRelease([
    {
      config: "defaultTemplates: [sidecar]\n",
      "templates/sidecar": `spec:\n  ${list}:\n  - {image: registry.example/proxyv2:1, ${fields}}\n`,
    },
  ]);
  const app = { name: "app", image: "registry.example/app:1" };
  const pod = { metadata: { name: "web", annotations }, spec: { containers: [app] } };
  const request = { pod: pod as never, namespace: "shop", parameters: {} };
  return guardedInjection(parseGuardrails("baseline"))(loadRelease(release), request);
}

describe("a container of the mesh", () => {
  it.each([
    ["containers", "istio-proxy", "args: [proxy, sidecar]", "args: [proxy, --evil]"],
    ["initContainers", "istio-init", "args: [istio-iptables, -p, '15001']", "args: [istio-iptables, --evil]"],
    ["initContainers", "istio-validation", "args: [istio-iptables, --run-validation]", "args: [sh, -c, evil]"],
  ])("in %s by the name of %s runs what it is for and nothing else", (list, name, own, other) => {
    expect(inject(list, `name: ${name}, ${own}`)).toMatchObject({ injected: true });
    expect(() => inject(list, `name: ${name}, ${other}`)).toThrow(`${name}`);
    expect(() => inject(list, `name: ${name}, command: [evil]`)).toThrow(`${name}`);
    // The same is an ordinary container's own affair.
    expect(inject(list, `name: other, ${other}`)).toMatchObject({ injected: true });
  });
});

describe("a bootstrap of the author's own", () => {
  const variable = "name: istio-proxy, env: [{name: ISTIO_BOOTSTRAP_OVERRIDE, value: /etc/istio/custom}]";

  it("is admitted for who asks for it by the annotation, and for nobody else", () => {
    expect(inject("containers", variable, { "sidecar.istio.io/bootstrapOverride": "mine" })).toMatchObject({
      injected: true,
    });
    expect(() => inject("containers", variable)).toThrow("ISTIO_BOOTSTRAP_OVERRIDE");
  });
});
