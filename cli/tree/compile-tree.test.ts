import { compileRelease } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { shippedTree } from "../../test/support/shipped-tree.ts";
import { treeCompiler } from "./compile-tree.ts";

const shipped = await shippedTree();

describe("treeCompiler()", () => {
  it.each([
    { what: "alone", layers: [shipped] },
    { what: "beneath a tree without files", layers: [shipped, {}] },
  ])("takes the shipped templates $what as the build has compiled them", async ({ layers }) => {
    const compile = await treeCompiler(() => {
      throw new Error("They are compiled again");
    });
    expect(compile(layers)).toEqual(compileRelease(layers));
  });

  it.each([
    { what: "edited", layers: [{ ...shipped, "values/00-default": `${shipped["values/00-default"]}\nmine: 1\n` }] },
    { what: "beneath a tree", layers: [shipped, { "values/50-mine": "mine: 1\n" }] },
    { what: "left out", layers: [{}] },
  ])("compiles layers where the shipped templates are $what", async ({ layers }) => {
    const compile = await treeCompiler();
    expect(compile(layers)).toEqual(compileRelease(layers));
    expect(compile(layers).values["mine"]).toBe(layers[0]?.["values/00-default"] === undefined ? undefined : 1);
  });
});
