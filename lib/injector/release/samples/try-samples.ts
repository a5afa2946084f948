// Tries a release before it is published: every sample is injected with the templates that it chooses and with each
// template alone, and what comes out must be a pod that an API server accepts. The shapes that this makes stay with the
// injector; everything else is discarded.

import { defined, type JsonObject, jsonEqual, metadataKeys, OutriggerError, valueAt } from "@outrigger/base";
import { containersOf, type Pod, validatePod } from "@outrigger/pod";
import { type CompiledTemplates, type Finding, type Program, partialSource, statementsOf } from "@outrigger/template";
import { locateYaml } from "@outrigger/yaml";
import { podWarnings } from "../../check/pod-warnings.ts";
import { systemNamespaces } from "../../decide/decide.ts";
import { defaultName } from "../../decide/default-name.ts";
import type { DefaultTemplate, Injector, InjectResult } from "../../injection.ts";
import { blameDeletions, blameEntries, type FaultsWith } from "../blame/blame-deletion.ts";
import { authorOf, programsOf, type Rendering } from "../blame/blame-field.ts";
import { writerOf } from "../blame/writer-of.ts";
import { loadRelease, type Release } from "../load-release.ts";
import type { Sample } from "../read/read-tree.ts";
import type { Findings } from "../tree-finding.ts";
import { FAULT_LEAD, type InjectedFault, injectedFaults } from "./check-injected.ts";
import { trafficFaults } from "./check-traffic.ts";
import { soundTrials } from "./sound-trials.ts";
import {
  addTo,
  emptyReport,
  inject,
  injectedError,
  noteTags,
  type Report,
  reportError,
  type Trial,
  type Tried,
  warn,
  warnOfUnresolved,
} from "./try-injection.ts";
import { warnOfOrder, warnOfShared, warnOfSidecars, warnOfUnquoted } from "./warn-of-sidecars.ts";

/**
 * Injects the samples, with all templates or with those named only. A template that fails only on values that a sample did not choose for it is a warning, as long as
 * another sample can be injected with it.
 */
export function trySamples(trial: Trial, samples: readonly Sample[], only?: ReadonlySet<string>): Findings {
  const report = emptyReport(trial);
  for (const sample of samples) reportOwnFaults(sample, report);
  if (only === undefined) for (const sample of samples) tryOwnChoice(sample, report);
  const { config } = trial.spare;
  const anyPod = { policy: "enabled", aliases: {}, neverInjectSelector: [], alwaysInjectSelector: [] } as const;
  const willing: Injector = { ...trial.spare, config: { ...config, ...anyPod } };
  for (const template of willing.templates.names) {
    if (only?.has(template) !== false) tryTemplate(willing, template, samples, report);
  }
  warnOfUnresolved(report);
  return { errors: [...report.errors.values()], warnings: [...report.warnings.values()] };
}

/** Reports a sample that an API server rejects by itself. That is not the templates' fault. */
function reportOwnFaults({ path, text, pod }: Sample, report: Report): void {
  for (const { path: field, steps, message } of validatePod(pod, { isTemplate: true })) {
    const reason = `the sample itself is a pod that an API server rejects: ${field} ${message}`;
    warn(report, { path, ...locateYaml(text, steps, "value"), message: reason });
  }
  if (report.trial.own.has(path)) warnOfUnquoted(path, text, report);
}

function tryOwnChoice(sample: Sample, report: Report): void {
  const { injector } = report.trial;
  const tried = inject(injector, sample.pod, report.trial);
  if (tried.error !== undefined) reportError(report, tried.error, sample);
  reportRenderings(tried, sample, report);
  if (tried.result !== undefined) warnOfAuthor(sample, tried.result, report);
  if (tried.result?.injected !== true) return;
  for (const fault of rejections(injector, tried, tried.result.pod, sample.pod, report)) {
    reportError(report, injectedError(fault, tried, report.trial), sample);
  }
  warnOfTraffic(tried, tried.result.pod, report);
  warnOfSidecars(tried, tried.result.pod, report);
  warnOfShared(tried, report);
  warnOfOrder(tried, report);
}

function reportRenderings({ renderings, faults }: Tried, sample: Sample, report: Report): void {
  for (const rendered of renderings) noteTags(rendered, report);
  for (const error of faults) reportError(report, error, sample);
}

/**
 * Adds the warnings that a review would contain. In a sample of the layers below, only the tree's own templates can be
 * what is wrong.
 */
function warnOfAuthor({ path, pod }: Sample, result: InjectResult, report: Report): void {
  const isOwn = report.trial.own.has(path);
  for (const warning of podWarnings(report.trial.release)(pod, result)) {
    warn(report, isOwn ? { path, message: warning } : { path: "", message: `${warning}, as ${path} shows` });
  }
}

function warnOfTraffic({ renderings }: Tried, pod: Pod, report: Report): void {
  for (const { steps, message } of trafficFaults(pod)) {
    const [from, written] = writerOf({ steps }, pod, renderings);
    const field = { steps: written ?? steps, part: "value", isValueFault: true } as const;
    const author = from && authorOf(from, field, report.trial);
    warnOf({ ...author, message }, "", report);
  }
}

