// `outrigger explain --lines`: the injected pod, with the line or step that wrote each of its lines.

import { OutriggerError } from "@outrigger/base";
import type { InjectRequest } from "@outrigger/injector";
import { traceInjection } from "@outrigger/injector";

type TracedInjector = Parameters<typeof traceInjection>[0];
type Origin = NonNullable<ReturnType<typeof traceInjection>>["lines"][number]["origin"];

/** A line of the injected pod. Neither `path` nor `step`: the author wrote it. */
export interface ExplainedLine {
  readonly text: string;
  /** Of the template or partial that wrote it, with its 1-based line. */
  readonly path?: string;
  readonly line?: number;
  /** The step of the injection that wrote it. */
  readonly step?: string;
}

/** Undefined for a pod that is not injected. */
export function explainLines(traced: TracedInjector, request: InjectRequest): readonly ExplainedLine[] | undefined {
  try {
    return traceInjection(traced, request)?.lines.map(({ text, origin }) => ({ text, ...fieldsOf(origin) }));
  } catch (error) {
    // The account says why the pod is refused.
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}

function fieldsOf(origin: Origin): Omit<ExplainedLine, "text"> {
  if (origin.kind === "template") return { path: origin.path, line: origin.line };
  return origin.kind === "step" ? { step: origin.step } : {};
}

/** As `git blame` prints: who wrote the line, then the line. */
export function formatLines(lines: readonly ExplainedLine[]): readonly string[] {
  const writers = lines.map(({ path, line, step }) => (path === undefined ? (step ?? "") : `${path}:${line}`));
  const width = Math.max(...writers.map(({ length }) => length));
  return lines.map(({ text }, at) => `${(writers[at] as string).padEnd(width)} | ${text}`);
}
