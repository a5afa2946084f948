import { OutriggerError } from "@outrigger/base";
import fc from "fast-check";
import Handlebars from "handlebars";
import { describe, expect, test } from "vitest";
import { parseTemplate } from "../compile/parse-template.ts";
import type { CompiledTemplates } from "../compiled-templates.ts";
import { helpers } from "../helpers/helpers.ts";
import { compileTemplates, renderText } from "./render-text.ts";

const numRuns = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 300);
/** Runs within which a mutant is found, however few are asked for: some templates do not show it. */
const FOUND_WITHIN = 1000;

/** Roots of the template data serve as names, so that lint finds nothing. */
const ROOTS = ["metadata", "spec", "owner", "values"];
const FIELDS = ["a", "b", "c", "d e", "length"];

describe("renderText()", () => {
  test("prints what Handlebars prints when every slot is joined as text", () => {
    fc.assert(fc.property(sources, dataTrees, constantRoots, printsTheSame(renderText)), { numRuns });
  });

  test.each<[string, typeof renderText]>([
    [
      "a constant is folded that is not constant",
      (compiled, options, name, data) =>
        renderText(compiled, { ...options, constants: { ...data, spec: { a: [1] } } }, name, data),
    ],
    [
      "the inverse of each is taken always",
      (compiled, options, name, data) =>
        renderText(
          mutated(compiled, (text) => text.replace('"kind":"block","name":"each"', '"kind":"block","name":"with"')),
          options,
          name,
          data,
        ),
    ],
    [
      "white space at a line's end is kept",
      (compiled, options, name, data) =>
        renderText(
          mutated(compiled, (text) => text.replaceAll('"text":"\\n', '"text":"')),
          options,
          name,
          data,
        ),
    ],
  ])("prints something else than Handlebars when %s", (_, mutant) => {
    expect(() =>
      fc.assert(fc.property(sources, dataTrees, constantRoots, printsTheSame(mutant)), {
        numRuns: Math.max(numRuns, FOUND_WITHIN),
        endOnFailure: true,
      }),
    ).toThrow();
  });
});

interface Sources {
  readonly main: string;
  readonly partials: Readonly<Record<string, string>>;
}

function printsTheSame(render: typeof renderText) {
  return ({ main, partials }: Sources, data: Record<string, unknown>, roots: readonly string[]): void => {
    const compiled = compileTemplates({ templates: { main }, partials });
    const constants = Object.fromEntries(roots.map((root) => [root, data[root]]));
    const expected = handlebarsText(main, partials, data);
    const before = JSON.stringify(data);
    let text: string | undefined;
    try {
      text = render(compiled, { helpers, constants }, "main", deepFreeze(data));
    } catch (error) {
      if (!(error instanceof OutriggerError)) throw error;
    }
    if (expected.includes("[object Object]")) expect(text).toBe(undefined);
    else expect(text).toBe(expected);
    expect(JSON.stringify(data)).toBe(before);
  };
}

function mutated(compiled: CompiledTemplates, edit: (text: string) => string): CompiledTemplates {
  return JSON.parse(edit(JSON.stringify(compiled)));
}

/**
 * Handlebars on the fixed tree, with the same helpers and a `let`. Escaping is on and undone afterwards: with
 * `noEscape` Handlebars adds adjacent numbers.
 */
function handlebarsText(main: string, partials: Readonly<Record<string, string>>, data: unknown): string {
  const environment = Handlebars.create();
  for (const [name, helper] of Object.entries(helpers)) {
    // Handlebars would call them for {{@first}}.
    if (name === "first" || name === "last" || name === "index") continue;
    environment.registerHelper(name, (...args: unknown[]) => {
      const options = args.pop() as Handlebars.HelperOptions;
      return helper.run(args, options.hash);
    });
  }
  environment.registerHelper("let", function (this: unknown, ...args: unknown[]) {
    const options = args.pop() as Handlebars.HelperOptions;
    return options.fn(this, { data: options.data, blockParams: args });
  });
  const compile = (text: string) => compileTree(environment, withRootVariables(parseTemplate(text, "t")));
  for (const [name, text] of Object.entries(partials)) environment.registerPartial(name, compile(text));
  return compile(main)(data).replace(
    /&(amp|lt|gt|quot|#x27|#x60|#x3D);/g,
    (_, entity: string) => ENTITIES[entity] as string,
  );
}

/** A root is a root in every block, which Handlebars writes `@root.name`. */
function withRootVariables(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withRootVariables);
  if (typeof node !== "object" || node === null) return node;
  const { type, depth, data, parts, original } = node as Record<string, unknown>;
  const isRoot = type === "PathExpression" && depth === 0 && data === false && ROOTS.includes(original as string);
  if (isRoot) return { ...node, data: true, original: `@root.${original}`, parts: ["root", ...(parts as string[])] };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withRootVariables(value)]));
}

