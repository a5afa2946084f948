// Requests in a row while readings are behind writes: they show an old value, or a deleted parameter. Each request is a
// publisher of its own, with nothing in memory.

import { seededRandom } from "@outrigger/fake-aws";
import { recordDigest } from "@outrigger/serving";
import { describe, expect, it } from "vitest";
import { packFast } from "../../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { readRecords } from "../records/read-records.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const sha256 = (pair: string) => pair.repeat(32);
const SETTLED = 10_000;
/** Milliseconds that the function waits after an edit before it publishes it. */
const QUIET = 2000;

const LAGS = [0, 300, 1200, 2000];

/** Trees A, then B, published while nothing lags; afterwards every call is as late as it may be, or by chance up to that. */
async function setupWith(lag: number, seed = 0) {
  const random = seededRandom(seed + 1);
  let isLagging = false;
  const setup = publisherSetup({
    pack: packFast,
    lag: () => (!isLagging ? 0 : seed === 0 ? lag : Math.round(random() * lag)),
  });
  for (const text of ["a", "b"]) {
    await setup.edit("mesh", text);
    await setup.run({ action: "publish" });
  }
  setup.clock.time += SETTLED;
  isLagging = true;
  const editAndWait = async (path: string, text: string) => {
    await setup.edit(path, text);
    setup.clock.time += QUIET;
  };
  const settled = async () => {
    setup.clock.time += SETTLED;
    return setup.served();
  };
  return { ...setup, editAndWait, settled };
}

describe.each(LAGS)("when readings are %i ms behind writes,", (behind) => {
  it("a rollback is not undone by the edit right after it", async () => {
    const { run, editAndWait, settled } = await setupWith(behind);
    await editAndWait("mesh", "c");
    expect(await run({ action: "rollback", channel: "stable", serving: B })).toMatchObject({ ok: true, release: A });
    expect(await run({ action: "publish", automatic: true })).toMatchObject({ ok: true, release: A });
    expect((await settled()).channels).toEqual({ stable: A });
  });

  it("a rollback during an edit's publication is not undone by it", async () => {
    for (let seed = 0; seed < 12; seed++) {
      const { run, editAndWait, settled, store } = await setupWith(behind, seed);
      await editAndWait("mesh", "c");
      let isRolledBack = false;
      const late: typeof store = {
        ...store,
        objects: {
          ...store.objects,
          async putObject(write) {
            if (!isRolledBack && write.key.startsWith(layout.releases)) {
              isRolledBack = true;
              const request = { action: "rollback", channel: "stable", release: A, serving: B } as const;
              expect(await run(request)).toMatchObject({ ok: true });
            }
            return store.objects.putObject(write);
          },
        },
      };
      await run({ action: "publish", automatic: true }, { store: late });
      expect((await settled()).channels, `seed ${seed}`).toEqual({ stable: A });
    }
  });

  it("a release that was published just now can be promoted, pinned and rolled back to", async () => {
    const { run, editAndWait, settled } = await setupWith(behind);
    await editAndWait("mesh", "c");
    const published = await run({ action: "publish", channel: "canary" });
    expect(published).toMatchObject({ ok: true });
    const release = published.ok ? (published.release as string) : "";
    expect(await run({ action: "promote", from: "canary", to: "stable" })).toMatchObject({ ok: true, release });
    expect(await run({ action: "rollback", channel: "stable" })).toMatchObject({ ok: true, release: B });
    expect(await run({ action: "pin", channel: "stable", release })).toMatchObject({ ok: true, release });
    expect((await settled()).channels).toEqual({ canary: release, stable: release });
  });

  it("a registration succeeds, step after step", async () => {
    const { run, settled } = await setupWith(behind);
    const record = { revisions: { default: "stable" }, arn: "" };
    const lease = { id: "ab".repeat(8), seconds: 60 };
    const cluster = "shop";
    const put = await run({ action: "put-cluster", cluster, record, expect: "none", lease });
    expect(put).toMatchObject({ ok: true });
    const held = { ...record, tokens: [] };
    const steps = [
      { action: "add-token", cluster, sha256: sha256("a1"), lease, expect: recordDigest(held) },
      { action: "add-token", cluster, sha256: sha256("a2"), lease },
      { action: "retire-token", cluster, sha256: sha256("a1"), lease: { ...lease, seconds: 0 } },
    ] as const;
    for (const step of steps) expect(await run(step)).toMatchObject({ ok: true });
    const { clusters } = await settled();
    expect(clusters["shop"]?.tokens.map((token) => token.sha256)).toEqual([sha256("a2")]);
    expect(clusters["shop"]?.lease).toBeUndefined();
  });

  it("each change is written on the one before: no move is missing from a history, and no setting from a record", async () => {
    const { run, editAndWait, settled, store } = await setupWith(behind);
    const record = { revisions: { default: "stable" }, arn: "" };
    expect(await run({ action: "put-cluster", cluster: "shop", record })).toMatchObject({ ok: true });
    for (const text of ["c", "d"]) {
      await editAndWait("mesh", text);
      expect(await run({ action: "publish" })).toMatchObject({ ok: true, changed: true });
      expect(await run({ action: "add-token", cluster: "shop", sha256: sha256(`${text}1`) })).toMatchObject({
        ok: true,
      });
      expect(await run({ action: "rollback", channel: "stable", release: A })).toMatchObject({
        ok: true,
        changed: true,
      });
      expect(await run({ action: "unpin", channel: "stable" })).toMatchObject({ ok: true, changed: true });
    }
    const moved = { ...record, network: "n1" };
    expect(await run({ action: "put-cluster", cluster: "shop", record: moved })).toMatchObject({ ok: true });
    const { clusters } = await settled();
    const { history } = JSON.parse(store.values()[layout.channel("stable")] ?? "{}");
    const moves = history.map(({ action }: { readonly action: string }) => action);
    const each = ["unpin", "rollback", "publish"];
    expect(moves).toEqual([...each, ...each, "publish", "publish"]);
    expect(clusters["shop"]).toMatchObject({
      network: "n1",
      tokens: [{ sha256: sha256("c1") }, { sha256: sha256("d1") }],
    });
  });

  it("a channel and a cluster on it, and both removed again", async () => {
    const { run, settled, dependencies } = await setupWith(behind);
    const record = { revisions: { default: "canary" }, arn: "" };
    expect(await run({ action: "publish", channel: "canary" })).toMatchObject({ ok: true });
    expect(await run({ action: "put-cluster", cluster: "shop", record })).toMatchObject({ ok: true });
    expect(await run({ action: "remove-channel", channel: "canary" })).toMatchObject({ ok: false });
    expect(await run({ action: "remove-cluster", cluster: "shop" })).toMatchObject({ ok: true });
    expect(await run({ action: "remove-channel", channel: "canary" })).toMatchObject({ ok: true });
    expect(await settled()).toMatchObject({ channels: { stable: B }, clusters: {} });
    expect((await readRecords(dependencies)).channels).toHaveProperty("stable");
  });
});
