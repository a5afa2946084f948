// Two publishers at once, their calls in any order, either of which may stop at any of them: no change is lost, none is made
// twice, and whatever was answered "done" is in the records.
import type { ParameterStore } from "@outrigger/aws";
import { seededRandom } from "@outrigger/fake-aws";
import { describe, expect, it } from "vitest";
import { packFast } from "../../../test/support/pack-quickly.ts";
import { dependenciesOn, digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { type Process, type Shelf, startProcess } from "../../../test/support/stepped-store.ts";
import { readRelease } from "../release/release-object.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import type { PublisherResult } from "../request/publisher-result.ts";
import { runPublisher } from "../run-publisher.ts";
import { treeDigest } from "../source/push-manifest.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const C = digestOfTree({ mesh: "c" });
const cause = { by: "ann", why: "" };
const sha256 = (pair: string) => pair.repeat(32);

/** Pairs of requests, of which the two publishers are asked one each. */
const PAIRS: readonly (readonly [string, PublisherRequest, PublisherRequest])[] = [
  [
    "two tokens",
    { action: "add-token", cluster: "one", sha256: sha256("a1"), cause },
    { action: "add-token", cluster: "two", sha256: sha256("a2"), cause },
  ],
  [
    "two tokens of one cluster",
    { action: "add-token", cluster: "one", sha256: sha256("a1"), cause },
    { action: "retire-token", cluster: "one", sha256: sha256("b1"), cause },
  ],
  [
    "a rollback and a token",
    { action: "rollback", channel: "stable", release: B, serving: C, cause },
    { action: "add-token", cluster: "one", sha256: sha256("a1"), cause },
  ],
  [
    "the same rollback twice",
    { action: "rollback", channel: "stable", release: B, serving: C, cause },
    { action: "rollback", channel: "stable", release: B, serving: C, cause },
  ],
  [
    "a rollback and an edit",
    { action: "rollback", channel: "stable", release: B, serving: C, cause },
    { action: "publish", automatic: true, cause },
  ],
  [
    "a channel that goes and a cluster that is moved to it",
    { action: "remove-channel", channel: "canary", cause },
    { action: "put-cluster", cluster: "new", record: { revisions: { default: "canary" }, arn: "" }, cause },
  ],
];

const SEEDS = 150;

describe("runPublisher() twice at once", () => {
  it.each(PAIRS)(
    "loses nothing and makes nothing twice: %s",
    async (_what, first, second) => {
      const { parameters, objects } = await deployed();
      for (let seed = 1; seed <= SEEDS; seed++) {
        const shelf: Shelf = {
          objects: new Map(objects),
          parameters: new Map(parameters),
          time: Date.parse("2026-01-03T00:00:00Z"),
        };
        const random = seededRandom(seed);
        const stops = random() < 0.3;
        const actors = [first, second].map((request, index) =>
          start(shelf, { ...request, id: `request-${seed}-${index}` }),
        );
        await interleave(actors, random, stops);
        const again = [first, second].map((request, index) =>
          start(shelf, { ...request, id: `request-${seed}-${index}` }),
        );
        for (const actor of again) await interleave([actor], random, false);
        check(
          shelf,
          [first, second],
          again.map(({ result }) => result as PublisherResult),
          seed,
        );
      }
    },
    120_000,
  );
});

describe("runPublisher() while another publisher serves a later tree", () => {
  /** A publisher of the tree "a" is about to read or write at a place, when `meanwhile` happens. */
  async function interruptedAt(
    place: string,
    meanwhile: (setup: ReturnType<typeof publisherSetup>) => Promise<unknown>,
    request: Parameters<ReturnType<typeof publisherSetup>["run"]>[0],
    before?: typeof request,
  ) {
    const setup = publisherSetup({ pack: packFast });
    await setup.edit("mesh", "a");
    if (before !== undefined) await setup.run(before);
    let isInterrupted = false;
    const arriveAt = async (name: string) => {
      if (isInterrupted || !name.startsWith(place)) return;
      isInterrupted = true;
      await meanwhile(setup);
    };
    const store: ParameterStore = {
      ...setup.store,
      async getParametersByPath({ path, next }) {
        await arriveAt(path);
        return setup.store.getParametersByPath({ path, next });
      },
      async putParameter(write) {
        await arriveAt(write.name);
        return setup.store.putParameter(write);
      },
      objects: {
        ...setup.store.objects,
        async putObject(write) {
          await arriveAt(write.key);
          return setup.store.objects.putObject(write);
        },
      },
    };
    return { setup, result: await setup.run(request, { store }) };
  }

  it.each([layout.channels, layout.releases, layout.change(1)])(
    "does not serve the earlier tree after it (at %s)",
    async (place) => {
      const editAndPublish = async ({ edit, run }: ReturnType<typeof publisherSetup>) => {
        await edit("mesh", "b");
        expect(await run({ action: "publish", automatic: true })).toMatchObject({ ok: true, release: B });
      };
      const { setup, result } = await interruptedAt(place, editAndPublish, { action: "publish", automatic: true });
      expect(result).toMatchObject({ ok: true, release: B });
      expect((await setup.served()).channels).toEqual({ stable: B });
    },
  );

  it("refuses a tree that was requested and is not there any more", async () => {
    const editAndPublish = async ({ edit, run }: ReturnType<typeof publisherSetup>) => {
      await edit("mesh", "b");
      await run({ action: "publish" });
    };
    const tree = treeDigest({ mesh: "a" });
    const { setup, result } = await interruptedAt(layout.releases, editAndPublish, { action: "publish", tree });
    expect(result).toMatchObject({ ok: false, error: { code: "tree-changed" } });
    expect((await setup.served()).channels).toEqual({ stable: B });
  });

  it("leaves the origin of a served release as it is where it is refused", async () => {
    const promoteAndPin = async ({ run }: ReturnType<typeof publisherSetup>) => {
      await run({ action: "promote", from: "stable", to: "canary" });
      await run({ action: "pin", channel: "canary" });
    };
    const request = { action: "publish", channel: "canary", cause: { by: "bob", why: "" } } as const;
    const { setup, result } = await interruptedAt(layout.change(2), promoteAndPin, request, { action: "publish" });
    expect(result).toMatchObject({ ok: false, error: { code: "channel-pinned" } });
    const { origin } = await readRelease(setup.dependencies, A);
    expect(origin?.by).toBe("ann");
  });
});

describe("runPublisher() asked again", () => {
  it("answers a publication that was made, though the tree cannot be published any more", async () => {
    const setup = publisherSetup({ pack: packFast });
    await setup.edit("mesh", "a");
    const request = { action: "publish", id: "request-1" } as const;
    const first = await setup.run(request);
    await setup.edit("mesh", "bad");
    expect(await setup.run(request)).toMatchObject({ ok: true, release: A, message: first.ok && first.message });
  });
});

interface Actor {
  readonly process: Process;
  result: PublisherResult | undefined;
  isDone: boolean;
}

function start(shelf: Shelf, request: PublisherRequest): Actor {
  const process = startProcess(shelf);
  const actor: Actor = { process, result: undefined, isDone: false };
  const dependencies = { ...dependenciesOn(process.store, shelf), pack: packFast };
  runPublisher(request, dependencies).then((result) => {
    actor.result = result;
    actor.isDone = true;
  });
  return actor;
}

async function interleave(actors: readonly Actor[], random: () => number, stops: boolean): Promise<void> {
  let left = [...actors];
  const isStopped = stops ? Math.floor(random() * 40) : -1;
  for (let step = 0; left.length > 0; step++) {
    const actor = left[Math.floor(random() * left.length)] as Actor;
    while (!actor.isDone && !actor.process.waits()) await null;
    if (!actor.isDone) await actor.process.step();
    while (!actor.isDone && !actor.process.waits()) await null;
    left = left.filter((other) => !other.isDone && !(other === actor && step === isStopped));
  }
}

/** Whatever was answered "done" holds at the end, and was written down once. */
function check(shelf: Shelf, requests: readonly PublisherRequest[], results: readonly PublisherResult[], seed: number) {
  const record = (name: string) => JSON.parse(shelf.parameters.get(name)?.value ?? "null");
  for (const [index, request] of requests.entries()) {
    const result = results[index] as PublisherResult;
    const where = { seed, request, result };
    if (!result.ok) {
      expect(["channel-unknown", "channel-moved"], JSON.stringify(where)).toContain(result.error.code);
      continue;
    }
    if (request.action === "add-token" || request.action === "retire-token") {
      const live = record(layout.cluster(request.cluster)).tokens.map((token: { sha256: string }) => token.sha256);
      expect(live.includes(request.sha256), JSON.stringify(where)).toBe(request.action === "add-token");
    }
    if (request.action === "rollback") {
      const { release, pinned, history } = record(layout.channel("stable"));
      expect({ release, pinned }, JSON.stringify(where)).toEqual({ release: B, pinned: true });
      const made = history.filter((move: { action: string }) => move.action === "rollback");
      expect(made.length, JSON.stringify(where)).toBe(1);
    }
    if (request.action === "put-cluster")
      expect(record(layout.channel("canary")), JSON.stringify(where)).not.toBeNull();
  }
}

async function deployed() {
  const setup = publisherSetup({ pack: packFast });
  for (const text of ["a", "b", "c"]) {
    await setup.edit("mesh", text);
    await setup.run({ action: "publish" });
  }
  await setup.run({ action: "publish", channel: "canary" });
  for (const [cluster, live] of [
    ["one", [sha256("b1")]],
    ["two", [sha256("b2")]],
  ] as const) {
    const tokens = live.map((token) => ({ sha256: token, created: "2026-01-01" }));
    await setup.run({ action: "put-cluster", cluster, record: { revisions: { default: "stable" }, arn: "", tokens } });
  }
  await setup.run({ action: "add-token", cluster: "one", sha256: sha256("c1") });
  await setup.run({ action: "retire-token", cluster: "one", sha256: sha256("c1") });
  await setup.edit("mesh", "d");
  const pages: [string, { name: string; value: string; type: "String"; version: number; lastModified: number }][] = [];
  for (const [name, versions] of setup.store.table()) {
    const { value, version, modified } = versions.at(-1) as { value: string; version: number; modified: number };
    pages.push([name, { name, value, type: "String", version, lastModified: modified }]);
  }
  expect(A).not.toBe(B);
  return { parameters: new Map(pages), objects: setup.bucket.objectTable() };
}
