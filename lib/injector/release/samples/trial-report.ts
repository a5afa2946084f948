// What trying the samples found, each fault once: the same fault in several samples, or of one value at several places, is one.

import { defined, OutriggerError } from "@outrigger/base";
import type { TemplatePosition } from "@outrigger/template";
import { type Rendering, slotKey, slotsOf } from "../blame/blame-field.ts";
import type { Sample } from "../read/read-sample.ts";
import { treePath } from "../source-tree.ts";
import type { TreeFinding } from "../tree-finding.ts";
import type { Trial } from "./try-injection.ts";

/** Paths into the pod that were read and found nothing in any sample: a misspelt field looks just like that. */
export function warnOfUnresolved(report: Report): void {
  const expressions = slotsOf(report.trial.release.templates);
  for (const [key, { position, isResolved }] of report.tags) {
    const { source, line, column } = position;
    const expression = expressions.get(key);
    if (isResolved || expression?.kind !== "path" || !report.trial.own.has(treePath(source))) continue;
    const path = [...Array(expression.depth).fill(".."), ...(expression.scoped ? ["this"] : []), ...expression.parts];
    // unresolved-values.ts reports these, with the nearest name.
    if (path[0] === "values") continue;
    const name = path.join(".").replaceAll("...", "../");
    const message = `"${name}" is empty for every sample: ${keyFix(path) ?? "fix the path, or add a sample that has the field"}`;
    warn(report, { path: treePath(source), line, column, message });
  }
}

/** A key of annotations or labels with a period or a slash is not a path. */
function keyFix(path: readonly string[]): string | undefined {
  const at = path.findIndex((part) => part === "annotations" || part === "labels");
  if (at === -1 || path.length <= at + 2) return undefined;
  return `write {{index ${path.slice(0, at + 1).join(".")} "KEY"}} for a key with other characters than letters, digits and "_"`;
}

export function noteTags(rendered: Rendering, { tags }: Report): void {
  for (const { position, value } of rendered.inspect().tags()) {
    const key = slotKey(position.source, position.line, position.column);
    const isResolved = (value ?? undefined) !== undefined || tags.get(key)?.isResolved === true;
    tags.set(key, { position, isResolved });
  }
}

/** Findings by what they are about: the same fault in several samples is reported once. */
export interface Report {
  readonly trial: Trial;
  readonly errors: Map<string, OutriggerError>;
  readonly warnings: Map<string, TreeFinding>;
  /** Tags that a rendering reached, by position, and whether any of them had a value. */
  readonly tags: Map<string, { readonly position: TemplatePosition; readonly isResolved: boolean }>;
}

export function newReport(trial: Trial): Report {
  return { trial, errors: new Map(), warnings: new Map(), tags: new Map() };
}

export function reportError(report: Report, error: OutriggerError, sample: Sample): void {
  const { code, message, path, line, column, cause } = error;
  // One value may be inserted at several places: it is wrong once.
  const what = VALUE_FAULT.exec(message)?.groups;
  const place = `${path} ${line} ${column}`;
  // A loop writes one place for every field: the place is wrong once.
  const field = OVERLAY_FAULT.exec(message)?.groups;
  const key =
    what !== undefined
      ? `${place} ${what["value"]} ${what["reason"]}`
      : `${place} ${field !== undefined && line !== undefined ? field["reason"] : message}`;
  if (report.errors.has(key)) return;
  const details = { ...defined({ path, line, column }), cause: cause ?? error };
  if (SAMPLE_FAULTS.has(code)) {
    const { path } = sample;
    report.errors.set(key, new OutriggerError("tree-invalid", `Cannot use ${path}: ${message}`, { path, cause }));
  } else if (code === "config-invalid") report.errors.set(key, error);
  else report.errors.set(key, new OutriggerError(code, `${message}, as ${sample.path} shows`, details));
}

const VALUE_FAULT = /^Cannot use (?<value>values\.\S+) in .*?: (?:an API server rejects .*?: )?\S+ (?<reason>.*)/;

const OVERLAY_FAULT = /^Cannot use (?:template|partial) "[^"]*": (?:an API server rejects .*?: )?\S+ (?<reason>.*)/;

/** Faults of the pod's author, which are faults of the sample here. */
const SAMPLE_FAULTS: ReadonlySet<OutriggerError["code"]> = new Set([
  "annotation-invalid",
  "template-unknown",
  "pod-invalid",
]);

export function warn(report: Report, finding: Omit<TreeFinding, "severity">): void {
  const key = `${finding.path} ${finding.line} ${finding.column} ${finding.message}`;
  report.warnings.set(key, { severity: "warning", ...finding });
}