/** `Handlebars.compile` without its parse, which would strip white space from the fixed tree again. */
function compileTree(environment: typeof Handlebars, tree: unknown): Handlebars.TemplateDelegate {
  const { Compiler, JavaScriptCompiler, template } = environment as typeof Handlebars &
    Record<"Compiler" | "JavaScriptCompiler", new () => { compile(...args: unknown[]): unknown }>;
  const options = { data: true };
  return template(
    new JavaScriptCompiler().compile(
      new Compiler().compile(tree, options),
      options,
      undefined,
      true,
    ) as TemplateSpecification,
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#x27": "'",
  "#x60": "`",
  "#x3D": "=",
};

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

/** Null only at the root: what is called with null as context gets an empty object from Handlebars. Every leaf is different, so that no context equals the one around it (Handlebars then counts `../` otherwise). */
const dataTrees: fc.Arbitrary<Record<string, unknown>> = fc
  .letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      fc.constantFrom("text", "number", true, false, "", 0, "yaml: [x]", "<b>&amp;\"'`="),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...FIELDS, "__proto__", "constructor"), tie("tree"), { maxKeys: 4 }),
      fc.dictionary(fc.constantFrom(...FIELDS), tie("tree"), { minKeys: 2, maxKeys: 4 }),
    ),
  }))
  .tree.chain((tree) =>
    fc.dictionary(fc.constantFrom(...ROOTS), fc.constantFrom(tree, tree, tree, null), { minKeys: 2 }),
  )
  .map((data) => {
    let leaves = 0;
    const rename = (value: unknown): unknown => {
      if (value === "number") return ++leaves;
      if (typeof value === "string" && value !== "") return `${value}${++leaves}`;
      if (Array.isArray(value)) return value.map(rename);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, rename(entry)]));
    };
    return rename(data) as Record<string, unknown>;
  });

const constantRoots = fc.subarray(ROOTS);

const name = fc.constantFrom(...FIELDS.map((field) => (field.includes(" ") ? `[${field}]` : field)));
const rootPath = fc
  .tuple(fc.constantFrom(...ROOTS), fc.array(name, { maxLength: 2 }))
  .map(([root, rest]) => [root, ...rest].join("."));
/** No deeper: Handlebars takes `@root.a.b` for `a` when `a` is 0 or false, other than every other path. */
const rootVariable = fc.constantFrom(...ROOTS.map((root) => `@root.${root}`));
const fieldPath = fc.array(name, { minLength: 1, maxLength: 2 }).map((names) => names.join("."));

interface Place {
  /** Whether names are roots of the data here, or fields of some part of it. */
  readonly root: boolean;
  readonly depth: number;
  readonly loops: number;
  readonly names: readonly string[];
  readonly fuel: number;
  readonly partials: readonly string[];
}

function downPath({ root }: Place): fc.Arbitrary<string> {
  return root ? rootPath : fieldPath;
}

function path(place: Place): fc.Arbitrary<string> {
  const choices: fc.Arbitrary<string>[] = [
    downPath(place),
    downPath(place).map((down) => `this.${down}`),
    rootVariable,
  ];
  if (!place.root) choices.push(fc.constant("this"), fc.constantFrom(...ROOTS));
  if (place.depth > 0) choices.push(fieldPath.map((down) => `../${place.depth === 1 ? "metadata." : ""}${down}`));
  if (place.loops > 0) choices.push(fc.constantFrom("@key", "@index", "@first", "@last"));
  if (place.loops > 1) choices.push(fc.constantFrom("@../key", "@../index"));
  if (place.names.length > 0)
    choices.push(
      fc.constantFrom(...place.names),
      fieldPath.map((down) => `${place.names[0]}.${down}`),
    );
  return fc.oneof(...choices);
}

function expression(place: Place): fc.Arbitrary<string> {
  const simple = fc.oneof(path(place), fc.constantFrom('"lit"', "'x y'", "0", "42", "true", "null"));
  if (place.fuel <= 0) return simple;
  const inner = expression({ ...place, fuel: place.fuel - 2 });
  return fc.oneof(
    simple,
    fc
      .tuple(fc.constantFrom("eq", "ne", "and", "or", "default", "valueOrDefault", "coalesce"), inner, inner)
      .map(([helper, a, b]) => `(${helper} ${a} ${b})`),
    fc.tuple(fc.constantFrom("not", "empty", "toJson", "string"), inner).map(([helper, a]) => `(${helper} ${a})`),
    fc
      .tuple(
        path(place),
        fc.oneof(
          fc.constantFrom('"a"', '"length"', '"__proto__"', "0"),
          inner.map((key) => `(string ${key})`),
        ),
      )
      .map(([a, key]) => `(lookup ${a} ${key})`),
  );
}

