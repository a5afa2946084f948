// `source/namespaces`: namespace metadata for templates, as OpenShift's ids need it.

import type { OutriggerError } from "@outrigger/base";
import { isObject } from "@outrigger/base";
import type { Release } from "../release.ts";
import { fieldError, type SourceText } from "./read-tree.ts";

/** @throws OutriggerError `config-invalid` with the namespace and its position */
export function parseNamespaces(source: SourceText): Release["namespaceAnnotations"] {
  const namespaces = source.value ?? {};
  if (!isObject(namespaces)) throw invalid(source, [], "a mapping of namespace to its metadata");
  return Object.fromEntries(
    Object.entries(namespaces).map(([name, metadata]) => {
      const annotations = isObject(metadata) ? (metadata["annotations"] ?? {}) : undefined;
      const isMap = isObject(annotations) && Object.values(annotations).every((value) => typeof value === "string");
      if (!isMap) throw invalid(source, [name], "a mapping with annotations, all strings");
      return [name, annotations as Readonly<Record<string, string>>];
    }),
  );
}

function invalid(source: SourceText, steps: readonly string[], allowed: string): OutriggerError {
  const path = ["namespaces", ...steps].join(".");
  return fieldError("config-invalid", { path, text: source.text }, steps, `Cannot use ${path}: it must be ${allowed}`);
}
