// Tries a release before anything is served with it: every sample is injected as its own choice has it and with each
// template alone, each time twice. What comes of it is thrown away; the shapes that were made on the way stay with the
// injector.

import { OutriggerError } from "../errors.ts";
import { injectPod } from "../inject/inject-pod.ts";
import type { Injector, InjectResult } from "../inject/injector.ts";
import { annotationKeys, labelKeys } from "../inject/keys.ts";
import { injectionHelpers } from "../inject/template-helpers.ts";
import type { Pod } from "../kube/pod-types.ts";
import { describeTemplate } from "../template/finding.ts";
import type { TemplateData, TemplateSet } from "../template/load-templates.ts";
import { locateField } from "../template/locate-field.ts";
import { type OverlayFault, overlayFault } from "./check-overlay.ts";
import type { Release } from "./release.ts";

export interface Sample {
  /** Its path in the source tree. */
  readonly path: string;
  readonly pod: Pod;
}

export interface Tried {
  readonly release: Release;
  /** Injects the samples as they are: it keeps the shapes that pods like them will need. */
  readonly injector: Injector;
  /** Injects everything else: it may keep what it likes. */
  readonly spare: Injector;
}

/**
 * Injects the samples. A template that cannot make anything of the values of a sample that did not ask for it is passed
 * over with a warning, as long as another sample can be injected with it.
 *
 * @returns warnings
 * @throws OutriggerError with the place in the template or the sample, and the sample's path in the message
 */
export function trySamples({ release, injector, spare }: Tried, samples: readonly Sample[]): readonly string[] {
  const first = checked(injector, release);
  const again = checked(spare, release);
  const warnings = samples.flatMap((sample) => {
    const result = tryToInject(first, sample, sample.pod);
    return result.injected ? warnOfChange(again, sample, result) : [];
  });
  const willing = checked({ ...spare, config: willingConfig(spare) }, release);
  return [...new Set([...warnings, ...willing.templates.names.flatMap((name) => tryTemplate(willing, name, samples))])];
}

/** The templates one by one, whatever the pods themselves or the config say. */
function tryTemplate(willing: Injector, template: string, samples: readonly Sample[]): readonly string[] {
  const refusals: OutriggerError[] = [];
  const warnings: string[] = [];
  for (const sample of samples) {
    try {
      const result = tryToInject(willing, sample, askingPod(sample.pod, template));
      if (result.injected) warnings.push(...warnOfChange(willing, sample, result));
    } catch (error) {
      if (!isRefusedValue(error)) throw error;
      refusals.push(error);
    }
  }
  const [refusal] = refusals;
  if (refusal !== undefined && refusals.length === samples.length) throw refusal;
  return [...warnings, ...refusals.map(({ message }) => message)];
}

/** Of all that is wrong with a template only this depends on the pod: its place is in the error that caused it. */
function isRefusedValue(error: unknown): error is OutriggerError {
  const cause = error instanceof OutriggerError ? error.cause : undefined;
  return cause instanceof OutriggerError && cause.code === "template-render" && cause.cause !== undefined;
}

function willingConfig({ config }: Injector): Injector["config"] {
  return { ...config, policy: "enabled", aliases: {}, neverInjectSelector: [], alwaysInjectSelector: [] };
}

function askingPod({ metadata, spec, ...rest }: Pod, template: string): Pod {
  return {
    ...rest,
    metadata: {
      ...metadata,
      namespace: "default",
      labels: { ...metadata?.labels, [labelKeys.inject]: "true" },
      annotations: { ...metadata?.annotations, [annotationKeys.templates]: template },
    },
    spec: { containers: [], ...spec, hostNetwork: false },
  };
}

function tryToInject(injector: Injector, { path }: Sample, pod: Pod): InjectResult {
  try {
    return injectPod(injector, { pod, namespace: "default", parameters: {} });
  } catch (cause) {
    if (!(cause instanceof OutriggerError)) throw cause;
    throw sampleError(cause, path);
  }
}

/** What would be the pod's author's fault is here that of the sample, which stands in the tree like all else. */
function sampleError(cause: OutriggerError, path: string): OutriggerError {
  const { code, message, line, column } = cause;
  if (code === "annotation-invalid" || code === "template-unknown" || code === "pod-invalid") {
    return new OutriggerError("tree-invalid", `Cannot use ${path}: ${message}`, { path, cause });
  }
  if (code === "config-invalid") return cause;
  const place = { ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
  const where = code === "template-render" && cause.path !== undefined ? treePath(cause.path) : (cause.path ?? path);
  return new OutriggerError(code, `${message}, as ${path} shows`, { path: where, ...place, cause });
}

function warnOfChange(
  injector: Injector,
  sample: Sample,
  result: Extract<InjectResult, { injected: true }>,
): readonly string[] {
  const templates = result.templates.map(describeTemplate).join(" and ");
  const warning = `Injecting ${sample.path} with ${templates} a second time`;
  try {
    const again = tryToInject(injector, sample, result.pod);
    const [change] = again.injected ? again.patch : [];
    if (change === undefined) return [];
    return [`${warning} changes ${change.path}: let the template not depend on what injecting itself adds`];
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    return [`${warning} fails: ${error.message}`];
  }
}

/** The injector with overlays that are checked as they are rendered, while their template is known. */
function checked(injector: Injector, release: Release): Injector {
  const { templates } = injector;
  const render: TemplateSet["render"] = (name, data) => {
    const overlay = templates.render(name, data);
    const fault = overlayFault(overlay);
    if (fault !== undefined) throw faultError(fault, name, data, release);
    return overlay;
  };
  return { ...injector, templates: { ...templates, render } };
}

function faultError(
  { steps, part, reason }: OverlayFault,
  name: string,
  data: TemplateData,
  release: Release,
): OutriggerError {
  const query = { compiled: release.templates, helpers: injectionHelpers, name, data, steps, part };
  const { source, line, column } = locateField(query);
  return new OutriggerError(
    "overlay-invalid",
    `Cannot use ${describeTemplate(source)}: ${reason} (line ${line}, column ${column})`,
    { path: treePath(source), line, column },
  );
}

/** Templates go by their name alone, partials by their path. */
function treePath(source: string): string {
  return source.startsWith("partials/") ? source : `templates/${source}`;
}
