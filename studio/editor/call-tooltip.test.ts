import { expect, it } from "vitest";
import { localNames, openCall } from "./call-tooltip.ts";

it("openCall() finds the innermost call, and the argument that is written", () => {
  const cases: readonly (readonly [string, readonly [string, string, number] | undefined])[] = [
    ["image: ", undefined],
    ["image: {{a}} ", undefined],
    ["{{! annotation ", undefined],
    ["image: {{", ["", "", -1]],
    ["image: {{anno", ["annotation".slice(0, 4), "", -1]],
    ["image: {{annotation ", ["annotation", "", 0]],
    ["image: {{annotation metadata ", ["annotation", "", 1]],
    ['image: {{annotation metadata "a b', ["annotation", "", 1]],
    ['image: {{annotation metadata "a b" ', ["annotation", "", 2]],
    ["{{#if (eq ", ["eq", "(", 0]],
    ["{{#if (eq (len a) ", ["eq", "(", 1]],
    ["{{#if (eq (len a) 1) ", ["if", "#", 1]],
    ["{{~#each (sor", ["sor", "(", -1]],
    ["{{else if (and a ", ["and", "(", 1]],
    ["{{else if ", ["if", "#", 0]],
    ["{{> proxy-", ["proxy-", ">", -1]],
    ["{{> proxy-image hub=(default ", ["default", "(", 0]],
    ["{{/i", ["i", "/", -1]],
    ["{{#let a as |x|}}{{x}}\n{{eq ", ["eq", "", 0]],
  ];
  for (const [text, expected] of cases) {
    const call = openCall(text);
    expect(call && [call.name, call.sigil, call.argument], text).toEqual(expected);
    if (call !== undefined) expect(text.slice(call.from, call.from + call.name.length)).toBe(call.name);
  }
});

it("localNames() has the names of the blocks that are open, and of no others", () => {
  const closed = "{{#each a as |gone|}}{{gone}}{{/each}}";
  expect(localNames(`${closed}{{#let b c as |x y|}}{{#each x as |item key|}}\n- {{`)).toEqual([
    ...["item", "key", "this", "@key", "@index", "@first", "@last"],
    ...["x", "y"],
  ]);
  expect(localNames(`${closed}{{#if a}}{{else}}`)).toEqual([]);
});
