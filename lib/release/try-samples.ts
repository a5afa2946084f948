// Tries a release before it is published: every sample is injected with the templates that it chooses and with each
// template alone, and what comes out must be a pod that an API server accepts. The shapes that this makes stay with the
// injector; everything else is discarded.

import { defined } from "../defined.ts";
import { OutriggerError } from "../errors.ts";
import { injectPod } from "../inject/inject-pod.ts";
import type { Injector, InjectResult } from "../inject/injector.ts";
import { annotationKeys, labelKeys } from "../inject/keys.ts";
import { type FieldPath, formatFieldPath } from "../kube/field-path.ts";
import type { Pod } from "../kube/pod-types.ts";
import { locateYaml } from "../kube/yaml-tree.ts";
import type { Place } from "../template/bind/text-pieces.ts";
import { describeTemplate } from "../template/finding.ts";
import { authorOf, type Rendering, rendering, slotKey, slotsOf } from "./blame-field.ts";
import { type InjectedFault, injectedFaults, ownViolations } from "./check-injected.ts";
import { AUTHORS_LISTS, overlayFaults } from "./check-overlay.ts";
import type { Sample } from "./read-sample.ts";
import type { SourceText } from "./read-tree.ts";
import type { Release } from "./release.ts";
import { type Findings, type TreeFinding, treePath } from "./tree-finding.ts";

export interface Trial {
  readonly release: Release;
  /** Injects the samples as they are: it keeps the shapes that similar pods need. */
  readonly injector: Injector;
  /** Injects everything else: its shapes are discarded. */
  readonly spare: Injector;
  /** The values files, the lowest first. */
  readonly values: readonly SourceText[];
  /** Paths of the tree that is being published, without the layers below it. */
  readonly own: ReadonlySet<string>;
}

/**
 * Injects the samples. A template that fails only on values that a sample did not choose for it is a warning, as long as
 * another sample can be injected with it.
 */
export function trySamples(trial: Trial, samples: readonly Sample[]): Findings {
  const report = newReport(trial);
  for (const sample of samples) reportOwnFaults(sample, report);
  for (const sample of samples) tryOwnChoice(sample, trial, report);
  const willing: Injector = { ...trial.spare, config: willingConfig(trial.spare) };
  for (const template of willing.templates.names) tryTemplate(willing, template, samples, report);
  warnOfUnresolved(report);
  return { errors: [...report.errors.values()], warnings: [...report.warnings.values()] };
}

/** Paths into the pod that were read and found nothing in any sample: a misspelt field looks just like that. */
function warnOfUnresolved(report: Report): void {
  const expressions = slotsOf(report.trial.release.templates);
  for (const [key, { place, isResolved }] of report.tags) {
    const { source, line, column } = place;
    const expression = expressions.get(key);
    if (isResolved || expression?.kind !== "path" || !report.trial.own.has(treePath(source))) continue;
    const path = [...Array(expression.depth).fill(".."), ...(expression.scoped ? ["this"] : []), ...expression.parts];
    // unresolved-values.ts reports these, with the nearest name.
    if (path[0] === "values") continue;
    const name = path.join(".").replaceAll("...", "../");
    const message = `"${name}" is empty for every sample: fix the path, or add a sample that has the field`;
    warn(report, { path: treePath(source), line, column, message });
  }
}

function noteTags(rendered: Rendering, { tags }: Report): void {
  for (const { place, value } of rendered.inspect().tags()) {
    const key = slotKey(place.source, place.line, place.column);
    const isResolved = (value ?? undefined) !== undefined || tags.get(key)?.isResolved === true;
    tags.set(key, { place, isResolved });
  }
}

/** Findings by what they are about: the same fault in several samples is reported once. */
interface Report {
  readonly trial: Trial;
  readonly errors: Map<string, OutriggerError>;
  readonly warnings: Map<string, TreeFinding>;
  /** Tags that a rendering reached, by position, and whether any of them had a value. */
  readonly tags: Map<string, { readonly place: Place; readonly isResolved: boolean }>;
}

