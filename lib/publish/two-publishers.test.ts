// Two publishers at once, their calls in any order, either of which may stop at any of them: no change is lost, none is made
// twice, and whatever was answered "done" is in the records.
import { describe, expect, it } from "vitest";
import { packFast } from "../../test/support/publisher-model.ts";
import { dependenciesOn, digestOfTree, layout, publisherSetup } from "../../test/support/publisher-setup.ts";
import { type Process, type Shelf, startProcess } from "../../test/support/stepped-store.ts";
import { seededRandom } from "../parameter-store/fake/seeded-random.ts";
import type { PublisherRequest, PublisherResult } from "./publisher-request.ts";
import { runPublisher } from "./run-publisher.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const C = digestOfTree({ mesh: "c" });
const cause = { by: "ann", why: "" };
const sha256 = (pair: string) => pair.repeat(32);

/** What one of the two is asked while the other one is asked something else. */
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
    "a channel that goes and a cluster that comes to it",
    { action: "remove-channel", channel: "canary", cause },
    { action: "put-cluster", cluster: "new", record: { revisions: { default: "canary" }, arn: "" }, cause },
  ],
];

const SEEDS = 150;

describe("runPublisher() twice at once", () => {
  it.each(PAIRS)(
    "loses nothing and makes nothing twice: %s",
    async (_what, first, second) => {
      const table = await deployed();
      for (let seed = 1; seed <= SEEDS; seed++) {
        const shelf: Shelf = { parameters: new Map(table), time: Date.parse("2026-01-03T00:00:00Z") };
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
  return new Map(pages);
}
