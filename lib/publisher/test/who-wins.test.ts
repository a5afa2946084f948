// Who wins between edits, the schedule and people: each row of the table in docs/releases.md, carried out.
import { beforeEach, describe, expect, it } from "vitest";
import { packFast } from "../../../test/support/pack-quickly.ts";
import { expectRows } from "../../../test/support/page-rows.ts";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { reconcileRollouts } from "../rollout/reconcile-rollouts.ts";
import type { RolloutPlan } from "../rollout/rollout.ts";
import { reconcileSource } from "../source/reconcile-source.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const C = digestOfTree({ mesh: "c" });
const D = digestOfTree({ mesh: "d" });
const PLAN: RolloutPlan = { next: [100], bake: 600, alarms: [] };

let setup: ReturnType<typeof publisherSetup>;

/** stable, to which edits go, serves A of the tree; canary serves B. */
beforeEach(async () => {
  setup = publisherSetup({ pack: packFast });
  await setup.edit("mesh", "b");
  await setup.run({ action: "publish", channel: "canary" });
  await setup.edit("mesh", "a");
  await setup.run({ action: "publish" });
});

const edit = async (text: string) => {
  await setup.edit("mesh", text);
  return setup.run({ action: "publish", automatic: true });
};
const promote = (more: { share?: number; rollout?: RolloutPlan; replace?: true } = {}) =>
  setup.run({ action: "promote", from: "canary", to: "stable", ...more });
const roll = () => promote({ share: 5, rollout: PLAN });
const rollback = () => setup.run({ action: "rollback", channel: "stable" });
/** A deploy of a version that ships another text, and the same hands on it as on any. */
const NEXT = { shipped: { "values/0": "next" } };
const deploy = () => setup.run({ action: "publish", automatic: true }, NEXT);
const nextOf = (mesh: string) => digestOfTree({ ...NEXT.shipped, mesh });
const keep = () => setup.run({ action: "set-channel", channel: "stable", holds: ["default", "shipped-templates"] });
/** An hour of the schedule, with nobody there. */
async function anHour(): Promise<void> {
  for (let minute = 0; minute < 60; minute += 5) {
    setup.clock.time += 5 * 60_000;
    await reconcileRollouts(setup.dependencies);
    const { result } = await reconcileSource(setup.dependencies);
    expect(result).toMatchObject({ ok: true });
  }
}
const record = () => JSON.parse(setup.store.values()[layout.channel("stable")] as string);
const served = async () => {
  const { channels, shares } = await setup.served();
  return [channels["stable"], ...(shares?.["stable"] === undefined ? [] : [shares["stable"].percent])];
};

