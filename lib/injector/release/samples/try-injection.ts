// One injection of a trial: what was rendered on the way, and what is wrong with it, at the text that wrote it. And what all of them
// found, each fault once: the same fault in several samples, or of one value at several places, is one.

import { defined, faultOf, type JsonObject, OutriggerError, ownError } from "@outrigger/base";
import { formatFieldPath, type Pod } from "@outrigger/pod";
import { describeTemplate, type TemplatePosition } from "@outrigger/template";
import { AUTHORS_LISTS } from "../../check/authors-fields.ts";
import { injectPod } from "../../inject-pod.ts";
import type { Injector, InjectResult } from "../../injection.ts";
import { type Author, authorOf, type Rendering, rendering, slotKey, slotsOf } from "../blame/blame-field.ts";
import type { Release } from "../load-release.ts";
import type { WantedOrder } from "../read/order-default-templates.ts";
import type { Sample } from "../read/read-tree.ts";
import type { SourceText } from "../read/source-text.ts";
import { treePath } from "../source-tree.ts";
import type { TreeFinding } from "../tree-finding.ts";
import { describeFault, type InjectedFault } from "./check-injected.ts";
import { overlayFaults } from "./check-overlay.ts";

export interface Trial {
  readonly release: Release;
  /** The injector for the samples as they are: it keeps the shapes that similar pods need. */
  readonly injector: Injector;
  /** The injector for everything else: its shapes are discarded. */
  readonly spare: Injector;
  /** The values files, the lowest first. */
  readonly values: readonly SourceText[];
  /** Paths of the tree that is being published, without the layers below it. */
  readonly own: ReadonlySet<string>;
  /** Of `before` in the config. */
  readonly orders?: readonly WantedOrder[];
}

export interface Tried {
  /** The result, or undefined if the injection failed. */
  readonly result: InjectResult | undefined;
  readonly error: OutriggerError | undefined;
  /** The faults of the overlays themselves. */
  readonly faults: readonly OutriggerError[];
  readonly renderings: readonly Rendering[];
}

/** Changes what a template renders, before it is merged. */
type EditOverlay = (name: string, overlay: JsonObject) => JsonObject;

/** Injects a pod and keeps what was rendered on the way. Overlays with faults are not merged; those that are edited are taken as they are. */
export function inject(injector: Injector, pod: Pod, trial: Trial, edit?: EditOverlay): Tried {
  const { templates } = injector;
  const renderings: Rendering[] = [];
  const faults: OutriggerError[] = [];
  const render: Injector["templates"]["render"] = (name, data) => {
    const overlay = templates.render(name, data);
    const rendered = rendering(trial.release.templates, name, data, edit?.(name, overlay) ?? overlay);
    renderings.push(rendered);
    const found = edit === undefined ? renderingErrors(rendered, trial) : [];
    faults.push(...found);
    if (found[0] !== undefined) throw found[0];
    return rendered.overlay;
  };
  try {
    const listening = { ...injector, templates: { ...templates, render } };
    const namespace = pod.metadata?.namespace || "default";
    const result = injectPod(listening, { pod, namespace, parameters: {}, isTrial: true });
    return { result, error: undefined, faults, renderings };
  } catch (cause) {
    const error = ownError(cause);
    const isKnown = faults.some((fault) => fault === error || fault.message === error.message);
    return { result: undefined, error: isKnown ? undefined : treeError(error), faults, renderings };
  }
}

export function treeError(cause: OutriggerError): OutriggerError {
  const { code, message, path, line, column } = cause;
  const isTemplate = code === "template-render" && path !== undefined;
  const place = defined({ path: isTemplate ? treePath(path) : path, line, column });
  return new OutriggerError(code, message, { ...place, cause });
}

function renderingErrors(rendered: Rendering, trial: Trial): readonly OutriggerError[] {
  const empty = rendered
    .inspect()
    .emptyFields()
    .flatMap(({ steps, position }) => {
      const key = steps.at(-1);
      if (typeof key !== "number" && !AUTHORS_LISTS.includes(steps.join("."))) return [];
      const fix = typeof key === "number" ? "remove the item" : `put "${key}:" inside the #if or #each below it`;
      const author = { path: treePath(position.source), ...position };
      return [overlayError(author, `${formatFieldPath(steps)} is empty: ${fix}`)];
    });
  const faults = overlayFaults(rendered.overlay).map(({ reason, ...field }) => {
    return overlayError(authorOf(rendered, field, trial), reason);
  });
  return [...empty, ...faults];
}

