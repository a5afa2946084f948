// An injected pod with its provenance: who wrote each of its nodes, and each line of its YAML, which an editor shows next to it.

import { type FieldPath, type JsonObject, type JsonValue, lineIndex, valueAt } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { type CompiledTemplates, inspectOverlay, type TemplateSet } from "@outrigger/template";
import { formatYaml, type LocatedNode, readYamlTree } from "@outrigger/yaml";
import { injectPod, renderInjection, withStoredForm } from "../inject-pod.ts";
import type { InjectionStep, Injector, InjectRequest, RenderedInjection } from "../injection.ts";
import { treePath } from "../release/source-tree.ts";
import { injectionHelpers } from "../render/injection-helpers.ts";
import { namespaceOf } from "../render/template-data.ts";
import { injectionSteps, namedSteps, type StepName } from "../steps/injection-steps.ts";
import { type Before, carryOrigins, type Origins } from "./carry-origins.ts";
import { createMarks, type Marks, markPod, type Origin } from "./marks.ts";

interface Trace {
  /** The origins of every node, in the form of the pod. */
  readonly origins: Origins;
  /** The pod as YAML, without line breaks. */
  readonly lines: readonly { readonly text: string; readonly origin: Origin }[];
}

/**
 * Injects a pod and finds out who wrote each part of it; undefined for a pod that is not injected.
 *
 * @param traced a loaded release, with the `templates` of the release that it was loaded from
 * @throws OutriggerError as `injectPod` does
 */
export function traceInjection(traced: TracedInjector, request: InjectRequest): Trace | undefined {
  const result = injectPod(traced.injector, request);
  if (!result.injected) return undefined;
  const origins = podOrigins(traced, request);
  return { origins, lines: podLines(result.pod as JsonObject, origins) };
}

/** A line belongs to the innermost node that begins on it: with `- name: web`, to the name. */
function podLines(pod: JsonValue, origins: Origins): Trace["lines"] {
  const text = formatYaml(pod);
  const lines = text.replace(/\n$/, "").split("\n");
  const found = new Array<Origin>(lines.length).fill(origins.own);
  const at = lineIndex(text);
  credit(readYamlTree(text), origins);
  return lines.map((line, index) => ({ text: line, origin: found[index] as Origin }));

  function credit(node: LocatedNode, known: Origins): void {
    for (const { step, keyOffset, node: child } of node.children) {
      const inner = known.children.get(step) ?? known;
      const end = child.children.length === 0 ? Math.max(keyOffset, (child.source?.end ?? 0) - 1) : keyOffset;
      found.fill(inner.own, at(keyOffset).line - 1, at(end).line);
      credit(child, inner);
    }
  }
}

const POD: Origin = { kind: "pod" };

/** A release that is loaded, with the compiled templates that it was loaded from. */
export interface TracedInjector {
  readonly injector: Injector;
  readonly compiled: CompiledTemplates;
}

/** The steps that only move and merge what templates wrote, without reading it: marks pass through them. */
const CARRY_MARKS: readonly StepName[] = ["template-merge", "container-overrides", "cluster-environment"];

/** The origins of the pod that `injectPod` makes of a request, which must be one that it injects. */
function podOrigins({ injector, compiled }: TracedInjector, request: InjectRequest): Origins {
  const marks = createMarks();
  const namespace = namespaceOf(request);
  const { rendered } = renderInjection(injector, request, namespace);
  const templates = markedTemplates(injector.templates, compiled, marks);
  const marked = renderInjection({ ...injector, templates }, request, namespace).rendered;
  const author: Before = {
    value: rendered.pod as JsonObject,
    origins: carryOrigins(undefined, rendered.pod as JsonObject, undefined, POD, marks),
  };
  const onMarks: RenderedInjection = { ...marked, pod: withMarks(author, marks) as Pod };
  const all = Object.entries(namedSteps) as readonly (readonly [StepName, InjectionStep])[];
  const used = injectionSteps(injector);
  const steps = all.filter(([, step]) => used.includes(step));
  const processed = steps.reduce((before: Before, [name, step]): Before => {
    const after = step.apply(before.value as Pod, rendered) as JsonObject;
    const markedAfter = CARRY_MARKS.includes(name)
      ? (step.apply(withMarks(before, marks) as Pod, onMarks) as JsonObject)
      : undefined;
    return { value: after, origins: carryOrigins(before, after, markedAfter, { kind: "step", step: name }, marks) };
  }, author);
  const stored = withStoredForm(processed.value as Pod, rendered) as JsonObject;
  return carryOrigins(processed, stored, undefined, POD, marks);
}

function markedTemplates(templates: TemplateSet, compiled: CompiledTemplates, marks: Marks): TemplateSet {
  const render: TemplateSet["render"] = (name, data) => {
    const { locate } = inspectOverlay({ compiled, helpers: injectionHelpers, name, data });
    return markPod(templates.render(name, data), marks, (steps, part) => {
      const { source, line, column } = locate(steps, part);
      return { kind: "template", path: treePath(source), line, column };
    });
  };
  return { ...templates, render };
}

/**
 * Returns the pod with marks, for steps that carry them. Such steps still read the author's annotations, and the image
 * that asks for the injected one, so these have no mark.
 */
function withMarks({ value, origins }: Before, marks: Marks): JsonObject {
  return markPod(value as JsonObject, marks, (steps) => {
    const own = originAt(origins, steps);
    const isRead = steps[1] === "annotations" || (steps.at(-1) === "image" && valueAt(value, steps) === "auto");
    return isRead && own?.kind === "pod" ? undefined : own;
  });
}

function originAt(origins: Origins, steps: FieldPath): Origin | undefined {
  return steps.reduce<Origins | undefined>((node, step) => node?.children.get(step), origins)?.own;
}
