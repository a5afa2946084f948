import type { Snapshot } from "@outrigger/serving";
import { beforeEach, describe, expect, it } from "vitest";
import { publisherSetup } from "../../../test/support/publisher-setup.ts";
import { readState, type State } from "../records/read-state.ts";
import { compareServed, nearlyFull } from "./plan-commit.ts";

describe("compareServed()", () => {
  let setup: ReturnType<typeof publisherSetup>;
  let state: State;
  let served: Snapshot;
  beforeEach(async () => {
    setup = publisherSetup();
    await setup.publishTwo();
    await setup.run({ action: "promote", from: "canary", to: "stable", share: 5 });
    await setup.run({ action: "pin", channel: "canary" });
    state = await readState(setup.dependencies);
    served = state.snapshot as Snapshot;
  });

  const isServed = async (changed: Partial<State>) =>
    (await compareServed({ ...state, ...changed }, undefined, setup.dependencies)).isServed;

  it("finds that what the records come to is served", async () => {
    expect(await isServed({})).toBe(true);
  });

  it.each<[string, (there: Snapshot) => Snapshot]>([
    ["another release of a channel", (there) => ({ ...there, channels: { ...there.channels, stable: "other" } })],
    ["no share", ({ shares: _, ...there }) => there],
    ["another pin", (there) => ({ ...there, pins: ["stable"] })],
    ["another channel for edits", (there) => ({ ...there, edits: "canary" })],
    [
      "a release less",
      (there) => ({ ...there, releases: Object.fromEntries(Object.entries(there.releases).slice(1)) }),
    ],
    ["a release more", (there) => ({ ...there, releases: { ...there.releases, old: {} as never } })],
    ["an older change", (there) => ({ ...there, change: there.change - 1 })],
  ])("finds %s in what is served", async (_what, change) => {
    expect(await isServed({ snapshot: change(served) })).toBe(false);
  });

  it("finds a snapshot that was written out of order, and none where there is something to serve", async () => {
    expect(await isServed({ isInOrder: false })).toBe(false);
    expect(await isServed({ snapshot: undefined })).toBe(false);
  });
});

describe("nearlyFull()", () => {
  const said = (used: number) => nearlyFull({ text: "a".repeat(used) } as never);

  it("names what is used and what is free, from four fifths on", () => {
    expect(said(2_516_582)).toEqual([]);
    expect(said(2_516_583)).toEqual([
      "What is served takes 2516583 of 3145728 characters (80 %), and 629145 are free: before it is full, take channels, templates, samples or clusters out of it",
    ]);
  });
});
