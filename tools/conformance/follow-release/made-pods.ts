// Pods that reach what the chart changes, where no stored pod does: each key and value that the changed lines read, with texts that
// templates treat differently.
import { isObject, type JsonObject } from "@outrigger/base";
import type { CaseInput } from "../entry-points.ts";
import type { Hunk } from "./chart-hunks.ts";

const TEXTS = ["x-_.", "1", "true", "a: b", `${"x".repeat(62)}-y`];

const MODEL: CaseInput = {
  name: "made",
  door: "webhook",
  config: {},
  values: {},
  environment: {},
  request: {
    namespace: "shop",
    object: { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "web" }] } },
  },
};

/** Pods for the hunks. */
export function madePods(hunks: readonly Hunk[]): readonly CaseInput[] {
  return hunks.flatMap(({ template, removed, added }) => {
    const lines = [...removed, ...added].join("\n");
    const keys = [...lines.matchAll(/"([a-z0-9.-]+\/[\w.-]+)"|labels "([\w.-]+)"/g)].map(
      ([, key = "", label = key]) => label,
    );
    const paths = [...lines.matchAll(/\bvalues\.([\w.]+)/g)].map(([, path = ""]) => path.split("."));
    return TEXTS.flatMap((text) => [
      ...[...new Set(keys)].map((key) => withKey(template, key, text)),
      ...paths.map((path) => ({ ...withKey(template), values: withValue({}, path, text) })),
    ]);
  });
}

function withKey(template: string, key?: string, text = ""): CaseInput {
  const pod = MODEL.request.object ?? {};
  const metadata = isObject(pod["metadata"]) ? pod["metadata"] : {};
  const own = key === undefined ? {} : { [key]: text };
  const annotations = { ...objectAt(metadata, "annotations"), ...own, "inject.istio.io/templates": template };
  const labels = { ...objectAt(metadata, "labels"), ...own };
  const object = { ...pod, metadata: { ...metadata, annotations, labels } };
  return { ...MODEL, name: `${template}: ${key}`, request: { ...MODEL.request, object } };
}

function withValue(values: JsonObject, [key = "", ...path]: readonly string[], text: string): JsonObject {
  return { ...values, [key]: path.length === 0 ? text : withValue(objectAt(values, key), path, text) };
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isObject(value) ? value : {};
}
