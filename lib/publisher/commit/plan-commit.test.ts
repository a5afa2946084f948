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
    (await compareServed({ ...state, ...changed }, {}, setup.dependencies)).isServed;

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
  const { dependencies } = publisherSetup();
  /** Returns the warning about parts that hold as many characters, on a tier. */
  const said = (used: number, changed: Partial<typeof dependencies> = {}, next: object = {}) =>
    nearlyFull({ next: { parts: [`${"0".repeat(32)} 0/1 ${"a".repeat(used)}`], ...next } } as never, {
      ...dependencies,
      ...changed,
    });

  it("names what is used, what is free and the settings that give more, from four fifths on", () => {
    expect(said(29_203)).toEqual([]);
    expect(said(29_204)).toEqual([
      "What is served takes 29204 of 36504 characters on the Standard tier (80 %), and 7300 are free: before it is full, set tier: Advanced or releaseBucket and deploy, or take channels, templates or samples out of it",
    ]);
    expect(said(70_000, { tier: "Advanced" })).toEqual([
      expect.stringMatching(
        /^What is served takes 70000 of 73368 characters on the Advanced tier .*, set releaseBucket and/,
      ),
    ]);
  });

  it("says nothing where there is a bucket, or nothing is written", () => {
    expect(said(36_000, { bucket: "b" })).toEqual([]);
    expect(said(36_000, {}, { object: "o" })).toEqual([]);
    expect(nearlyFull({ next: undefined } as never, dependencies)).toEqual([]);
  });
});
