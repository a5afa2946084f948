// The bucket of a deployment: what is too large for the mirror is published, served and rolled back as any other; what is lost or damaged
// there is written again; and where it fails, what is served stays.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { digestOfTree, layout, publisherSetup, type SetupOptions } from "../../../test/support/publisher-setup.ts";
import { readServed } from "../records/read-served.ts";
import { reconcileSource } from "../source/reconcile-source.ts";

/** Texts that compress badly: 14 of them are too much for the mirror on the standard tier. */
const LARGE = Array.from({ length: 14 }, (_, index) => [`values/${index + 10}`, noiseOf(index)] as const);

function noiseOf(seed: number): string {
  const hashes = Array.from({ length: 80 }, (_, index) =>
    createHash("sha256").update(`${seed} ${index}`).digest("base64"),
  );
  return hashes.join("").slice(0, 3000).replaceAll("bad", "dab");
}

/** A small tree is served; a large one is edited. */
async function deployed(options: SetupOptions = {}) {
  const setup = publisherSetup({ seed: false, ...options });
  await setup.edit("mesh", "small");
  await setup.run({ action: "publish" });
  for (const [path, text] of LARGE) await setup.edit(path, text);
  return setup;
}

const SMALL = digestOfTree({ mesh: "small" });
const digest = digestOfTree({ mesh: "small", ...Object.fromEntries(LARGE) });

describe("a snapshot that is too large for the mirror", () => {
  it("is read from its object, and is rolled back to", async () => {
    const setup = await deployed();
    expect(await setup.run({ action: "publish" })).toMatchObject({ ok: true, release: digest, warnings: [] });
    expect((await setup.served()).releases[digest]).toMatchObject({ values: { mesh: "small" } });
    // What an earlier version reads it by, which a deploy may be rolled back to.
    const { digest: snapshot } = JSON.parse(setup.store.values()[layout.head] ?? "");
    expect(setup.store.values()[layout.mirrorPart(0)]).toMatch(new RegExp(`^${snapshot} s3:releases:\\d+$`));
    expect(setup.bucket.objectTable().has(layout.snapshot(snapshot))).toBe(true);
    // Nothing is left to do.
    expect(await setup.run({ action: "repair" })).toMatchObject({ ok: true, changed: false });
    // A small one is in the mirror again, and the large one is still there to go back to.
    await setup.store.deleteParameters(LARGE.slice(0, 10).map(([path]) => layout.sourceParameter(path)));
    await setup.store.deleteParameters(LARGE.slice(10).map(([path]) => layout.sourceParameter(path)));
    expect(await setup.run({ action: "publish", accept: ["entries-gone"] })).toMatchObject({ release: SMALL });
    expect(setup.store.values()[layout.mirrorPart(0)]).toMatch(/^[0-9a-f]{32} 0\/\d /);
    expect(await setup.run({ action: "rollback", channel: "stable" })).toMatchObject({ ok: true, release: digest });
    expect((await setup.served()).channels).toEqual({ stable: digest });
  });
});

describe("a bucket that fails", () => {
  it.each([
    ["does not answer", { kind: "lost" }, "store-unavailable"],
    ["is throttled", { kind: "error", name: "SlowDown", status: 503 }, "store-unavailable"],
    ["denies", { kind: "error", name: "AccessDenied", status: 403 }, "store-denied"],
  ] as const)("leaves everything as it is after a request that finds that it %s", async (_what, fault, code) => {
    let isFailing = false;
    const setup = await deployed({ inBucket: { fault: () => (isFailing ? fault : undefined) } });
    await setup.run({ action: "publish" });
    const before = setup.store.values();
    isFailing = true;
    for (const request of [{ action: "rollback", channel: "stable" }, { action: "repair" }] as const)
      expect(await setup.run(request)).toMatchObject({ ok: false, error: { code } });
    isFailing = false;
    expect(setup.store.values()).toEqual(before);
    expect((await setup.served()).channels).toEqual({ stable: digest });
  });
});