/**
 * Returns why an API server rejects the injected pod. A config with `compatibility: reference` asks for the reference's
 * pods, including those that an API server rejects: then these are warnings.
 */
function rejections(injector: Injector, tried: Tried, pod: Pod, sample: Pod, report: Report): readonly InjectedFault[] {
  const faultsWith: FaultsWith<Rendering> = (name, overlay) => {
    const edit = (each: string, own: JsonObject) => (each === name ? overlay : own);
    const again = inject(injector, sample, report.trial, edit);
    return again.result?.injected === true ? injectedFaults(again.result.pod, sample, again.renderings) : undefined;
  };
  const { renderings } = tried;
  const found = injectedFaults(pod, sample, renderings).filter((fault) => isUsed(fault, report.trial));
  if (found.length === 0) return found;
  const blamed = blameDeletions(found, renderings, faultsWith);
  const faults = blameEntries(blamed, renderings, faultsWith);
  if (report.trial.injector.config.compatibility !== "reference") return faults;
  for (const fault of faults) warnOf(injectedError(fault, tried, report.trial), "", report);
  return [];
}

/** A shipped template that the config does not choose need not have the values of which its image and arguments are made. */
function isUsed({ isUnread, from }: InjectedFault, { own, release: { config } }: Trial): boolean {
  if (isUnread === undefined || from === undefined || own.has(`templates/${from.name}`)) return true;
  return config.defaultTemplates
    .map(defaultName)
    .flatMap((name) => config.aliases[name] ?? name)
    .includes(from.name);
}

/** Tries one template, whatever the pods themselves or the config choose. */
function tryTemplate(willing: Injector, template: string, samples: readonly Sample[], report: Report): void {
  const known = soundTrials(willing, report.trial.release, template);
  const alone = samples.flatMap((sample) => {
    const before = known.get(sample);
    const tried = before === undefined ? tryAlone(willing, template, sample, report.trial) : undefined;
    addTo(report, before ?? (tried as Alone).found);
    if (tried?.isSound) known.keep(sample, tried.found);
    return tried === undefined ? [] : [[tried, sample] as const];
  });
  // A sample that did not choose the template need not fit it, as long as another sample does.
  const misfitting = alone.filter(([{ misfits }]) => misfits.length > 0);
  if (misfitting.length === samples.length)
    for (const [{ misfits }, sample] of misfitting) for (const error of misfits) reportError(report, error, sample);
  const refused = alone.filter(([{ refusal }]) => refusal !== undefined);
  for (const [{ refusal }, sample] of refused) {
    const error = refusal as OutriggerError;
    if (refused.length < samples.length) warnOf(error, `, as ${sample.path} shows`, report);
    else if (sample === samples[0]) reportError(report, error, sample);
  }
}

/** What comes of one template with one sample. */
interface Alone {
  readonly found: Report;
  /** What counts only where no sample fits the template. */
  readonly misfits: readonly OutriggerError[];
  /** A helper's, of a value. */
  readonly refusal?: OutriggerError;
  readonly isSound?: boolean;
}

function tryAlone(willing: Injector, template: string, sample: Sample, trial: Trial): Alone {
  const found = emptyReport(trial);
  const misfits: OutriggerError[] = [];
  const pod = askingPod(willing, sample.pod, [template]);
  const tried = inject(willing, pod, trial);
  reportRenderings(tried, sample, found);
  const { error, result } = tried;
  if (error !== undefined) {
    if (isRefusedValue(error)) return { found, misfits, refusal: error };
    if (error.code === "pod-invalid") misfits.push(error);
    else reportError(found, error, sample);
  }
  if (result?.injected !== true) return { found, misfits };
  warnOfSidecars(tried, result.pod, found);
  const faults = rejections(willing, tried, result.pod, pod, found);
  const apart = faults.length === 0 ? faults : faultsTogether(willing, template, sample, faults, trial);
  for (const fault of apart) {
    const rejected = injectedError(fault, tried, trial);
    if (fault.from === undefined || isNameOfAuthors(fault, sample.pod)) misfits.push(rejected);
    else reportError(found, rejected, sample);
  }
  const isSound = faults.length === 0 && found.errors.size === 0 && found.warnings.size === 0;
  return { found, misfits, isSound };
}

type Warned = Pick<OutriggerError, "message"> & Partial<Pick<OutriggerError, "path" | "line" | "column">>;

/** Whether a template gives a container the name of one of the pod's author, who did not choose that template. */
function isNameOfAuthors({ code, from, steps }: InjectedFault, { spec }: Pod): boolean {
  const written = from && valueAt(from.overlay, steps);
  return code === "duplicate" && steps.at(-1) === "name" && containersOf(spec).some(({ name }) => name === written);
}

function warnOf({ path = "", line, column, message }: Warned, more: string, report: Report): void {
  warn(report, { path, ...defined({ line, column }), message: message + more });
}

/**
 * Returns the faults that remain with the default templates. A template may extend the container of another, so what is
 * missing alone may be complete with them.
 */
