import type { ChannelRecord } from "@outrigger/publisher";
import { expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { Deployment } from "../connect/deployment.ts";
import { channelState, flowOf, namedRelease, readAllChanges, readReleasesState } from "./releases-state.ts";

const [FIRST, SECOND, THIRD] = ["000000000001", "000000000002", "000000000003"];

function move(action: ChannelRecord["history"][number]["action"], release: string, more: object = {}) {
  return { action, release, by: "ann", why: `${action} ${release.slice(-1)}`, at: "2026-01-01T00:00:00Z", ...more };
}

it("flowOf() goes from the channel that edits go to, to the one that most are served from", () => {
  const none = (...names: string[]) => Object.fromEntries(names.map((name) => [name, {}]));
  expect(flowOf(none("canary", "stable"), "canary")).toEqual(["canary", "stable"]);
  expect(flowOf(none("stable", "b", "a", "edge"), "edge")).toEqual(["edge", "a", "b", "stable"]);
  expect(flowOf(none("canary", "stable"), "stable")).toEqual(["canary", "stable"]);
  const behind = (channel: string) => ({ follows: { channel, after: 60, pods: 0, alarms: [] } });
  const rings = { ...none("stable", "canary"), "a-last": behind("z-first"), "z-first": behind("stable") };
  expect(flowOf(rings, "canary")).toEqual(["canary", "stable", "z-first", "a-last"]);
});

it("channelState() says what a rollback goes to, with its reason", () => {
  const history = [move("pin", SECOND), move("publish", SECOND), move("publish", FIRST)];
  const { back } = channelState("stable", { stable: { release: SECOND, pinned: true, history } as ChannelRecord });
  expect(back).toEqual({ release: FIRST, why: "publish 1", by: "ann", at: "2026-01-01T00:00:00Z" });
});

const shared = { share: { release: THIRD, percent: 5 } };

it.each<[string, readonly ReturnType<typeof move>[], string | undefined, boolean]>([
  ["a rollback", [move("rollback", FIRST), move("publish", SECOND), move("publish", FIRST)], SECOND, true],
  ["a rollback and a pin", [move("pin", FIRST), move("rollback", FIRST), move("publish", SECOND)], SECOND, true],
  [
    "a share that was taken back",
    [move("abort", SECOND), move("pin", SECOND), move("promote", SECOND, shared)],
    THIRD,
    true,
  ],
  [
    "two rollbacks",
    [move("rollback", FIRST), move("rollback", SECOND), move("promote", THIRD), move("publish", SECOND)],
    SECOND,
    true,
  ],
  ["a promotion", [move("promote", SECOND), move("publish", FIRST)], FIRST, false],
  [
    "a promotion after a rollback",
    [move("promote", THIRD), move("rollback", FIRST), move("publish", SECOND)],
    FIRST,
    false,
  ],
  ["the first publication", [move("publish", FIRST)], undefined, false],
])("channelState() names the release that pods still have after %s", (_, history, release, isTakenBack) => {
  const record = { release: history[0]?.release, pinned: false, history } as ChannelRecord;
  const { left } = channelState("stable", { stable: record });
  expect(left?.release).toBe(release);
  expect(left?.isTakenBack ?? false).toBe(isTakenBack);
});

it("channelState() leaves nothing while a share goes on, and says whether the next channel has taken its release back", () => {
  const share = { release: THIRD, percent: 5 };
  const rolling = {
    release: SECOND,
    pinned: false,
    share,
    history: [move("promote", SECOND, { share }), move("publish", FIRST)],
  };
  const back = { release: SECOND, pinned: false, history: [move("abort", SECOND), ...rolling.history] };
  const canary = (release: string) =>
    ({ release, pinned: false, history: [move("publish", release)] }) as ChannelRecord;
  const state = (stable: object, release: string) =>
    channelState("canary", { canary: canary(release), stable: stable as ChannelRecord }, "stable");
  expect(channelState("stable", { stable: rolling as ChannelRecord }).left).toBeUndefined();
  expect(state(back, THIRD)).toMatchObject({ isAhead: true, isTakenBack: true });
  expect(state(back, FIRST).isTakenBack).toBeUndefined();
  expect(state({ ...back, history: [move("promote", FIRST), ...back.history] }, THIRD).isTakenBack).toBeUndefined();
});

it("namedRelease() takes the reason of the publication, else of the latest move that is known", () => {
  const channels = {
    canary: {
      history: [move("promote", FIRST), move("publish", FIRST, { by: "bob" }), move("pin", SECOND, { by: "eve" })],
    },
    stable: { history: [move("promote", FIRST, { by: "ada" }), move("promote", SECOND)] },
  } as never;
  expect(namedRelease(FIRST, channels)).toMatchObject({ why: "publish 1", by: "bob" });
  expect(namedRelease(SECOND, channels)).toMatchObject({ why: "pin 2", by: "eve" });
  expect(namedRelease(THIRD, channels)).toEqual({ release: THIRD, why: "", by: "", at: "" });
});

async function deployment() {
  const aws = fakeAws();
  const connection = await aws.connect({ layout: aws.layout } as never);
  const opened = { ...connection, target: { stage: "dev", layout: aws.layout } } as unknown as Deployment;
  const ask = (request: object, why = "") =>
    connection.askPublisher({ ...request, cause: { by: "ann", why } } as Parameters<typeof connection.askPublisher>[0]);
  return { aws, ask, read: () => readReleasesState(opened, async () => SHIPPED, fakeIo()), opened };
}

it("readAllChanges() goes back as far as the versions of a record, each move once, the latest first", async () => {
  const { ask, opened } = await deployment();
  await ask({ action: "publish" }, "first");
  const { release } = JSON.parse(
    (await opened.store.getParameters([opened.target.layout.channel("stable")]))[0]?.value ?? "",
  );
  for (let at = 0; at < 24; at++)
    await ask(
      { action: at % 2 === 0 ? "pin" : "unpin", channel: "stable", ...(at % 2 === 0 && { release }) },
      `move ${at}`,
    );
  const [change, ...more] = await readAllChanges(opened, fakeIo());
  expect([more, change?.why]).toEqual([[], "first"]);
  expect(change?.steps.map(({ why }) => why)).toEqual([
    "first",
    ...Array.from({ length: 24 }, (_, at) => `move ${at}`),
  ]);
});

it("readAllChanges() reads no more versions than the store keeps, and loses no move between them", async () => {
  const { aws, ask, opened } = await deployment();
  await ask({ action: "publish" }, "first");
  const name = opened.target.layout.channel("stable");
  const [stored] = await opened.store.getParameters([name]);
  const record = JSON.parse(stored?.value ?? "") as ChannelRecord;
  const why = Array.from({ length: 119 }, (_, at) => `move ${at}`);
  let history: readonly object[] = record.history;
  for (const [at, text] of why.entries()) {
    history = [
      move(at % 2 === 0 ? "pin" : "unpin", record.release, { why: text, at: new Date(at).toISOString() }),
      ...history,
    ];
    await aws.put(name, JSON.stringify({ ...record, history: history.slice(0, 6) }, undefined, 1));
  }
  const changes = await readAllChanges(opened, fakeIo());
  const steps = changes.flatMap((change) => change.steps.map((step) => step.why));
  expect(steps.slice(-95)).toEqual(why.slice(-95));
  expect(new Set(steps).size).toBe(steps.length);
});

it("readReleasesState() says where edits go, whether they are published, and what of a cluster the page needs", async () => {
  const { aws, ask, read } = await deployment();
  expect(await read()).toMatchObject({
    channels: {},
    flow: [],
    publishTo: "stable",
    edits: "unpublished",
    editsWait: null,
  });
  await aws.edit("values/10-mine", "global: {hub: mine}\n");
  await ask({ action: "publish" });
  const token = { sha256: "a".repeat(64), created: "2026-01-01T00:00:00Z" };
  const record = {
    revisions: { default: "stable" },
    arn: "arn:aws:eks:eu-west-1:111122223333:cluster/shop",
    tokens: [token],
  };
  await ask({ action: "put-cluster", cluster: "shop", record });
  expect(await read()).toMatchObject({
    flow: ["stable"],
    edits: "published",
    unpublished: [],
    difference: null,
    refused: [],
    clusters: { shop: { revisions: { default: "stable" }, tokens: [token.created] } },
  });
  expect(JSON.stringify(await read())).not.toContain(token.sha256);
  await aws.edit("values/10-mine", "global: {hub: other}\n");
  await aws.edit("templates/agent", "spec: {}\n");
  expect(await read()).toMatchObject({ edits: "unpublished", unpublished: ["templates/agent", "values/10-mine"] });
  await aws.edit("values/10-mine", "global: [\n");
  expect(await read()).toMatchObject({
    edits: "refused",
    refused: [expect.objectContaining({ severity: "error", path: "values/10-mine" })],
  });
});

it("readReleasesState() says why edits wait: a pin, or a release that was taken back", async () => {
  const { aws, ask, read } = await deployment();
  await ask({ action: "publish" });
  const first = (await read()).channels["stable"]?.release;
  await ask({ action: "pin", channel: "stable", release: first });
  await aws.edit("values/10-mine", "global: {hub: mine}\n");
  expect(await read()).toMatchObject({ edits: "pinned", editsWait: "pinned" });
  await ask({ action: "unpin", channel: "stable" });
  await ask({ action: "publish" });
  expect(await read()).toMatchObject({ edits: "published", editsWait: null });
  await ask({ action: "rollback", channel: "stable" });
  await ask({ action: "unpin", channel: "stable" });
  expect(await read()).toMatchObject({ edits: "taken-back", channels: { stable: { release: first } } });
});

it("readReleasesState() shows the edits that go to a channel that the tree names, also before it is there", async () => {
  const { aws, ask, read } = await deployment();
  await ask({ action: "publish" });
  await aws.edit("config", "publishTo: canary\ndefaultTemplates: [sidecar]\n");
  expect(await read()).toMatchObject({ flow: ["stable"], edits: "unpublished" });
});