describe("a release whose object is damaged", () => {
  it.each(["missing", "cut short", "altered"] as const)(
    "(%s) is published again, and what is served of other channels stays",
    async (kind) => {
      const setup = await deployed();
      await setup.run({ action: "publish" });
      const key = layout.release(digest);
      const { text = "" } = (await setup.bucket.getObject(key)) ?? {};
      if (kind === "missing") await setup.bucket.deleteObject(key);
      else await setup.bucket.putObject({ key, text: text.slice(kind === "cut short" ? 0 : 4, 900) });
      await setup.run({ action: "rollback", channel: "stable" });
      const back = await setup.run({ action: "rollback", channel: "stable", release: digest });
      expect(back).toMatchObject({
        ok: false,
        error: { code: kind === "missing" ? "release-unknown" : "store-corrupt" },
      });
      expect((await setup.served()).channels).toEqual({ stable: SMALL });
      expect(await setup.run({ action: "publish", unpin: true })).toMatchObject({ ok: true, release: digest });
      expect((await setup.bucket.getObject(key))?.text.split("\n")[0]).toBe(text.split("\n")[0]);
    },
  );
});

describe("what is lost", () => {
  const emptied = async () => {
    const setup = publisherSetup({ seed: false });
    await setup.publishTwo();
    const record = { revisions: { default: "stable" }, arn: "", tokens: [] };
    await setup.run({ action: "put-cluster", cluster: "c1", record });
    return setup;
  };

  it("is written again where it is the bucket: what is served, and its releases", async () => {
    const setup = await emptied();
    const { seq: _, ...served } = await setup.served();
    await setup.bucket.emptyFolder(layout.objects);
    expect(await setup.run({ action: "repair" })).toMatchObject({ ok: true, changed: true });
    const { head } = await readServed(setup.dependencies);
    const keys = Object.keys(served.releases).map(layout.release);
    expect([...setup.bucket.objectTable().keys()].sort()).toEqual(
      [layout.bucketHead, layout.snapshot(head?.digest ?? ""), ...keys].sort(),
    );
    expect(await setup.served()).toMatchObject(served);
  });

  it("is derived again by the schedule where it is all of Parameter Store, and nothing is published by itself", async () => {
    const setup = await emptied();
    const { seq: _, ...served } = await setup.served();
    for (const name of Object.keys(setup.store.values())) await setup.store.deleteParameters([name]);
    setup.clock.time += 60_000;
    for (let look = 0; look < 3; look++) {
      setup.clock.time += 60_000;
      const { result, settled } = await reconcileSource(setup.dependencies);
      expect(result).toMatchObject({
        ok: true,
        changed: false,
        message: expect.stringContaining("outrigger repair DIR"),
      });
      expect(settled?.problems.map(({ path }) => path)).toEqual([
        layout.channel("canary"),
        layout.channel("stable"),
        layout.cluster("c1"),
      ]);
    }
    expect(await setup.served()).toMatchObject({ channels: served.channels, clusters: served.clusters });
    expect(Object.keys(setup.store.values())).toContain(layout.head);
  });

  it.each(["all of the log", "the end of the log", "nothing of the log"])(
    "has no lease of a command that is over when repair writes it back, where %s is deleted with it",
    async (kind) => {
      const setup = await emptied();
      const record = { revisions: { default: "stable" }, arn: "", tokens: [] };
      const lease = { id: "a".repeat(16), seconds: 600 };
      const register = (more: object) =>
        setup.run({ action: "put-cluster", cluster: "c1", record: { ...record, ...more }, lease });
      await register({ network: "n1" });
      await setup.run({ action: "put-cluster", cluster: "c1", record, lease: { ...lease, seconds: 0 } });
      const names = Object.keys(setup.store.values());
      const log = names.filter((name) => name.startsWith(layout.changes));
      const kept = kind === "all of the log" ? [] : kind === "the end of the log" ? log.slice(0, -1) : log;
      for (const name of names) if (!kept.includes(name)) await setup.store.deleteParameters([name]);
      setup.clock.time += 60_000;
      await setup.run({ action: "repair" });
      expect(setup.store.values()[layout.cluster("c1")] ?? "").not.toContain("lease");
      const again = await setup.run({ action: "put-cluster", cluster: "c1", record: { ...record, network: "n2" } });
      expect(again).toMatchObject({ ok: true });
    },
  );

  it("is served from the bucket, and written back by repair, where it is all that was derived in Parameter Store", async () => {
    const setup = await emptied();
    const { seq, ...served } = await setup.served();
    const names = Object.keys(setup.store.values()).filter((name) => !name.startsWith(layout.source));
    for (const name of names) await setup.store.deleteParameters([name]);
    expect(await setup.served()).toMatchObject({ ...served, seq });
    const repaired = await setup.run({ action: "repair" });
    expect(repaired).toMatchObject({ ok: true, changed: true });
    const { seq: after, ...again } = await setup.served();
    expect(again).toMatchObject({ channels: served.channels, clusters: served.clusters, releases: served.releases });
    expect(after).toBeGreaterThan(seq);
  });
});
