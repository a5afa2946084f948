// Every field of what the shipped templates render, traced back to their text.

import { type FieldPath, isObject } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { inspectOverlay } from "@outrigger/template";
import { parseYaml } from "@outrigger/yaml";
import { expect, it } from "vitest";
import { shippedTree } from "../../../test/support/shipped-tree.ts";
import { injectPod } from "../inject-pod.ts";
import { compileRelease } from "../release/compile-release.ts";
import { withIstioRelease } from "../release/istio-layers.ts";
import { loadRelease } from "../release/load-release.ts";
import { injectionHelpers } from "../render/template-data.ts";

it.each(["deployment-pod", "gateway-pod"])("locate() points at the key of every field for %s", async (sample) => {
  const [tree = {}] = withIstioRelease([await shippedTree()]);
  const release = compileRelease([tree]);
  const injector = loadRelease(release);
  const { templates } = injector;
  const misses: string[] = [];
  let fields = 0;
  const render: typeof templates.render = (name, data) => {
    const overlay = templates.render(name, data);
    for (const steps of fieldsOf(overlay, [])) {
      const inspected = inspectOverlay({ compiled: release.templates, helpers: injectionHelpers, name, data });
      const { source, line, column } = inspected.locate(steps, "key");
      const text = tree[source.startsWith("partials/") ? source : `templates/${source}`] as string;
      const found = (text.split("\n")[line - 1] as string).slice(column - 1).replace(/^"/, "");
      const isTag = found.startsWith("{{");
      if (!isTag && !found.startsWith(String(steps.at(-1))))
        misses.push(`${steps.join(".")}: ${source}:${line}:${column}`);
      fields += 1;
    }
    return overlay;
  };
  const pod = parseYaml(tree[`samples/${sample}`] as string, sample) as Pod;
  injectPod({ ...injector, templates: { ...templates, render } }, { pod, namespace: "default", parameters: {} });
  expect(misses).toEqual([]);
  expect(fields).toBeGreaterThan(50);
});

function fieldsOf(value: unknown, steps: FieldPath): readonly FieldPath[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => fieldsOf(item, [...steps, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, field]) => [[...steps, key], ...fieldsOf(field, [...steps, key])]);
}