function newReport(trial: Trial): Report {
  return { trial, errors: new Map(), warnings: new Map(), tags: new Map() };
}

function reportError(report: Report, error: OutriggerError, sample: Sample): void {
  const { code, message, path, line, column, cause } = error;
  // One value may be inserted at several places: it is wrong once.
  const what = VALUE_FAULT.exec(message)?.groups;
  const key = `${path} ${line} ${column} ${what === undefined ? message : `${what["value"]} ${what["reason"]}`}`;
  if (report.errors.has(key)) return;
  const details = { ...defined({ path, line, column }), cause: cause ?? error };
  if (SAMPLE_FAULTS.has(code)) {
    const fault = new OutriggerError("tree-invalid", `Cannot use ${sample.path}: ${message}`, {
      path: sample.path,
      cause,
    });
    report.errors.set(key, fault);
  } else if (code === "config-invalid") report.errors.set(key, error);
  else report.errors.set(key, new OutriggerError(code, `${message}, as ${sample.path} shows`, details));
}

const VALUE_FAULT = /^Cannot use (?<value>values\.\S+) in .*?: (?:an API server rejects .*?: )?\S+ (?<reason>.*)/;

/** Faults of the pod's author, which are faults of the sample here. */
const SAMPLE_FAULTS: ReadonlySet<OutriggerError["code"]> = new Set([
  "annotation-invalid",
  "template-unknown",
  "pod-invalid",
]);

function warn(report: Report, finding: Omit<TreeFinding, "severity">): void {
  const key = `${finding.path} ${finding.line} ${finding.column} ${finding.message}`;
  report.warnings.set(key, { severity: "warning", ...finding });
}

/** A sample that an API server rejects by itself is not the templates' fault. */
function reportOwnFaults({ path, text, pod }: Sample, report: Report): void {
  for (const { path: field, steps, message } of ownViolations(pod)) {
    const reason = `the sample itself is a pod that an API server rejects: ${field} ${message}`;
    warn(report, { path, ...locateYaml(text, steps, "value"), message: reason });
  }
}

function tryOwnChoice(sample: Sample, { injector, spare }: Trial, report: Report): void {
  const tried = inject(injector, sample.pod, report.trial);
  for (const rendered of tried.renderings) noteTags(rendered, report);
  if (tried.error !== undefined) reportError(report, tried.error, sample);
  for (const error of tried.faults) reportError(report, error, sample);
  if (tried.result?.injected !== true) return;
  for (const fault of rejections(tried, tried.result.pod, sample.pod, report)) {
    reportError(report, injectedError(fault, tried, report.trial), sample);
  }
  warnOfChange(spare, sample, tried.result, report);
}

/**
 * Why an API server rejects the injected pod. A config with `compatibility: reference` asks for the reference's pods, those
 * that an API server rejects included: then these are warnings.
 */
function rejections(tried: Tried, pod: Pod, sample: Pod, report: Report): readonly InjectedFault[] {
  const faults = injectedFaults(pod, sample, tried.renderings);
  if (report.trial.injector.config.compatibility !== "reference") return faults;
  for (const fault of faults) {
    const { path = "", line, column, message } = injectedError(fault, tried, report.trial);
    warn(report, { path, ...defined({ line, column }), message });
  }
  return [];
}