function faultsTogether(
  willing: Injector,
  template: string,
  { pod }: Sample,
  faults: readonly InjectedFault[],
  trial: Trial,
): readonly InjectedFault[] {
  const others = companionsOf(template, trial.injector.config);
  if (others.length === 0) return faults;
  // Rewritten probes would hide what is wrong with those that a template adds. The pods' authors can switch that off.
  const asking = askingPod(willing, pod, [...others, template], { [metadataKeys.rewriteProbes]: "false" });
  const together = inject(willing, asking, trial);
  if (together.result?.injected !== true) return faults;
  const remaining = new Set(injectedFaults(together.result.pod, asking, together.renderings).map(({ key }) => key));
  return faults.filter(({ key }) => remaining.has(key));
}

/** The other default templates that each pod gets which gets this one. */
function companionsOf(template: string, { defaultTemplates }: Injector["config"]): readonly string[] {
  const own = defaultTemplates.filter((each) => defaultName(each) === template);
  const isAlways = (each: DefaultTemplate) =>
    typeof each === "string" || (own.length === 1 && typeof own[0] === "object" && jsonEqual(own[0].match, each.match));
  return defaultTemplates
    .filter(isAlways)
    .map(defaultName)
    .filter((name) => name !== template);
}

/**
 * Whether a helper refused a value. Of all template errors, only this one depends on the pod: its position is in the
 * error that caused it.
 */
function isRefusedValue({ cause }: OutriggerError): boolean {
  return cause instanceof OutriggerError && cause.code === "template-render" && cause.cause !== undefined;
}

function askingPod({ keys }: Injector, { metadata, spec, ...rest }: Pod, templates: readonly string[], more = {}): Pod {
  const { namespace = "" } = metadata ?? {};
  return {
    ...rest,
    metadata: {
      ...metadata,
      // In a namespace of the system no pod is injected, whatever it asks for.
      namespace: systemNamespaces.has(namespace) ? "default" : namespace,
      labels: { ...metadata?.labels, [keys.inject]: "true" },
      annotations: { ...metadata?.annotations, [keys.templates]: templates.join(","), ...more },
    },
    spec: { containers: [], ...spec, hostNetwork: false },
  };
}

/** A tree with errors. Its release is compiled without the templates and partials that have them. */
interface BrokenTree extends Pick<Trial, "release" | "values" | "own"> {
  readonly findings: readonly Finding[];
  readonly samples: readonly Sample[];
  /** Whether the tree has an error elsewhere, as in the values, which would show again in what the templates render. */
  readonly isElsewhere: boolean;
}

/** Tries the tree's own templates that neither have an error nor use a partial that has one. */
export function tryIntact({ release, findings, samples, values, own, isElsewhere }: BrokenTree): Findings {
  const { templates, partials } = release.templates;
  const faulty = findings.flatMap(({ severity, template }) => (severity === "error" ? [template] : []));
  const broken = withUsers(new Set(faulty), release.templates);
  const intact = new Set(Object.keys(templates).filter((name) => !broken.has(name)));
  const names = new Set([...intact].filter((name) => own.has(`templates/${name}`)));
  if (names.size === 0) return { errors: [], warnings: [] };
  const { defaultTemplates, ...config } = release.config;
  const rest: Release = {
    ...release,
    config: {
      ...config,
      defaultTemplates: defaultTemplates.filter((each) => intact.has(defaultName(each))),
      aliases: {},
    },
    templates: {
      ...release.templates,
      templates: Object.fromEntries(Object.entries(templates).filter(([name]) => intact.has(name))),
      partials: Object.fromEntries(Object.entries(partials).filter(([name]) => !broken.has(partialSource(name)))),
    },
  };
  const injector = loadRelease(rest);
  const trial = { release: rest, injector, spare: injector, values, own };
  const { errors, warnings } = trySamples(trial, samples, names);
  const inRendering = errors.filter(({ code }) => code === "template-render");
  // What a template writes is wrong, whatever the values are.
  if (isElsewhere) return { errors: inRendering.filter((error) => !isRefusedValue(error)), warnings: [] };
  // A broken default template may complete what another one writes.
  const isWhole = defaultTemplates.every((each) => intact.has(defaultName(each)));
  const isSound = ({ code, message }: OutriggerError) =>
    code === "overlay-invalid" && (isWhole || !new RegExp(FAULT_LEAD).test(message));
  return { errors: errors.filter((error) => inRendering.includes(error) || isSound(error)), warnings };
}

/** The broken sources, and those that use a broken partial, however indirectly. */
function withUsers(broken: ReadonlySet<string>, compiled: CompiledTemplates): ReadonlySet<string> {
  const usesAny = (program: Program) =>
    statementsOf(program).some((each) => each.kind === "partial" && broken.has(partialSource(each.name)));
  const users = programsOf(compiled).filter(([source, program]) => !broken.has(source) && usesAny(program));
  if (users.length === 0) return broken;
  return withUsers(new Set([...broken, ...users.map(([source]) => source)]), compiled);
}
