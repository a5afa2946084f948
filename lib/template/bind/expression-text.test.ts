import { describe, expect, it } from "vitest";
import type { Program } from "../compiled-templates.ts";
import { helpers } from "../helpers/helpers.ts";
import { compileTemplates } from "../testing/render-text.ts";
import { bindProgram } from "./bind-program.ts";
import type { Piece } from "./text-pieces.ts";

const PARTIALS = {
  p: "{{x}} {{x.deep}} {{spec.w}} {{toJson this}}",
  q: "{{> r y=x}}",
  r: "{{y}} {{y.z}} {{name}}",
  // So that lint knows each name that it reads.
  none: "{{> r name=1}}",
};
const VALUES = { a: { b: "one" }, n: 2, o: null, long: Array.from({ length: 65 }, (_, n) => ({ n })) };

/** The texts of all tags of a template whose values are only known when it is rendered. */
function textsOf(text: string): readonly string[] {
  const compiled = compileTemplates({ templates: { t: text }, partials: PARTIALS });
  const { pieces } = bindProgram({
    name: "t",
    program: compiled.templates["t"] as Program,
    partials: compiled.partials,
    helpers,
    constants: { values: VALUES },
    texts: new WeakMap(),
  });
  return expressionsIn(pieces);
}

function expressionsIn(pieces: readonly Piece[]): readonly string[] {
  return pieces.flatMap((piece) => {
    if ("pieces" in piece) return expressionsIn(piece.pieces);
    if ("yes" in piece) return [...expressionsIn(piece.yes()), ...expressionsIn(piece.no())];
    return piece.kind === "slot" ? [piece.expression ?? "none"] : [];
  });
}

describe("the text of an expression", () => {
  it.each([
    ["a path", "{{spec.a.b}}", ["spec.a.b"]],
    ["all data", "{{toJson this}}", ["(toJson this)"]],
    ["a key that is no name, in brackets", "{{metadata.labels.[a.b/c]}}", ["metadata.labels.[a.b/c]"]],
    ["a key with a dash", "{{spec.a-b}}", ["spec.a-b"]],
    ["a path from the root, which is the path", "{{@root.spec.a}}", ["spec.a"]],
    ["a call", '{{default "x" spec.a}}', ['(default "x" spec.a)']],
    [
      "a call in a call",
      '{{default (upper spec.b) (lookup spec "c d")}}',
      ['(default (upper spec.b) (lookup spec "c d"))'],
    ],
    ["a call with a named argument", "{{default spec.a spec.b with=spec.c}}", ["(default spec.a spec.b with=spec.c)"]],
    [
      "constants among its arguments by their value",
      "{{cat values.a.b values.n values.o values.none spec.x}}",
      ['(cat "one" 2 null undefined spec.x)'],
    ],
    [
      "literals of each type",
      "{{cat true 1.5 null undefined 'q' spec.x}}",
      ['(cat true 1.5 null undefined "q" spec.x)'],
    ],
    [
      "a constant map that a key of the pod opens",
      "{{lookup values.a metadata.name}}",
      ['(lookup {"b":"one"} metadata.name)'],
    ],
    [
      "a context by what it stands for",
      "{{#with spec.a}}{{b}} {{../spec.c}} {{this.spec}}{{/with}}",
      ["spec.a.b", "spec.c", "spec.a.spec"],
    ],
    [
      "a block parameter by what it stands for",
      "{{#with spec.a as |v|}}{{v}} {{v.b.c}}{{/with}}",
      ["spec.a", "spec.a.b.c"],
    ],
    [
      "a field of the context that a parameter hides",
      "{{#with spec.a as |v|}}{{this.v}} {{./v}}{{/with}}",
      ["spec.a.v", "spec.a.v"],
    ],
    [
      "a variable by what was computed",
      "{{#let (len spec.b) spec.c as |n c|}}{{n}} {{c.d}} {{add n 1}}{{/let}}",
      ["(len spec.b)", "spec.c.d", "(add (len spec.b) 1)"],
    ],
    [
      "an item of a loop by the loop's depth",
      "{{#each spec.list}}{{this}} {{n}} {{@key}} {{@index}} {{@first}} {{@last}}{{/each}}",
      ["@1.item", "@1.item.n", "@1.key", "@1.index", "@1.first", "@1.last"],
    ],
    [
      "a loop's parameters as its item and key",
      "{{#each spec.list as |item at|}}{{item.n}} {{at}}{{/each}}",
      ["@1.item.n", "@1.key"],
    ],
    [
      "what is in the loop around",
      "{{#each spec.list}}{{#each m}}{{@../index}} {{@index}} {{../n}} {{n}}{{/each}}{{/each}}",
      ["@1.index", "@2.index", "@1.item.n", "@2.item.n"],
    ],
    [
      "a loop's variables that are passed on",
      "{{#each spec.list}}{{> q @index x=@first}}{{#let @last @key as |l k|}}{{l}} {{k}}{{/let}}{{#with @index}}{{this}}{{/with}}{{/each}}",
      ["@1.first", "@1.first.z", "@1.index.name", "@1.last", "@1.key", "@1.index"],
    ],
    ["a field of a loop's key", "{{#each spec.list}}{{@key.length}}{{/each}}", ["@1.key.length"]],
    ["an item of a long constant list", "{{#each values.long}}{{n}}{{/each}}", ["@1.item.n"]],
    [
      "an argument of a partial by what is given",
      "{{> p x=spec.a}}",
      ["spec.a", "spec.a.deep", "spec.w", "(toJson (with this x=spec.a))"],
    ],
    [
      "a partial's context and its arguments",
      "{{> p spec.c x=(upper spec.a)}}",
      ["(upper spec.a)", "(upper spec.a).deep", "spec.w", "(toJson (with spec.c x=(upper spec.a)))"],
    ],
    [
      "an argument that is passed on, and a field of the context",
      "{{> q spec.c x=spec.a}}",
      ["spec.a", "spec.a.z", "spec.c.name"],
    ],
    ["a constant argument by its value", "{{> p x=values.a}}", ["spec.w", '(toJson (with this x={"b":"one"}))']],
  ])("is for %s what it reads of a pod", (_what, text, expected) => {
    expect(textsOf(text)).toEqual(expected);
  });

  it("is the same for what is called by two names, and another for another field", () => {
    const [first, ...others] = textsOf(
      "{{spec.a.b}}{{@root.spec.a.b}}{{#with spec}}{{a.b}}{{/with}}{{#let spec.a as |z|}}{{z.b}}{{z.c}}{{/let}}",
    );
    expect(others).toEqual([first, first, first, "spec.a.c"]);
  });
});