/** One template, whatever the pods themselves or the config choose. */
function tryTemplate(willing: Injector, template: string, samples: readonly Sample[], report: Report): void {
  const refusals: (readonly [OutriggerError, Sample])[] = [];
  // A sample that did not choose the template need not fit it, as long as another sample does.
  const misfits: (readonly [OutriggerError, Sample])[] = [];
  for (const sample of samples) {
    const pod = askingPod(sample.pod, [template]);
    const tried = inject(willing, pod, report.trial);
    for (const rendered of tried.renderings) noteTags(rendered, report);
    for (const error of tried.faults) reportError(report, error, sample);
    if (tried.error !== undefined) {
      if (isRefusedValue(tried.error)) refusals.push([tried.error, sample]);
      else if (tried.error.code === "pod-invalid") misfits.push([tried.error, sample]);
      else reportError(report, tried.error, sample);
    }
    if (tried.result?.injected !== true) continue;
    const faults = rejections(tried, tried.result.pod, pod, report);
    const apart = faults.length === 0 ? faults : faultsTogether(willing, template, sample, faults, report.trial);
    for (const fault of apart) {
      const error = injectedError(fault, tried, report.trial);
      if (fault.from === undefined) misfits.push([error, sample]);
      else reportError(report, error, sample);
    }
    warnOfChange(willing, sample, tried.result, report);
  }
  const misfitting = new Set(misfits.map(([, sample]) => sample));
  if (misfitting.size === samples.length) for (const [error, sample] of misfits) reportError(report, error, sample);
  for (const [error, sample] of refusals) {
    if (refusals.length === samples.length) {
      reportError(report, error, sample);
      return;
    }
    const { path = "", line, column, message } = error;
    warn(report, { path, ...defined({ line, column }), message: `${message}, as ${sample.path} shows` });
  }
}

/** A template may extend the container of another: what is missing alone may be complete with the default templates. */
function faultsTogether(
  willing: Injector,
  template: string,
  { pod }: Sample,
  faults: readonly InjectedFault[],
  trial: Trial,
): readonly InjectedFault[] {
  const others = trial.injector.config.defaultTemplates.filter((name) => name !== template);
  if (others.length === 0) return faults;
  const together = inject(willing, askingPod(pod, [...others, template]), trial);
  if (together.result?.injected !== true) return faults;
  const remaining = new Set(injectedFaults(together.result.pod, pod, together.renderings).map(({ key }) => key));
  return faults.filter(({ key }) => remaining.has(key));
}

interface Tried {
  /** Undefined if the injection failed. */
  readonly result: InjectResult | undefined;
  readonly error: OutriggerError | undefined;
  /** What is wrong with the overlays themselves. */
  readonly faults: readonly OutriggerError[];
  readonly renderings: readonly Rendering[];
}

/** Injects a pod and keeps what was rendered on the way. Overlays with faults are not merged. */
function inject(injector: Injector, pod: Pod, trial: Trial, isChecked = true): Tried {
  const { templates } = injector;
  const renderings: Rendering[] = [];
  const faults: OutriggerError[] = [];
  const render: Injector["templates"]["render"] = (name, data) => {
    const rendered = rendering(trial.release.templates, name, data, templates.render(name, data));
    renderings.push(rendered);
    const found = isChecked ? renderingErrors(rendered, trial) : [];
    faults.push(...found);
    if (found[0] !== undefined) throw found[0];
    return rendered.overlay;
  };
  try {
    const listening = { ...injector, templates: { ...templates, render } };
    const result = injectPod(listening, { pod, namespace: "default", parameters: {}, isTrial: true });
    return { result, error: undefined, faults, renderings };
  } catch (cause) {
    if (!(cause instanceof OutriggerError)) throw cause;
    const isKnown = faults.some((fault) => fault === cause || fault.message === cause.message);
    return { result: undefined, error: isKnown ? undefined : treeError(cause), faults, renderings };
  }
}

/** Names a template by its path in the tree. */
function treeError(cause: OutriggerError): OutriggerError {
  const { code, message, path, line, column } = cause;
  const isTemplate = code === "template-render" && path !== undefined;
  return new OutriggerError(code, message, {
    ...defined({ path: isTemplate ? treePath(path) : path, line, column }),
    cause,
  });
}

