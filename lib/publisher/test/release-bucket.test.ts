// Releases that are too large for parameters: with a bucket they are published, served, rolled back, replicated and collected as
// any other; without one, and where the bucket fails, what is served stays.
import { createHash } from "node:crypto";
import { parseReference } from "@outrigger/aws";
import { describe, expect, it } from "vitest";
import { packIntoBucket } from "../../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup, type SetupOptions } from "../../../test/support/publisher-setup.ts";
import { collectGarbage } from "../commit/collect-garbage.ts";

const HOUR = 60 * 60 * 1000;
const BUCKET = { bucket: "releases", seed: false } as const;
/** Texts that compress badly: 14 of them are too much for the standard tier. */
const LARGE = Array.from({ length: 14 }, (_, index) => [`values/${index + 10}`, noiseOf(index)] as const);

function noiseOf(seed: number): string {
  const hashes = Array.from({ length: 80 }, (_, index) =>
    createHash("sha256").update(`${seed} ${index}`).digest("base64"),
  );
  return hashes.join("").slice(0, 3000).replaceAll("bad", "dab");
}

/** A small tree is served; a large one is edited. */
async function deployed(options: SetupOptions = BUCKET) {
  const setup = publisherSetup(options);
  await setup.edit("mesh", "small");
  await setup.run({ action: "publish" });
  for (const [path, text] of LARGE) await setup.edit(path, text);
  return setup;
}

const SMALL = digestOfTree({ mesh: "small" });
const digest = digestOfTree({ mesh: "small", ...Object.fromEntries(LARGE) });

function keysIn({ bucket }: Awaited<ReturnType<typeof deployed>>): readonly string[] {
  return [...bucket.objectTable().keys()];
}

describe("a release that is too large for parameters", () => {
  it("is an object that its parameters refer to, is served, and is rolled back to", async () => {
    const setup = await deployed();
    expect(setup.bucket.objectCalls()).toEqual({ ListObjects: 1 });
    expect(await setup.run({ action: "publish" })).toMatchObject({ ok: true, release: digest, warnings: [] });
    expect((await setup.served()).releases[digest]).toMatchObject({ values: { mesh: "small" } });
    const values = setup.store.values();
    const references = [layout.releasePart(digest, 0), layout.mirrorPart(0)].map((name) =>
      parseReference(values[name] ?? ""),
    );
    expect(references.map((each) => each?.bucket)).toEqual(["releases", "releases"]);
    expect(references.map((each) => each?.size)).toEqual([expect.any(Number), expect.any(Number)]);
    expect([...keysIn(setup)].sort()).toEqual(
      references.map((each) => `releases/${layout.object(each?.digest ?? "")}`).sort(),
    );
    expect(values[layout.releasePart(digest, 1)]).toBeUndefined();
    // A small one is in parameters again, and the large one is still there to go back to.
    await setup.store.deleteParameters(LARGE.slice(0, 10).map(([path]) => layout.sourceParameter(path)));
    await setup.store.deleteParameters(LARGE.slice(10).map(([path]) => layout.sourceParameter(path)));
    expect(await setup.run({ action: "publish", accept: ["entries-gone"] })).toMatchObject({ release: SMALL });
    expect(parseReference(setup.store.values()[layout.mirrorPart(0)] ?? "")).toBeUndefined();
    expect(await setup.run({ action: "rollback", channel: "stable" })).toMatchObject({ ok: true, release: digest });
    expect((await setup.served()).channels).toEqual({ stable: digest });
  });

  it("is refused without a bucket, and nothing of it is written", async () => {
    const setup = await deployed({ seed: false });
    const before = setup.store.values();
    expect(await setup.run({ action: "publish" })).toMatchObject({ ok: false, error: { code: "store-full" } });
    expect(setup.store.values()).toEqual(before);
    expect(setup.bucket.objectCalls()).toEqual({});
  });

  it("leaves everything as it is where the bucket is not known any more", async () => {
    const setup = await deployed();
    await setup.run({ action: "publish" });
    const { objects: _, ...store } = setup.store;
    const before = setup.store.values();
    const result = await setup.run({ action: "repair" }, { store });
    expect(result).toMatchObject({
      ok: false,
      error: { code: "store-denied", message: expect.stringContaining("releaseBucket") },
    });
    expect(setup.store.values()).toEqual(before);
  });

  it.each([
    ["does not answer", { kind: "lost" }, "store-unavailable"],
    ["is throttled", { kind: "error", name: "SlowDown", status: 503 }, "store-unavailable"],
    ["denies", { kind: "error", name: "AccessDenied", status: 403 }, "store-denied"],
  ] as const)("is still served after a request that finds that the bucket %s", async (_what, fault, code) => {
    let isFailing = false;
    const setup = await deployed({ ...BUCKET, inBucket: { fault: () => (isFailing ? fault : undefined) } });
    await setup.run({ action: "publish" });
    const before = setup.store.values();
    isFailing = true;
    expect(await setup.run({ action: "rollback", channel: "stable" })).toMatchObject({ ok: false, error: { code } });
    isFailing = false;
    expect(setup.store.values()).toEqual(before);
    expect((await setup.served()).channels).toEqual({ stable: digest });
  });

  it.each(["missing", "truncated", "garbled"] as const)(
    "is published again where its object is %s, and what is served of other channels stays",
    async (kind) => {
      const setup = await deployed();
      await setup.run({ action: "publish" });
      const reference = parseReference(setup.store.values()[layout.releasePart(digest, 0)] ?? "");
      const key = layout.object(reference?.digest ?? "");
      const text = await setup.bucket.getObject({ bucket: "releases", key });
      if (kind === "missing") await setup.bucket.deleteObject({ bucket: "releases", key });
      else
        await setup.bucket.putObject({
          bucket: "releases",
          key,
          text: (text ?? "").slice(kind === "truncated" ? 0 : 4, 900),
        });
      await setup.run({ action: "rollback", channel: "stable" });
      const back = await setup.run({ action: "rollback", channel: "stable", release: digest });
      expect(back).toMatchObject({ ok: false, error: { code: "store-corrupt" } });
      expect((await setup.served()).channels).toEqual({ stable: SMALL });
      expect(await setup.run({ action: "publish", unpin: true })).toMatchObject({ ok: true, release: digest });
      expect(await setup.bucket.getObject({ bucket: "releases", key })).toBe(text);
    },
  );
});

