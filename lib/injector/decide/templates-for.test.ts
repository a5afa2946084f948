import { expect, it } from "vitest";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";
import { templatesFor } from "./templates-for.ts";

const TREE = {
  config: `mesh: none
defaultTemplates:
- name: logs
  match: {podLabels: {logs: "yes"} }
- audit
`,
  "templates/logs": "metadata: {annotations: {a: b} }\n",
  "templates/audit": "metadata: {annotations: {c: d} }\n",
};

it.each([
  ["the defaults that fit it", { labels: { logs: "yes" } }, ["logs", "audit"]],
  ["no default that does not fit it", { labels: { logs: "no" } }, ["audit"]],
  ["those that it names", { annotations: { "inject.istio.io/templates": "logs" } }, ["logs"]],
  ["none where it opts out", { labels: { logs: "yes", "sidecar.istio.io/inject": "false" } }, []],
])("templatesFor() gives a pod %s", (_, metadata, wanted) => {
  const injector = loadRelease(compileRelease([TREE]));
  const pod = { metadata, spec: { containers: [{ name: "app", image: "app:1" }] } };
  expect(templatesFor(injector, { pod, namespace: "shop", parameters: {} })).toEqual(wanted);
});