function renderingErrors(rendered: Rendering, { release, values }: Trial): readonly OutriggerError[] {
  const empty = rendered
    .inspect()
    .emptyFields()
    .filter(({ steps }) => typeof steps.at(-1) === "number" || AUTHORS_LISTS.includes(steps.join(".")))
    .map(({ steps, place }) => {
      const { source, line, column } = place;
      const field = steps.reduce<FieldPath | undefined>((parent, step) => ({ parent, step }), undefined);
      const key = String(steps.at(-1));
      const fix =
        typeof steps.at(-1) === "number" ? "remove the item" : `put "${key}:" inside the #if or #each below it`;
      const message = `Cannot use ${describeTemplate(source)}: ${formatFieldPath(field)} is empty: ${fix} (line ${line}, column ${column})`;
      return new OutriggerError("overlay-invalid", message, { path: treePath(source), line, column });
    });
  const faults = overlayFaults(rendered.overlay).map(({ steps, part, isValueFault = false, reason }) => {
    const { path, line, column, value, source } = authorOf(
      rendered,
      { steps, part, isValueFault },
      {
        compiled: release.templates,
        values,
      },
    );
    const subject = value === undefined ? describeTemplate(source) : `${value} in ${describeTemplate(source)}`;
    const message = `Cannot use ${subject}: ${reason} (line ${line}, column ${column})`;
    return new OutriggerError("overlay-invalid", message, { path, line, column });
  });
  return [...empty, ...faults];
}

function injectedError(
  { from, steps, reason }: InjectedFault,
  tried: Tried,
  { release, values }: Trial,
): OutriggerError {
  const names = tried.renderings.map(({ name }) => describeTemplate(name)).join(" and ");
  if (from === undefined) {
    const [first] = tried.renderings;
    const message = `Cannot use ${names}: an API server rejects the injected pod: ${reason}`;
    return new OutriggerError("overlay-invalid", message, defined({ path: first && treePath(first.name) }));
  }
  const { path, line, column, value, source } = authorOf(
    from,
    { steps, part: "value", isValueFault: true },
    { compiled: release.templates, values },
  );
  const subject = value === undefined ? describeTemplate(source) : `${value} in ${describeTemplate(source)}`;
  const message = `Cannot use ${subject}: an API server rejects the injected pod: ${reason} (line ${line}, column ${column})`;
  return new OutriggerError("overlay-invalid", message, { path, line, column });
}

/** Of all template errors only this one depends on the pod: its position is in the error that caused it. */
function isRefusedValue({ cause }: OutriggerError): boolean {
  return cause instanceof OutriggerError && cause.code === "template-render" && cause.cause !== undefined;
}

function willingConfig({ config }: Injector): Injector["config"] {
  return { ...config, policy: "enabled", aliases: {}, neverInjectSelector: [], alwaysInjectSelector: [] };
}

function askingPod({ metadata, spec, ...rest }: Pod, templates: readonly string[]): Pod {
  return {
    ...rest,
    metadata: {
      ...metadata,
      namespace: "default",
      labels: { ...metadata?.labels, [labelKeys.inject]: "true" },
      annotations: { ...metadata?.annotations, [annotationKeys.templates]: templates.join(",") },
    },
    spec: { containers: [], ...spec, hostNetwork: false },
  };
}

type Injected = Extract<InjectResult, { injected: true }>;

function warnOfChange(injector: Injector, sample: Sample, result: Injected, report: Report): void {
  const templates = result.templates.map(describeTemplate).join(" and ");
  const subject = `Injecting ${sample.path} with ${templates} a second time`;
  const { result: again, error } = inject(injector, result.pod, report.trial, false);
  if (error !== undefined) warn(report, { path: "", message: `${subject} fails: ${error.message}` });
  const [change] = again?.injected === true ? again.patch : [];
  if (change === undefined) return;
  const message = `${subject} changes ${change.path}: the template must not depend on what injection itself adds`;
  warn(report, { path: "", message });
}