/** The row's two cells in the page, what is done, and what is served an hour later. */
const ROWS: readonly (readonly [
  what: string,
  then: string,
  run: () => Promise<unknown>,
  expected: readonly unknown[],
])[] = [
  [
    "`promote`, then nothing",
    "it stays: the schedule passes over the tree as it was",
    async () => expect(await promote()).toMatchObject({ message: expect.stringContaining("outrigger publish") }),
    [B],
  ],
  ["`promote`, then an edit", "the edit is published", async () => [await promote(), await edit("c")], [C]],
  [
    "`promote`, then `publish`",
    "the tree is published",
    async () => [await promote(), await setup.run({ action: "publish" })],
    [A],
  ],
  [
    "a deploy with other shipped templates",
    "the tree is published with them, unless that is held",
    deploy,
    [nextOf("a")],
  ],
  [
    "the same, where `holds` has `shipped-templates`",
    "it waits, and so does an edit after it",
    async () => {
      await keep();
      const waits = { ok: true, held: [{ name: "shipped-templates" }] };
      expect(await deploy()).toMatchObject(waits);
      await setup.edit("mesh", "c");
      expect(await deploy()).toMatchObject(waits);
    },
    [A],
  ],
  [
    "`promote` of a channel that has them, then an edit",
    "the promotion is made, and the edit is published",
    async () => {
      await keep();
      await deploy();
      await setup.run({ action: "publish", channel: "canary" }, NEXT);
      expect(await promote()).toMatchObject({ ok: true, release: nextOf("a") });
      expect(record()).not.toHaveProperty("proposal");
      await setup.edit("mesh", "c");
      expect(await deploy()).toMatchObject({ ok: true, changed: true });
      expect(record().holds).toContain("shipped-templates");
    },
    [nextOf("c")],
  ],
  ["a rollout that reaches 100", "it stays, like a promotion", roll, [B]],
  [
    "an edit during a rollout",
    "the edit waits, and is passed over when the rollout reaches 100",
    async () => {
      await roll();
      const waits = { ok: true, changed: false, message: expect.stringContaining("waits until the rollout") };
      expect(await edit("c")).toMatchObject(waits);
      expect((await reconcileSource(setup.dependencies)).result).toMatchObject(waits);
    },
    [B],
  ],
  [
    "an edit during a rollout that is taken back",
    "the edit is published after it",
    async () => {
      await roll();
      await edit("c");
      await setup.run({ action: "step-rollout", channel: "stable", direction: "back" });
    },
    [C],
  ],
  [
    "`publish` during a rollout",
    "refused",
    async () => {
      await roll();
      await setup.edit("mesh", "c");
      expect(await setup.run({ action: "publish" })).toMatchObject({ error: { code: "channel-moved" } });
    },
    [B],
  ],
  [
    "an edit during a share without a rollout",
    "the edit is published to the other workloads",
    async () => [await promote({ share: 5 }), await edit("c")],
    [C, 5],
  ],
  [
    "`rollback` during a share",
    "the share is taken back, and nothing else",
    async () => {
      await edit("d");
      await promote({ share: 5 });
      const message = expect.stringContaining(`${B} is taken back from 5 %`);
      expect(await rollback()).toMatchObject({ ok: true, release: D, message });
    },
    [D],
  ],
  [
    "`rollback` after that",
    "the release before",
    async () => [await edit("d"), await promote({ share: 5 }), await rollback(), await rollback()],
    [A],
  ],
  [
    "`rollback` or `pin`, then an edit",
    "the edit waits",
    async () => [await edit("d"), await rollback(), await edit("c")],
    [A],
  ],
  [
    "`pin --off` after that",
    "it stays: the schedule passes over the tree as it was",
    async () => [
      await edit("d"),
      await rollback(),
      await edit("c"),
      await setup.run({ action: "unpin", channel: "stable" }),
    ],
    [A],
  ],
  [
    "another promotion during a rollout",
    "refused, unless `--force`",
    async () => {
      await setup.edit("mesh", "d");
      await setup.run({ action: "publish", channel: "other" });
      await setup.edit("mesh", "a");
      await roll();
      const refused = { ok: false, error: { code: "channel-moved", message: expect.stringContaining("--force") } };
      expect(await promote({ share: 30 })).toMatchObject(refused);
      expect(await promote({ share: 30, rollout: PLAN })).toMatchObject(refused);
      expect(await setup.run({ action: "promote", from: "other", to: "stable" })).toMatchObject(refused);
      expect(record()).toMatchObject({ rollout: PLAN, share: { percent: 5 } });
      // The same request again is no other.
      expect(await roll()).toMatchObject({ ok: true, changed: false });
      expect(await promote({ share: 30, replace: true })).toMatchObject({ ok: true, changed: true });
      expect(record().rollout).toBeUndefined();
    },
    [A, 30],
  ],
  [
    "`promote` of the rollout's own release",
    "the release for all at once",
    async () => [await roll(), await promote()],
    [B],
  ],
  [
    "`--share 0`, or `rollout abort`",
    "the share is taken back",
    async () => [await roll(), await promote({ share: 0 })],
    [A],
  ],
];

describe("who wins on the channel that edits go to", () => {
  it.each(ROWS)("%s: %s", async (_what, _then, run, expected) => {
    await run();
    await anHour();
    expect(await served()).toEqual(expected);
  });

  it("is what docs/releases.md says", () => {
    const rows = ROWS.map(([what, then]) => [what, then]);
    expectRows({ page: "docs/releases.md", name: "who-wins", headings: ["what is done", "then"], rows });
  });

  it("lets the schedule publish what a promotion has in it", async () => {
    await setup.edit("mesh", "b");
    await promote();
    expect(record().history[0].passedOver).toBeUndefined();
    expect(await edit("c")).toMatchObject({ changed: true, release: C });
  });

  it("keeps to itself what is passed over on a channel that takes no edits", async () => {
    await setup.run({ action: "promote", from: "stable", to: "canary" });
    expect(JSON.parse(setup.store.values()[layout.channel("canary")] as string).history[0].passedOver).toBeUndefined();
  });

  it("remembers what was passed over through a share", async () => {
    await promote();
    await setup.run({ action: "publish", channel: "canary" });
    await promote({ share: 5 });
    await promote({ share: 0 });
    await anHour();
    expect(await served()).toEqual([B]);
  });

  it("rolls back once, however many people ask at the same time", async () => {
    await edit("d");
    await promote({ share: 5 });
    const request = { action: "rollback", channel: "stable", release: D, serving: D } as const;
    await setup.run(request);
    expect(await setup.run(request)).toMatchObject({ ok: true, changed: false });
    expect(await served()).toEqual([D]);
  });
});
