import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { clusterOf, snapshotOf } from "../../../test/support/stored-snapshot.ts";
import { sha256Of, tokenOf } from "../../../test/support/tokens.ts";
import { openSnapshot } from "./served-snapshot.ts";
import { parseSnapshot, type Snapshot, snapshotText } from "./snapshot.ts";

const HEAD = { digest: "0".repeat(32), parts: 1, seq: 1 };
const PLACE = "outrigger/test/objects/x";
const OTHER_DIGEST = `"sha256":"${"f".repeat(64)}"`;
/** Names and texts that look like the form of what is around them. */
const CLUSTERS: Snapshot["clusters"] = {
  east: clusterOf([tokenOf("east-"), tokenOf("east-new-")]),
  clusters: clusterOf([tokenOf("clusters-")], { revisions: { sha256: "stable", default: "stable" } }),
  none: clusterOf([]),
  odd: clusterOf([tokenOf("odd-")], { arn: `a\n"b":{"c":[{${OTHER_DIGEST}}]},`, network: "é\u2028\n}}" }),
};
const SNAPSHOT = snapshotOf({ clusters: CLUSTERS, releases: {}, pins: ["stable"] });

function openedWith(change: (text: string) => string) {
  const { findCluster } = openSnapshot(change(snapshotText(SNAPSHOT)), HEAD, PLACE);
  return (token: string) => findCluster(tokenOf(token));
}

describe("snapshotText()", () => {
  it.each([[SNAPSHOT], [snapshotOf({ releases: {} })]])(
    "is JSON of the snapshot, with a line for each cluster",
    (it) => {
      const text = snapshotText(it);
      const { tokens, ...json } = JSON.parse(text);
      expect(json).toEqual(it);
      const live = Object.values(it.clusters).flatMap((record) => record.tokens);
      expect(tokens).toBe(live.map(({ sha256 }) => sha256).join(""));
      expect(parseSnapshot(text, HEAD, PLACE)).toEqual(it);
      expect(text.split("\n")).toHaveLength(4 + Math.max(1, Object.keys(it.clusters).length));
    },
  );
});

describe("openSnapshot()", () => {
  it.each([
    ["in lines", (text: string) => text],
    ["on one line, as earlier versions wrote it", (text: string) => JSON.stringify(JSON.parse(text))],
  ])("finds each token's cluster in a snapshot %s, and no other", (_what, change) => {
    const clusterOfToken = openedWith(change);
    const { east, clusters, odd } = CLUSTERS;
    expect(clusterOfToken("east-")).toEqual({ name: "east", record: east, slot: 1 });
    expect(clusterOfToken("east-new-")).toEqual({ name: "east", record: east, slot: 2 });
    expect(clusterOfToken("clusters-")).toEqual({ name: "clusters", record: clusters, slot: 1 });
    expect(clusterOfToken("odd-")).toEqual({ name: "odd", record: odd, slot: 1 });
    expect(clusterOfToken("west-")).toBeUndefined();
    const { findCluster, ...others } = openSnapshot(change(snapshotText(SNAPSHOT)), HEAD, PLACE);
    expect(findCluster(undefined)).toBeUndefined();
    expect({ ...others, clusters: CLUSTERS }).toEqual(SNAPSHOT);
  });

  it("names a damaged record when its token comes, and serves the others", () => {
    const clusterOfToken = openedWith((text) => text.replace('"odd":{', '"odd":{"unheard":1,'));
    const damaged = clusterOfToken("odd-");
    expect(damaged).toBeInstanceOf(OutriggerError);
    expect(damaged).toMatchObject({
      code: "cluster-invalid",
      message: expect.stringContaining(`"unheard" of odd in ${PLACE}: it is not known`),
    });
    expect(clusterOfToken("odd-")).toBe(damaged);
    expect(clusterOfToken("east-")).toMatchObject({ name: "east" });
  });

  it("names the snapshot when a line of it is no JSON", () => {
    const clusterOfToken = openedWith((text) => text.replace('"odd":{', '"odd":'));
    expect(clusterOfToken("odd-")).toMatchObject({ code: "store-corrupt", path: PLACE });
    expect(clusterOfToken("east-")).toMatchObject({ name: "east" });
  });

  it.each([
    ["half a digest", /("tokens":"[0-9a-f]{32})[0-9a-f]{32}/, "$1"],
    ["what is no digest", /("tokens":"[0-9a-f]*)"/, '$1x"'],
    ["no list", /"tokens":"[0-9a-f]*",/, ""],
  ])("refuses a snapshot whose tokens have %s: no token may be refused for that", (_what, pattern, replacement) => {
    const text = snapshotText(SNAPSHOT).replace(pattern, replacement);
    expect(() => openSnapshot(text, HEAD, PLACE)).toThrow(`${PLACE}: tokens is not a list of digests`);
  });

  it("names the snapshot when a token is listed that no cluster has", () => {
    const clusterOfToken = openedWith((text) => text.replace('"tokens":"', `$&${sha256Of(tokenOf("west-"))}`));
    expect(clusterOfToken("west-")).toMatchObject({ code: "store-corrupt", path: PLACE });
    expect(clusterOfToken("east-")).toMatchObject({ name: "east" });
  });

  it("refuses the rest of a snapshot as it refuses a whole one", () => {
    const text = snapshotText({ ...SNAPSHOT, format: 2 });
    expect(() => openSnapshot(text, HEAD, PLACE)).toThrow("its format is 2 and this version reads 1");
    expect(() => openSnapshot(snapshotText(SNAPSHOT).replace('"seq"', ""), HEAD, PLACE)).toThrow("not a mapping");
  });
});
