import { OutriggerError } from "@outrigger/base";
import type { Release } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { compileWords } from "../../../test/support/publisher-setup.ts";
import type { Effect, EffectName, Hold } from "./effects.ts";
import { judgeEdit } from "./judge-edit.ts";
import { acceptCommand, describeEffects } from "./say-effects.ts";

const effectsOf = (...names: readonly EffectName[]): readonly Effect[] =>
  names.map((name) => ({ name, example: "an app" }));

/** An edit of a tree that had as many entries, and has so many left. */
const editOf = (left: number, entries: number | undefined, release: Release | undefined = compileWords([])) => ({
  before: {
    release,
    origin: { by: "a", why: "", at: "", tree: "", ...(entries !== undefined && { sources: wordsOf(entries) }) },
  },
  after: { release: compileWords([{ mesh: "b" }]), origin: { tree: "b", sources: wordsOf(left) } },
  digest: "b",
  layers: [{ mesh: "a" }, Object.fromEntries(Array.from({ length: left }, (_, at) => [`values/${at}`, "x"]))],
});

const wordsOf = (count: number) => Array.from({ length: count }, (_, at) => `values/${at}@1`);

describe("judgeEdit()", () => {
  it.each([
    [4, 4, undefined],
    [2, 4, undefined],
    [2, 5, "2 left of 5 entries"],
    [1, 3, "1 left of 3 entries"],
    [1, undefined, undefined],
    [0, 1, "nothing left of 1 entries"],
    [0, undefined, "nothing left of its entries"],
    [0, 0, undefined],
  ])("says of %d entries that are left of %d: %s", (left, entries, example) => {
    const gone = example === undefined ? [] : [{ name: "entries-gone", example }];
    expect(judgeEdit(editOf(left, entries), {}, { compare: () => [] })).toEqual({
      effects: gone,
      held: gone,
      warnings: [],
    });
  });

  it("compares nothing where nothing was served", () => {
    const edit = { ...editOf(0, 4), before: {} };
    expect(judgeEdit(edit, {}, { compare: () => effectsOf("image") })).toEqual({ effects: [], held: [], warnings: [] });
  });

  it.each<readonly [readonly EffectName[] | undefined, readonly EffectName[]]>([
    [undefined, ["container-gone"]],
    [[], []],
    [["image"], ["image"]],
    [
      ["container-gone", "image", "command"],
      ["container-gone", "image"],
    ],
  ])("holds of an edit's effects what the channel holds: %j", (holds, held) => {
    const effects = effectsOf("container-gone", "image");
    const record = holds === undefined ? {} : { holds };
    const judged = judgeEdit(editOf(1, 1), record, { compare: () => effects });
    expect(judged).toEqual({ effects, held: effectsOf(...held), warnings: [] });
    if (holds === undefined) expect(judgeEdit(editOf(1, 1), undefined, { compare: () => effects })).toEqual(judged);
  });

  it.each<readonly [Hold, readonly EffectName[]]>([
    ["powers", ["container-gone"]],
    ["off", []],
  ])("holds what the setting %s holds", (hold, held) => {
    const effects = effectsOf("container-gone", "image");
    const judged = judgeEdit(editOf(1, 1), {}, { hold, compare: () => effects });
    expect(judged.held).toEqual(effectsOf(...held));
  });

  it("says that it is not known what changes where an earlier version compiled what is served", () => {
    const compare = () => {
      throw new OutriggerError("release-unsupported", "Cannot load it");
    };
    const judged = judgeEdit(editOf(1, 4), {}, { compare });
    expect(judged.warnings).toEqual(["What changes for pods is not known: Cannot load it"]);
    expect(judged.held.map(({ name }) => name)).toEqual(["entries-gone"]);
  });

  it.each([new OutriggerError("template-render", "Cannot render"), new TypeError("a mistake")])(
    "passes on %s",
    (error) => {
      const compare = () => {
        throw error;
      };
      expect(() => judgeEdit(editOf(1, 1), {}, { compare })).toThrow(error);
    },
  );
});

describe("what a person reads of effects", () => {
  it("names each with its example, and the command that accepts them", () => {
    const effects = effectsOf("container-gone", "image");
    expect(describeEffects(effects)).toBe("container-gone (an app), image (an app)");
    expect(acceptCommand(effects)).toBe("outrigger publish --accept container-gone,image");
  });
});