describe("collectGarbage() for objects", () => {
  it("takes away what no parameter refers to, after an hour, and nothing of another prefix", async () => {
    const setup = await deployed();
    await setup.run({ action: "publish" });
    const served = keysIn(setup);
    const orphan = { bucket: "releases", key: layout.object("0".repeat(32)) };
    const others = { bucket: "releases", key: `outrigger/prod/objects/${"0".repeat(32)}` };
    for (const place of [orphan, others]) await setup.bucket.putObject({ ...place, text: "what a crash left" });
    await collectGarbage(setup.dependencies);
    expect(keysIn(setup)).toHaveLength(served.length + 2);
    setup.clock.time += HOUR + 1;
    expect(await collectGarbage(setup.dependencies)).toEqual([]);
    expect([...keysIn(setup)].sort()).toEqual([...served, `releases/${others.key}`].sort());
  });

  it("takes away the object of a snapshot with its parameters, an hour after the next one", async () => {
    const setup = await deployed({ ...BUCKET, pack: packIntoBucket });
    await setup.run({ action: "publish" });
    const before = keysIn(setup);
    setup.clock.time += 2 * HOUR;
    expect(await collectGarbage(setup.dependencies)).toEqual([]);
    // Two releases, which the history names, and the snapshot that is served.
    expect([before.length, keysIn(setup).length]).toEqual([4, 3]);
    expect((await setup.served()).channels).toEqual({ stable: digest });
  });

  it("keeps an object that is written again while it collects", async () => {
    let isListed = false;
    const setup = await deployed();
    const orphan = { bucket: "releases", key: layout.object("0".repeat(32)) };
    await setup.bucket.putObject({ ...orphan, text: "text" });
    setup.clock.time += HOUR + 1;
    const objects = {
      ...setup.bucket,
      listObjects: async (...call: Parameters<typeof setup.bucket.listObjects>) => {
        const listed = await setup.bucket.listObjects(...call);
        if (!isListed) await setup.bucket.putObject({ ...orphan, text: "text" });
        isListed = true;
        return listed;
      },
    };
    await collectGarbage({ ...setup.dependencies, store: { ...setup.store, objects } });
    expect(await setup.bucket.getObject(orphan)).toBe("text");
  });

  it("warns where the bucket cannot be listed", async () => {
    const setup = await deployed({
      ...BUCKET,
      inBucket: { fault: ({ operation }) => (operation === "ListObjects" ? { kind: "lost" } : undefined) },
    });
    expect(await collectGarbage(setup.dependencies)).toEqual([
      expect.stringContaining("Cannot read s3://releases/outrigger/dev/objects/"),
    ]);
  });
});
