import { type JsonObject, OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { type Place, printMovesSince, servedBy } from "./moves-since.ts";

const [NEW, OLD] = ["bbbbbbbbbbbb", "aaaaaaaaaaaa"] as const;
const SINCE = Date.parse("2026-01-05T00:00:00Z");
const day = (number: number) => `2026-01-0${number}T00:00:00.000Z`;
const move = (release: string, at: string, more: JsonObject = {}): JsonObject => ({
  ...{ release, action: "promote", at, by: "ann", why: "a reason" },
  ...more,
});

/** A deployment with the histories of channels. */
function place(channels: Readonly<Record<string, readonly JsonObject[]>>, name?: string): Place {
  return {
    ...(name !== undefined && { name }),
    open: async () => {
      const aws = fakeAws();
      for (const [channel, history] of Object.entries(channels)) {
        const record = { release: NEW, pinned: false, history };
        // Parameter Store takes no two braces in a row.
        await aws.put(aws.layout.channel(channel), JSON.stringify(record, null, 1));
      }
      const target = { layout: aws.layout, stage: "dev", publisher: "outrigger-dev-publish" };
      return { ...(await aws.connect(target)), target };
    },
  };
}

async function print(places: readonly Place[], asked: { channel?: string; json?: true } = {}) {
  const io = fakeIo();
  const failed = await printMovesSince(places, { ...asked, since: SINCE }, io).catch((error: unknown) => error);
  return { failed, out: io.out(), err: io.err() };
}
const rowsOf = (out: string) =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));

describe("printMovesSince()", () => {
  it("lists the moves of all channels since the time, that moment included, the newest first", async () => {
    const share = { share: { release: NEW, percent: 5 }, effects: ["image", "sidecar-gone"] };
    const { out, err, failed } = await print([
      place({
        canary: [move(NEW, day(5)), move(OLD, "2026-01-04T23:59:59.999Z")],
        stable: [move(OLD, day(7), share), move(OLD, day(4))],
        // Another way to write a time: later than the one above.
        late: [move(OLD, "2026-01-06T23:00:00-02:00")],
      }),
    ]);
    expect(rowsOf(out)).toEqual([
      ["WHEN", "CHANNEL", "WHAT", "RELEASE", "BY", "WHY", "PODS"],
      ["2026-01-06T23:00:00-02:00", "late", "promote", OLD, "ann", "a reason"],
      [day(7), "stable", "promote", `${OLD}, ${NEW} to 5 %`, "ann", "a reason", "image, sidecar-gone"],
      [day(5), "canary", "promote", NEW, "ann", "a reason"],
    ]);
    expect([err, failed]).toEqual(["", undefined]);
  });

  it("lists those of one channel, and says where there were none", async () => {
    const places = [place({ canary: [move(NEW, day(6))], stable: [move(NEW, day(4))] })];
    expect(rowsOf((await print(places, { channel: "canary" })).out)).toHaveLength(2);
    expect((await print(places, { channel: "stable" })).out).toBe(
      "No channel was moved since 2026-01-05T00:00:00.000Z\n",
    );
  });

  it("names the deployments where several are asked, in the JSON too", async () => {
    const places = [place({ stable: [move(NEW, day(6))] }, "dev"), place({ stable: [move(OLD, day(7))] }, "prod")];
    expect(rowsOf((await print(places)).out)).toEqual([
      ["WHEN", "DEPLOYMENT", "CHANNEL", "WHAT", "RELEASE", "BY", "WHY", "PODS"],
      [day(7), "prod", "stable", "promote", OLD, "ann", "a reason"],
      [day(6), "dev", "stable", "promote", NEW, "ann", "a reason"],
    ]);
    expect(JSON.parse((await print(places, { json: true })).out)).toEqual([
      { deployment: "prod", channel: "stable", ...move(OLD, day(7)) },
      { deployment: "dev", channel: "stable", ...move(NEW, day(6)) },
    ]);
    const alone = await print([place({ stable: [move(NEW, day(6))] })], { json: true });
    expect(JSON.parse(alone.out)).toEqual([{ channel: "stable", ...move(NEW, day(6)) }]);
  });

  it("says from when on moves are not kept any more, where that is after the time that is asked about", async () => {
    const full = (oldest: string) => [...Array(19).fill(move(NEW, day(7))), move(NEW, oldest)];
    const ends = async (history: readonly JsonObject[], name?: string) =>
      (await print([place({ stable: history }, name)])).out.split("\n").filter((line) => line.startsWith("Of "));
    expect(await ends(full(day(6)))).toEqual([`Of stable, moves before ${day(6)} are not kept`]);
    expect(await ends(full(day(6)), "prod")).toEqual([`Of stable in prod, moves before ${day(6)} are not kept`]);
    expect(await ends(full(day(5)))).toHaveLength(1);
    expect(await ends(full(day(4)))).toEqual([]);
    expect(await ends(full(day(6)).slice(1))).toEqual([]);
  });

  it("prints those of the others where a deployment cannot be read, and fails then", async () => {
    const denied = () => Promise.reject(new OutriggerError("store-denied", "You may not read it"));
    const { out, err, failed } = await print([
      { name: "one", open: denied },
      place({ stable: [move(NEW, day(6))] }, "two"),
      { name: "three", open: denied },
    ]);
    expect(rowsOf(out)[1]).toEqual([day(6), "two", "stable", "promote", NEW, "ann", "a reason"]);
    expect(err).toBe(
      "Warning: one is left out: You may not read it\nWarning: three is left out: You may not read it\n",
    );
    expect(failed).toMatchObject({
      code: "store-denied",
      message: "Cannot read the moves of one: the others are above",
    });
    const alone = await print([{ open: denied }]);
    expect(alone).toMatchObject({ err: "", failed: { code: "store-denied", message: "You may not read it" } });
  });
});

it("servedBy() names the release, and the share of another", () => {
  expect(servedBy({ release: OLD })).toBe(OLD);
  expect(servedBy({ release: OLD, share: { release: NEW, percent: 5 } })).toBe(`${OLD}, ${NEW} to 5 %`);
});
