// Go joins texts: `indent`, `nindent` and `trim` give a text the place in the YAML that a bound value has by its own.

import type { Operand, Pipeline } from "../go/go-syntax.ts";

/** The outermost function of a pipeline, its arguments but for the last, and the pipeline of that. */
export interface Outer {
  readonly name: string;
  readonly args: readonly Operand[];
  readonly inner: Pipeline;
}

export function outermost(pipeline: Pipeline): Outer | undefined {
  const before = pipeline.commands.slice(0, -1);
  const [name, ...args] = pipeline.commands.at(-1) ?? [];
  if (name?.kind === "group" && args.length === 0 && before.length === 0) return outermost(name.pipeline);
  if (name?.kind !== "function") return undefined;
  if (before.length > 0) return { name: name.name, args, inner: { ...pipeline, commands: before } };
  const subject = args.pop();
  return subject && { name: name.name, args, inner: { ...pipeline, commands: [[subject]] } };
}

export interface Indented {
  /** What is indented. */
  readonly inner: Pipeline;
  /** Undefined where the text stays at its place. */
  readonly by?: { readonly name: "indent" | "nindent"; readonly width: number };
}

/** Takes the functions off a pipeline that decide only where its text is. */
export function withoutIndent(pipeline: Pipeline): Indented {
  const outer = outermost(pipeline);
  if (outer?.name === "trim" && outer.args.length === 0) return { inner: withoutIndent(outer.inner).inner };
  const [width, ...others] = outer?.args ?? [];
  const isIndent = outer?.name === "indent" || outer?.name === "nindent";
  if (!isIndent || width?.kind !== "number" || others.length > 0) return { inner: pipeline };
  const { inner } = withoutIndent(outer.inner);
  return { inner, by: { name: outer.name as "indent" | "nindent", width: Number(width.text) } };
}

/** What `include "name" x` asks for; undefined for any other pipeline. */
export function includeOf(pipeline: Pipeline): { readonly name: string; readonly argument: Pipeline } | undefined {
  const [command = [], ...piped] = pipeline.commands;
  const [include, name, argument, ...others] = command;
  const [first] = command;
  if (piped.length === 0 && command.length === 1 && first?.kind === "group") return includeOf(first.pipeline);
  const isInclude = include?.kind === "function" && include.name === "include" && piped.length === 0;
  if (!isInclude || name?.kind !== "string" || argument === undefined || others.length > 0) return undefined;
  return { name: name.value, argument: { ...pipeline, commands: [[argument]] } };
}
