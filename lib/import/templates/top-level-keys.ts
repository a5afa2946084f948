// Keys at the top of a template that a pod does not have there: what injectors before Istio 1.9 read.

import { POD_TYPE } from "@outrigger/pod";
import type { ImportFinding } from "../documents/read-documents.ts";

/** `labels` and `annotations` are moved, with a finding of their own; the others are what an object is. */
const HANDLED: ReadonlySet<string> = new Set(["labels", "annotations", "apiVersion", "kind"]);
const SPEC = POD_TYPE.fields.get("spec")?.type;

/**
 * Returns an error for each key that a pod does not have at its top level.
 *
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

/**
 * Returns the text with `labels:` and `annotations:` moved from the top of a pod template into `metadata`, where the pod has them,
 * and the keys that could not be moved. `labels:\n  a: b\nspec: {}\n` → `metadata:\n  labels:\n    a: b\nspec: {}\n`
 */
export function moveLabels(text: string): { readonly text: string; readonly left: readonly string[] } {
  let lines: readonly string[] = text.split("\n");
  const left: string[] = [];
  for (const key of ["labels", "annotations"]) {
    const start = lines.findIndex((line) => line.startsWith(`${key}:`));
    if (start === -1) continue;
    const length = lines.slice(start + 1).findIndex((line) => /^[^\s{#]/.test(line));
    const end = length === -1 ? lines.length : start + 1 + length;
    const region = withoutTail(lines.slice(start, end));
    const rest = [...lines.slice(0, start), ...lines.slice(start + region.length)];
    const metadata = rest.findIndex((line) => /^metadata:\s*$/.test(line));
    const hasOwn = rest.some((line) => line.startsWith(`  ${key}:`));
    if (
      !isBalanced(region) ||
      (metadata !== -1 && hasOwn) ||
      (metadata === -1 && rest.some((line) => line.startsWith("metadata:")))
    ) {
      left.push(key);
      continue;
    }
    const moved = region.map((line) => (line === "" || /^\{\{[#/]|^\{\{else/.test(line) ? line : `  ${line}`));
    lines =
      metadata === -1
        ? [...rest.slice(0, start), "metadata:", ...moved, ...rest.slice(start)]
        : [...rest.slice(0, metadata + 1), ...moved, ...rest.slice(metadata + 1)];
  }
  return { text: lines.join("\n"), left };
}

/** Returns the lines without the tags at their end that close what was opened before them. */
function withoutTail(region: readonly string[]): readonly string[] {
  let end = region.length;
  while (end > 1 && !isBalanced(region.slice(0, end)) && /^(\{\{|\s*$)/.test(region[end - 1] ?? "")) end -= 1;
  return region.slice(0, end);
}

function isBalanced(lines: readonly string[]): boolean {
  let depth = 0;
  for (const line of lines) {
    for (const [, mark] of line.matchAll(/\{\{([#/])/g)) depth += mark === "#" ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
