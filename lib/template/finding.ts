// A finding of lint about a template: a stable code, the position and how to fix it. Knows nothing of how it is found.

import { OutriggerError } from "@outrigger/base";

type SyntaxCode = "syntax" | "go-syntax" | "raw-output" | "decorator" | "partial-block";
type PartialCode = "dynamic-partial" | "recursive-partial" | "missing-partial" | "too-many-partials";
type HelperCode = "unknown-helper" | "refused-helper" | "needless-helper" | "helper-arguments" | "bad-pattern";
type BlockCode = "block-arguments" | "unknown-block" | "block-as-expression" | "block-parameter";
type NameCode = "unknown-name" | "unknown-variable" | "context-depth" | "unresolved-value";
export type FindingCode = SyntaxCode | PartialCode | HelperCode | BlockCode | NameCode;

/** A line and column of a template or partial. */
export interface TemplatePosition {
  /** Name of the template, or `partials/<name>`. */
  readonly source: string;
  /** The 1-based line; the column is 1-based too. */
  readonly line: number;
  readonly column: number;
}

/** What lint has found about a template, with its position and the fix. */
export interface Finding extends Omit<TemplatePosition, "source"> {
  readonly code: FindingCode;
  /** An error keeps the template from being published; a warning does not. */
  readonly severity: "error" | "warning";
  /** Name of the template, or `partials/<name>` for a partial. */
  readonly template: string;
  /** A sentence without a full stop that says what is wrong and how to fix it. */
  readonly message: string;
}

/** The error `template-invalid` for a finding: `Cannot compile template "sidecar": helper "foo" is not known (line 12, column 5)`. */
export function findingError({ template, line, column, message }: Finding): OutriggerError {
  return new OutriggerError(
    "template-invalid",
    `Cannot compile ${describeTemplate(template)}: ${message} (line ${line}, column ${column})`,
    { path: template.startsWith(PARTIAL_PREFIX) ? template : `templates/${template}`, line, column },
  );
}

/** What binding or a helper throws of a value: who calls adds the place. Never holds the value itself. */
export function fault(reason: string): OutriggerError {
  return new OutriggerError("template-render", reason);
}

/** The error `template-invalid` of a template that compiles, and cannot be loaded. */
export function loadError(source: string, reason: string, place?: { line: number; column: number }): OutriggerError {
  return new OutriggerError("template-invalid", `Cannot load ${describeTemplate(source)}: ${reason}`, place);
}

/** The error `template-render` at a line of a template. */
export function renderError(reason: string, place: TemplatePosition, cause?: unknown): OutriggerError {
  const { source, line, column } = place;
  return new OutriggerError(
    "template-render",
    `Cannot render ${describeTemplate(source)}: ${reason} (line ${line}, column ${column})`,
    { path: source, line, column, cause },
  );
}

const PARTIAL_PREFIX = "partials/";

/**
 * The name under which a partial's findings and errors appear.
 *
 * @example
 * ```ts
 * partialSource("resources") // => "partials/resources"
 * ```
 */
export function partialSource(name: string): string {
  return PARTIAL_PREFIX + name;
}

/**
 * The source of a finding, in words for a message.
 *
 * @example
 * ```ts
 * describeTemplate("sidecar") // => 'template "sidecar"'
 * describeTemplate("partials/resources") // => 'partial "resources"'
 * ```
 */
export function describeTemplate(source: string): string {
  return source.startsWith(PARTIAL_PREFIX)
    ? `partial "${source.slice(PARTIAL_PREFIX.length)}"`
    : `template "${source}"`;
}
