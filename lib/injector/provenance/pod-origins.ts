// The origin of every node of an injected pod. Runs the pipeline's own steps a second time,
// on marks instead of values. Nothing of this runs for an injection that nobody asks about.

import type { JsonObject } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import type { CompiledTemplates, TemplateSet } from "@outrigger/template";
import { inspectOverlay } from "@outrigger/template";
import { renderInjection, withStoredForm } from "../inject-pod.ts";
import type { InjectRequest } from "../inject-request.ts";
import type { RenderedInjection } from "../injection.ts";
import type { Injector } from "../injector.ts";
import { treePath } from "../release/source-tree.ts";
import { namespaceOf } from "../render/template-data.ts";
import { injectionHelpers } from "../render/template-helpers.ts";
import { injectionSteps } from "../steps/injection-steps.ts";
import { type Before, carryOrigins } from "./carry-origins.ts";
import { createMarks, type Marks, markPod } from "./marks.ts";
import { type Origins, POD } from "./origin.ts";
import { type NamedStep, stepNames } from "./step-names.ts";

/** A release that is loaded, with the compiled templates that it was loaded from. */
export interface TracedInjector {
  readonly injector: Injector;
  readonly compiled: CompiledTemplates;
}

/**
 * The origins of the pod that `injectPod` makes of a request, which must be one that it injects.
 *
 * @throws OutriggerError as `injectPod` does
 */
export function podOrigins({ injector, compiled }: TracedInjector, request: InjectRequest): Origins {
  const marks = createMarks();
  const namespace = namespaceOf(request);
  const { rendered } = renderInjection(injector, request, namespace);
  const templates = markedTemplates(injector.templates, compiled, marks);
  const marked = renderInjection({ ...injector, templates }, request, namespace).rendered;
  const author: Before = { value: rendered.pod as JsonObject, origins: authorOrigins(rendered.pod, marks) };
  const onMarks: RenderedInjection = { ...marked, pod: withMarks(author, marks) as Pod };
  const processed = injectionSteps.reduce((before: Before, step): Before => {
    const { name, carriesMarks } = stepNames.get(step) as NamedStep;
    const after = step.apply(before.value as Pod, rendered) as JsonObject;
    const markedAfter = carriesMarks ? (step.apply(withMarks(before, marks) as Pod, onMarks) as JsonObject) : undefined;
    const origins = carryOrigins(before, after, markedAfter, { step: { kind: "step", step: name }, marks });
    return { value: after, origins };
  }, author);
  const stored = withStoredForm(processed.value as Pod, rendered) as JsonObject;
  return carryOrigins(processed, stored, undefined, { step: POD, marks });
}

/** Renders what the templates render, with the marks of their lines. */
function markedTemplates(templates: TemplateSet, compiled: CompiledTemplates, marks: Marks): TemplateSet {
  return {
    ...templates,
    render(name, data) {
      const { locate } = inspectOverlay({ compiled, helpers: injectionHelpers, name, data });
      return markPod(templates.render(name, data), {
        marks,
        originOf(steps, part) {
          const { source, line, column } = locate(steps, part);
          return { kind: "template", path: treePath(source), line, column };
        },
      });
    },
  };
}

function authorOrigins(pod: Pod, marks: Marks): Origins {
  return carryOrigins(undefined, pod as JsonObject, undefined, { step: POD, marks });
}

/** Steps that carry marks still read the author's annotations, and the image that asks for the injected one. */
function withMarks({ value, origins }: Before, marks: Marks): JsonObject {
  return markPod(value as JsonObject, {
    marks,
    originOf(steps) {
      let node: Origins | undefined = origins;
      let parent: unknown = value;
      let last: unknown = value;
      for (const step of steps) {
        node = node?.children.get(step);
        parent = last;
        last = (parent as Readonly<Record<string | number, unknown>>)[step];
      }
      const isRead = steps[1] === "annotations" || (steps.at(-1) === "image" && last === "auto");
      return isRead && node?.own.kind === "pod" ? undefined : node?.own;
    },
  });
}
