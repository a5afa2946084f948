// What lint knows at one point of a template, and where it records findings. Contains no rule.

import type { Program } from "../compiled-templates.ts";
import type { Finding, FindingCode } from "../finding.ts";
import type { HelperArgument } from "../helpers/helper-arguments.ts";

/** The names that a context has; undefined when it could have any. */
export type KnownNames = ReadonlySet<string> | undefined;

export interface LintScope {
  readonly source: string;
  /** Innermost first. */
  readonly contexts: readonly KnownNames[];
  readonly parameters: ReadonlySet<string>;
  /** Block parameters around an inline partial, which do not reach into it. */
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

/** Shared by all templates of one run. */
export interface Lint {
  readonly partials: ReadonlyMap<string, Program>;
  readonly helpers: ReadonlyMap<string, readonly HelperArgument[]>;
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
  [line, column]: LineAndColumn,
  message: string,
  severity: Finding["severity"] = "error",
): void {
  const key = `${source}\n${line}\n${column}\n${code}`;
  if (!lint.findings.has(key)) lint.findings.set(key, { code, severity, template: source, line, column, message });
}

export type LineAndColumn = readonly [line: number, column: number];
