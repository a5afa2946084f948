// Keys at the top of a template that a pod does not have there: what injectors before Istio 1.9 read.

import { POD_TYPE } from "@outrigger/pod";
import type { ImportFinding } from "../import-finding.ts";

/** `labels` and `annotations` are moved, with a finding of their own; the others are what an object is. */
const HANDLED: ReadonlySet<string> = new Set(["labels", "annotations", "apiVersion", "kind"]);
const SPEC = POD_TYPE.fields.get("spec")?.type;

/**
 * @param text the translated template, without the partials
 * @param source the template as it was given, for the line
 */
export function misplacedKeys(text: string, source: string, file: string): readonly ImportFinding[] {
  const keys = new Set([...text.matchAll(/^([A-Za-z]\w*):(?=\s|$)/gm)].map(([, key = ""]) => key));
  const lines = source.split("\n");
  return [...keys].flatMap((key): readonly ImportFinding[] => {
    if (POD_TYPE.fields.has(key) || HANDLED.has(key)) return [];
    const remediation =
      SPEC?.fields.has(key) === true ? "indent it below spec" : "injectors before Istio 1.9 read it; leave it out";
    const line = lines.findIndex((one) => one.startsWith(`${key}:`)) + 1;
    const message = `Cannot inject ${key} at the top level of a template: a pod has none there; ${remediation}`;
    return [{ severity: "error", file, ...(line > 0 && { line, column: 1 }), message }];
  });
}
