import { expect, it } from "vitest";
import { valuesBehind } from "./values-behind.ts";

const SHIPPED = {
  "values/00-default": "hub: registry.example\ntag: '1'\nunused: a\nisLabelled: true\n",
  "templates/sidecar":
    "metadata:\n  labels:\n    a: b\n{{#if values.isLabelled}}\n    labelled: c\n{{/if}}\nspec:\n  containers:\n  - name: x\n    image: {{values.hub}}/x:{{values.tag}}\n",
  "samples/web": "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n",
};

const pod = { kind: "sample", name: "web" } as const;

it("valuesBehind() names the entry and line of each value that a line depends on, and of no other", () => {
  const own = { "values/50-mine": "# mine\ntag: '2'\n" };
  const { text, lines } = valuesBehind({ shipped: SHIPPED, own, pod, namespace: "default" });
  const said = lines.map(([line, origins]) => {
    const places = origins.map(
      ({ name, path, line: at, isShipped }) => `${name} ${path}:${at}${isShipped ? "" : " own"}`,
    );
    return [text.split("\n")[line - 1]?.trim(), ...places];
  });
  expect(said.filter(([shown]) => !shown?.startsWith("sidecar.istio.io/status"))).toEqual([
    ["- image: registry.example/x:2", "hub values/00-default:1", "tag values/50-mine:2 own"],
    ["labelled: c", "isLabelled values/00-default:4"],
  ]);
});

it("valuesBehind() names a value that may not be any text on its own line, and on no other", () => {
  const sidecar =
    'spec:\n  containers:\n  - name: x\n    image: x:1\n    resources: {requests: {cpu: "{{values.cpu}}" }}\n';
  const shipped = { ...SHIPPED, "templates/sidecar": sidecar, "values/00-default": "cpu: 50m\n" };
  const { text, lines } = valuesBehind({ shipped, own: {}, pod, namespace: "default" });
  const said = lines.map(([line]) => text.split("\n")[line - 1]?.trim());
  expect(said.filter((line) => !line?.startsWith("sidecar.istio.io/status"))).toEqual(["cpu: 50m"]);
});

it("valuesBehind() has no answer for a tree with errors", () => {
  const own = { "templates/sidecar": "{{#if}}\n" };
  expect(valuesBehind({ shipped: SHIPPED, own, pod, namespace: "default" }).lines).toEqual([]);
});
