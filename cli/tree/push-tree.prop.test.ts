import { layoutOf } from "@outrigger/aws";
import { fakeParameterStore } from "@outrigger/fake-aws";
import { toStored } from "@outrigger/injector";
import { readSourceParameters } from "@outrigger/publisher";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryCodePoint } from "../../test/support/arbitrary-code-point.ts";
import { pushTree } from "./push-tree.ts";
import { type Base, pathsOf, textDigest, threeWay } from "./three-way.ts";

const numRuns = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 1000);
const NOW = new Date("2026-01-02T03:04:05Z");
const TARGET = { stage: "dev", layout: layoutOf("/outrigger/dev"), publisher: "" };

const path = fc.constantFrom("config", "mesh", "values/10", "values/20", "templates/a", "partials/b.c", "samples/d");
const piece = fc.oneof(
  fc.constantFrom(
    "{{x}}",
    "{{#if a}}",
    "{{/if}}",
    "{{~> p a=1~}}",
    "{{! c }}",
    "{{!-- {{x}} --}}",
    "\n",
    "\r\n",
    "  ",
    "a: {b: 1}",
    "<",
    ">",
    "%",
    "é🙂",
  ),
  fc.string({ maxLength: 8, unit: arbitraryCodePoint }),
);
const text = fc
  .array(piece, { maxLength: 12 })
  .map((pieces) => pieces.join(""))
  .filter(isStorable);
const tree = fc.dictionary(path, text, { maxKeys: 6 });

function isStorable(written: string): boolean {
  try {
    return toStored(written, "").length < 4000;
  } catch {
    return false;
  }
}

const common = (texts: Readonly<Record<string, string>>): Base =>
  Object.fromEntries(Object.entries(texts).map(([name, written]) => [name, textDigest(written)]));

describe("pushTree()", () => {
  it("writes what reading gives back to the byte, whatever was there", async () => {
    await fc.assert(
      fc.asyncProperty(tree, tree, async (before, after) => {
        const store = fakeParameterStore({ now: () => NOW.getTime() });
        const push = { there: {}, by: "ann", now: () => NOW, report: () => {} };
        await pushTree({ store, target: TARGET }, { tree: before, paths: pathsOf(before), ...push });
        const paths = pathsOf(before, after).filter((name) => before[name] !== after[name]);
        await pushTree({ store, target: TARGET }, { tree: after, paths, ...push });
        expect((await readSourceParameters(store, TARGET.layout)).tree).toEqual(after);
      }),
      { numRuns: Math.ceil(numRuns / 2) },
    );
  });
});

describe("threeWay()", () => {
  it("loses no edit of either side, and comes to the same from both directions", () => {
    fc.assert(
      fc.property(tree, tree, tree, (base, ours, theirs) => {
        const push = threeWay(ours, theirs, common(base));
        const pull = threeWay(theirs, ours, common(base));
        expect([push.carried, push.kept, push.conflicts]).toEqual([pull.kept, pull.carried, pull.conflicts]);
        if (push.conflicts.length > 0) return;
        expect(push.result).toEqual(pull.result);
        for (const name of pathsOf(base, ours, theirs)) {
          if (ours[name] !== base[name]) expect(push.result[name]).toBe(ours[name]);
          if (theirs[name] !== base[name]) expect(push.result[name]).toBe(theirs[name]);
        }
      }),
      { numRuns },
    );
  });

  it("has nothing left to do after it was done", () => {
    fc.assert(
      fc.property(tree, tree, tree, fc.boolean(), (base, ours, theirs, force) => {
        const push = threeWay(ours, theirs, common(base), force);
        const again = threeWay(ours, push.result, push.base);
        expect(again.carried).toEqual([]);
        expect(again.conflicts).toEqual(push.conflicts);
      }),
      { numRuns },
    );
  });
});
