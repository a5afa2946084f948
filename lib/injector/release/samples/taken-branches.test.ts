import { expect, it } from "vitest";
import { compileRelease } from "../compile-release.ts";
import { loadRelease } from "../load-release.ts";
import { branchReader } from "./taken-branches.ts";

const tree = {
  config: "defaultTemplates: [agent]\n",
  "templates/agent": `spec:
  containers:
  - name: agent
    image: agent:1
    {{#if metadata.annotations.port}}
    ports:
    - containerPort: {{int metadata.annotations.port}}
    {{/if}}
{{> label}}
`,
  "partials/label": "metadata:\n  labels:\n    {{#unless metadata.labels.app}}\n    app: none\n    {{/unless}}\n",
};

it("branchReader() names the template and each branch of it and its partials, also where the injection fails", () => {
  const release = compileRelease([tree]);
  const read = branchReader(release, loadRelease(release));
  const taken = (annotations: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>> = {}) => {
    const pod = {
      metadata: { name: "web", annotations, labels },
      spec: { containers: [{ name: "web", image: "web" }] },
    };
    const { branches, error } = read({ pod, namespace: "shop", parameters: {} });
    return [[...branches], error?.code];
  };
  const agent = "templates/agent";
  expect(taken({})).toEqual([[agent, `${agent}:5:5 false`, "partials/label:3:5 false"], undefined]);
  expect(taken({ port: "80" }, { app: "web" })).toEqual([
    [agent, `${agent}:5:5 true`, "partials/label:3:5 true"],
    undefined,
  ]);
  expect(taken({ port: "70000" })).toEqual([
    [agent, `${agent}:5:5 true`, "partials/label:3:5 false"],
    "annotation-invalid",
  ]);
  expect(taken({}, { "sidecar.istio.io/inject": "false" })).toEqual([[], undefined]);
});
