import type { ParameterReader } from "@outrigger/aws";
import { describe, expect, it } from "vitest";
import { layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { manifestText, treeDigest } from "./push-manifest.ts";
import { readSettledSource } from "./settled-source.ts";

type Expected = NonNullable<NonNullable<Parameters<typeof readSettledSource>[2]>["expected"]>;

const TREE = { mesh: "a", "values/10-own": "b" };
const OWN = layout.sourceParameter("values/10-own");
const MINUTE = 60_000;

/** A tree that was pushed as a whole a minute ago, and a listing of it that lacks one parameter for a time. */
async function pushed({ lacks = OWN, milliseconds = 0 }: { readonly lacks?: string; readonly milliseconds?: number }) {
  const setup = publisherSetup();
  const { clock, store, dependencies } = setup;
  for (const [path, text] of Object.entries(TREE)) await setup.edit(path, text);
  const at = new Date(clock.time).toISOString();
  const manifest = manifestText({ state: "complete", digest: treeDigest(TREE), by: "bob", at });
  await setup.put(layout.sourceParameter("manifest"), manifest);
  const completed = clock.time;
  const reader: ParameterReader = {
    ...store,
    async getParametersByPath(...call) {
      const { parameters, ...page } = await store.getParametersByPath(...call);
      const isListed = ({ name }: { readonly name: string }) => name !== lacks || waited >= milliseconds;
      return { ...page, parameters: parameters.filter(isListed) };
    },
  };
  let waited = 0;
  const sleep = async (time: number) => {
    waited += time;
    clock.time += time;
    await dependencies.sleep?.(0);
  };
  const read = (now: number, expected?: Expected) => {
    clock.time = completed + now;
    return readSettledSource(reader, layout, { now: () => new Date(clock.time), sleep, ...(expected && { expected }) });
  };
  return { read, waited: () => waited, store };
}

const seen = (more: Partial<Expected> = {}): Expected => ({ paths: Object.keys(TREE), manifestVersion: 1, ...more });

describe("readSettledSource()", () => {
  it("reads once where everything is there that the caller has seen", async () => {
    const { read, waited } = await pushed({});
    expect((await read(MINUTE, seen())).tree).toEqual(TREE);
    expect(waited()).toBe(0);
  });

  it("reads again until a parameter that the caller has seen is listed", async () => {
    const { read, waited } = await pushed({ milliseconds: 700 });
    expect((await read(MINUTE, seen())).tree).toEqual(TREE);
    expect(waited()).toBe(750);
  });

  it("reads again, for 3 s, while the manifest is an earlier one", async () => {
    const { read, waited } = await pushed({});
    expect(await read(MINUTE, seen({ manifestVersion: 2 }))).toMatchObject({ tree: TREE, manifestVersion: 1 });
    expect(waited()).toBe(3000);
  });

  it.each([
    ["a parameter that the store gives by name", OWN, "tree-changed"],
    ["nothing that the store has", layout.sourceParameter("mesh"), undefined],
  ])("after 3 s takes what is missing for deleted, unless it is %s", async (_what, lacks, code) => {
    const { read, waited, store } = await pushed({ lacks, milliseconds: Number.POSITIVE_INFINITY });
    if (code === undefined) await store.deleteParameters([lacks]);
    const source = read(MINUTE, seen());
    if (code === undefined) expect((await source).tree).toEqual({ "values/10-own": "b" });
    else await expect(source).rejects.toMatchObject({ code, path: layout.source });
    expect(waited()).toBe(3000);
  });

  it.each([
    [0, 750],
    [2999, 250],
    [3000, 0],
  ])("waits for the tree of a push that was completed %i ms ago: %i ms", async (now, waits) => {
    const { read, waited } = await pushed({ milliseconds: 700 });
    await read(now);
    expect(waited()).toBe(waits);
  });
});