/** @param said what the message says of the reason, where that is more */
function overlayError({ path, line, column, value, source }: Author, reason: string, said = reason): OutriggerError {
  const subject = value === undefined ? describeTemplate(source) : `${value} in ${describeTemplate(source)}`;
  const message = `Cannot use ${subject}: ${said} (line ${line}, column ${column})`;
  return new OutriggerError("overlay-invalid", message, { path, line, column, reason });
}

export function injectedError(
  { from, steps, reason, isUnread, deletes, cause: entry }: InjectedFault,
  tried: Tried,
  trial: Trial,
): OutriggerError {
  const rejects = describeFault({ reason, ...defined({ isUnread }) });
  if (from === undefined && entry !== undefined) {
    const { value: _, ...author } = authorOf(entry.from, { steps: entry.steps, part: "key" }, trial);
    return overlayError(author, reason, `with ${formatFieldPath(entry.steps)}, ${rejects}`);
  }
  if (from === undefined) {
    const names = tried.renderings.map(({ name }) => describeTemplate(name)).join(" and ");
    const [first] = tried.renderings;
    const place = defined({ path: first && treePath(first.name) });
    return new OutriggerError("overlay-invalid", `Cannot use ${names}: ${rejects}`, place);
  }
  const part = deletes === undefined ? "value" : "key";
  const author = authorOf(from, { steps, part, isValueFault: true }, trial);
  if (deletes === undefined) return overlayError(author, reason, rejects);
  // What goes wrong without it differs from sample to sample.
  return overlayError(author, `it deletes ${deletes}`, `it deletes ${deletes}, so ${rejects}`);
}

/**
 * Warns of paths into the pod that were read and found nothing in any sample: a misspelt field looks just like that.
 */
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

/** Returns how to read a key of annotations or labels that has a period or a slash: such a key is not a path. */
function keyFix(path: readonly string[]): string | undefined {
  const at = path.findIndex((part) => part === "annotations" || part === "labels");
  if (at === -1 || path.length <= at + 2) return undefined;
  return `write {{index ${path.slice(0, at + 1).join(".")} "KEY"}} for a key with other characters than letters, digits and "_"`;
}

export function noteTags(rendered: Rendering, report: Report): void {
  for (const { position, value } of rendered.inspect().tags()) {
    const key = slotKey(position.source, position.line, position.column);
    noteTag(key, position, (value ?? undefined) !== undefined, report);
  }
}

function noteTag(key: string, position: TemplatePosition, isResolved: boolean, { tags }: Report): void {
  tags.set(key, { position, isResolved: isResolved || tags.get(key)?.isResolved === true });
}

/** Findings by what they are about: the same fault in several samples is reported once. */
export interface Report {
  readonly trial: Trial;
  readonly errors: Map<string, OutriggerError>;
  readonly warnings: Map<string, TreeFinding>;
  /** Tags that a rendering reached, by position, and whether any of them had a value. */
  readonly tags: Map<string, { readonly position: TemplatePosition; readonly isResolved: boolean }>;
}

export function emptyReport(trial: Trial): Report {
  return { trial, errors: new Map(), warnings: new Map(), tags: new Map() };
}

/** Adds what a part of a trial has found. */
export function addTo(report: Report, { errors, warnings, tags }: Partial<Report>): void {
  for (const [key, error] of errors ?? []) if (!report.errors.has(key)) report.errors.set(key, error);
  for (const [key, warning] of warnings ?? []) report.warnings.set(key, warning);
  for (const [key, { position, isResolved }] of tags ?? []) noteTag(key, position, isResolved, report);
}

export function reportError(report: Report, error: OutriggerError, sample: Sample): void {
  const { code, message, path, line, column, reason, cause } = error;
  // A loop writes one place for every field, and one value may be inserted in several: the place is wrong once, whichever field is first.
  const key = `${path} ${line} ${column} ${reason?.replace(/^\S+ /, "") ?? message}`;
  if (report.errors.has(key)) return;
  const details = { ...defined({ path, line, column, reason }), cause: cause ?? error };
  // Faults of the pod's author are faults of the sample here.
  if (faultOf(code) === "author") {
    const { path } = sample;
    report.errors.set(key, new OutriggerError("tree-invalid", `Cannot use ${path}: ${message}`, { path, cause }));
  } else if (code === "config-invalid") report.errors.set(key, error);
  else report.errors.set(key, new OutriggerError(code, `${message}, as ${sample.path} shows`, details));
}

export function warn(report: Report, finding: Omit<TreeFinding, "severity">): void {
  const key = `${finding.path} ${finding.line} ${finding.column} ${finding.message}`;
  report.warnings.set(key, { severity: "warning", ...finding });
}