const words = fc.constantFrom("x", "- y: ", " ", "\n", "\n  ", "  \n", "z\n    ", " }", "é¤", "");
const tilde = fc.constantFrom("", "", "", "~");

function slot(place: Place): fc.Arbitrary<string> {
  const inside = expression(place).map((text) =>
    text.startsWith("(") ? text.slice(1, -1) : /^["'0-9]|^true|^null/.test(text) ? `string ${text}` : text,
  );
  return fc.tuple(tilde, inside, tilde).map(([left, text, right]) => `{{${left}${text}${right}}}`);
}

function block(place: Place): fc.Arbitrary<string> {
  const fuel = place.fuel - 3;
  const same = body({ ...place, fuel });
  const below = { ...place, root: false, depth: place.depth + 1, fuel };
  const tags = fc.tuple(tilde, tilde, tilde);
  return fc.oneof(
    fc
      .tuple(
        fc.constantFrom("if", "unless"),
        expression(place),
        fc.constantFrom("", "", " includeZero=true"),
        same,
        same,
        tags,
      )
      .map(
        ([tag, test, zero, yes, no, [t, u, v]]) =>
          `{{#${tag} ${test}${zero}}}${yes}{{${t}else${u}}}${no}{{${v}/${tag}}}`,
      ),
    fc
      .tuple(expression(place), expression(place), same, same, same, tags)
      .map(
        ([first, second, a, b, c, [t, u, v]]) =>
          `{{#if ${first}}}${a}{{${t}else if ${second}${u}}}${b}{{else}}${c}{{${v}/if}}`,
      ),
    fc
      .tuple(downPath(place), body(below), same)
      .map(([list, inner, otherwise]) => `{{#with ${list}}}${inner}{{else}}${otherwise}{{/with}}`),
    fc
      .tuple(downPath(place), body({ ...below, loops: place.loops + 1 }), same)
      .map(([list, inner, otherwise]) => `{{#each ${list}}}${inner}{{else}}${otherwise}{{/each}}`),
    fc
      .tuple(downPath(place), body({ ...below, loops: place.loops + 1, names: ["item", "at", ...place.names] }))
      .map(([list, inner]) => `{{#each ${list} as |item at|}}\n${inner}\n  {{/each}}\n`),
    fc
      .tuple(expression(place), expression(place), body({ ...place, fuel, names: ["x", "y", ...place.names] }))
      .map(([x, y, inner]) => `{{#let ${x} ${y} as |x y|}}${inner}{{/let}}`),
  );
}

function partialCall(place: Place): fc.Arbitrary<string> {
  const inline = fc.constantFrom("{{> ", "\n  {{> ", "\n    {{> ");
  const argument = fc.oneof(
    fc.constant(""),
    expression(place).map((value) => ` extra=${value}`),
  );
  return fc
    .tuple(inline, fc.constantFrom(...place.partials), argument, fc.constantFrom("}}", "}}\n", "~}}\n"))
    .map(([open, partial, hash, close]) => `${open}${partial} @root${hash}${close}`);
}

function body(place: Place): fc.Arbitrary<string> {
  const pieces = [
    { weight: 3, arbitrary: words },
    { weight: 3, arbitrary: slot(place) },
    { weight: 1, arbitrary: fc.constantFrom("{{! note }}", "\n  {{!-- {{x}} --}}\n") },
  ];
  if (place.partials.length > 0) pieces.push({ weight: 1, arbitrary: partialCall(place) });
  if (place.fuel > 0) pieces.push({ weight: 2, arbitrary: block(place) });
  return fc.array(fc.oneof(...pieces), { maxLength: 4 }).map((parts) => parts.join(""));
}

const START: Place = { root: true, depth: 0, loops: 0, names: [], fuel: 8, partials: [] };

/** Partials end in text: Handlebars does not indent a last line that a value leaves empty. `second` calls `first` and the inline partial; all of them are called with the whole data and an argument. */
const sources: fc.Arbitrary<Sources> = fc
  .tuple(
    body({ ...START, partials: ["first", "second", "inlined"] }),
    body({ ...START, fuel: 3 }),
    body({ ...START, fuel: 3, partials: ["first"] }),
    body({ ...START, fuel: 3 }),
  )
  .map(([main, first, second, inlined]) => ({
    main: `${main}{{#*inline "inlined"}}${inlined};{{/inline}}{{> first @root extra=1}}`,
    partials: { first: `${first}{{extra}};`, second: `${second};` },
  }));
