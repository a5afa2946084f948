// What lint knows at one point of a template, and how it records a finding there.

import { type PathExpression, type Program, TEMPLATE_ROOTS } from "../compiled-templates.ts";
import type { Finding, FindingCode } from "../finding.ts";
import type { Helper } from "../helpers/helper.ts";

/** Roots of the template data are visible everywhere. */
export const ROOTS: ReadonlySet<string> = new Set(TEMPLATE_ROOTS);

/** The names that a context has; undefined when it could have any. */
export type KnownNames = ReadonlySet<string> | undefined;

export interface LintScope {
  readonly source: string;
  /** The names of each context, the innermost first. */
  readonly contexts: readonly KnownNames[];
  readonly parameters: ReadonlySet<string>;
  /** The block parameters around an inline partial: they do not reach into it. */
  readonly unreachable: ReadonlySet<string>;
  readonly loops: number;
  readonly inlines: ReadonlyMap<string, InlinePartial>;
  /** The partials being linted, outermost first. */
  readonly stack: readonly Program[];
}

export interface InlinePartial {
  readonly program: Program;
  readonly source: string;
  readonly parameters: ReadonlySet<string>;
}

/** The state that all templates of one run share. */
export interface Lint {
  readonly partials: ReadonlyMap<string, Program>;
  /** The helpers in the order of their names: of two that are equally near, a suggestion has the first. */
  readonly helpers: ReadonlyMap<string, Helper>;
  /** The names of all arguments that any call passes to a partial: an argument may be optional. */
  readonly passed: ReadonlyMap<string, ReadonlySet<string>>;
  readonly findings: Map<string, Finding>;
  /** Partials that a template calls. */
  readonly seen: Set<string>;
  /** Partials that have been linted with the template data as their context, and the calls in them: another call shows nothing new. */
  readonly plain: Map<Program, number>;
  calls: number;
}

/** Records a finding once per position and code, however many templates call the partial. */
export function report(
  lint: Lint,
  { source }: LintScope,
  code: FindingCode,
  { line = 1, column = 1 }: Pick<PathExpression, "line" | "column">,
  message: string,
  severity: Finding["severity"] = "error",
): void {
  const key = `${source}\n${line}\n${column}\n${code}`;
  if (!lint.findings.has(key)) lint.findings.set(key, { code, severity, template: source, line, column, message });
}
