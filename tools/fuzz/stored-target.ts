// The target about what Parameter Store holds: the head, the mirror and the snapshot, damaged as bytes or as what they say.
// A process that has a snapshot keeps serving it; one that has none serves the bundled release, or fails with a code.
import { type Parameter, packParts, recordText } from "@outrigger/aws";
import { isObject, objectOf, once, parseJson } from "@outrigger/base";
import { fakeParameterStore } from "@outrigger/fake-aws";
import { compileRelease, loadRelease } from "@outrigger/injector";
import type { Snapshot } from "@outrigger/serving";
import { serveStore } from "@outrigger/serving";
import { handlerOf } from "../../functions/inject/api-gateway.ts";
import { eventOf } from "../../test/support/gateway-event.ts";
import { pick, type Random } from "../../test/support/random.ts";
import { clusterOf, LAYOUT, PREFIX, snapshotOf, writeSnapshot } from "../../test/support/stored-snapshot.ts";
import { tokenOf } from "../../test/support/tokens.ts";
import { virtualClock } from "../../test/support/virtual-clock.ts";
import { below, damaged, damagedText } from "./damage.ts";
import type { FuzzTarget } from "./fuzz-target.ts";

const TOKEN = tokenOf("fuzz-");
const EVENT = eventOf({
  object: { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "web" }] } },
  namespace: "shop",
  path: `/t/${TOKEN}/inject`,
});

const tokens = ["{", "}", '"', " ", "/", "0/9 ", "8/9 ", "-1", "1e9", "AAAA", "=", "\n", '"seq":', '"parts":0', "null"];

/** The values in a store, by name. */
type Stored = Readonly<Record<string, string>>;

export async function storedTarget(): Promise<FuzzTarget> {
  const release = compileRelease([
    {
      config: "defaultTemplates: [agent]",
      "templates/agent": "spec: {containers: [{name: agent, image: agent}]}\n",
      "samples/plain": "kind: Pod\nmetadata: {name: plain}\nspec: {containers: [{name: web, image: web}]}\n",
    },
  ]);
  const bundled = once(() => ({ digest: "bundled", injector: loadRelease(release) }));
  const snapshot = snapshotOf({ releases: { s1: release }, clusters: { east: clusterOf([TOKEN]) } });
  const store = fakeParameterStore();
  await writeSnapshot(store, snapshot);
  const whole = { ...store.values(), ...objectsOf(store.objects.objectTable()) };

  /** A process that started with what `first` holds, and reads what `second` holds a minute and a half later. */
  async function serve(first: Stored, second: Stored) {
    const clock = virtualClock();
    let stored = first;
    const problems: string[] = [];
    const lines: string[] = [];
    const { find, live } = serveStore({
      prefix: PREFIX,
      ttl: 10_000,
      bundled,
      reader: {
        getParameters: async (names) => names.flatMap((name) => parameterOf(name, stored) ?? []),
        objects: {
          getObject: async (key) => {
            const text = Object.hasOwn(stored, key) ? stored[key] : undefined;
            return text === undefined ? undefined : { text, tag: "" };
          },
        },
      },
      clock,
      random: () => 0.5,
      report: (error) => void problems.push(error.message),
    });
    const handler = handlerOf({ find, now: clock.now }, (line) => void lines.push(line));
    live.start();
    await clock.settle(handler(EVENT));
    stored = second;
    clock.jump(90_000);
    await clock.settle(handler(EVENT));
    return { answers: lines.map((line) => JSON.parse(line)), problems };
  }

  return {
    name: "stored-parameters",
    share: 1,
    make: (random): Stored => (random() < 0.5 ? damagedParameters(whole, random) : damagedSnapshot(snapshot, random)),
    faultOf: async (input) => {
      const stored = input as Stored;
      const started = await serve(stored, whole);
      const running = await serve(whole, stored);
      const [before, after] = running.answers;
      if (before.served !== "current") return `the whole snapshot is not served: ${JSON.stringify(before)}`;
      if (running.problems.length > 0 && after.decision !== "injected") {
        return `what was in memory is no longer served: ${JSON.stringify(after)} ${running.problems}`;
      }
      const answers = [...started.answers, ...running.answers];
      const bug = answers.find(({ reason, error }) => reason === "bug" || error?.stack !== undefined);
      if (bug !== undefined) return JSON.stringify(bug);
      const problem = [...started.problems, ...running.problems].find((message) =>
        message.includes("because of a bug"),
      );
      if (problem !== undefined) return problem;
      const last = started.answers.at(-1);
      return last.served === "current" || isLater(stored) ? undefined : `it stays: ${JSON.stringify(last)}`;
    },
  };
}

function objectsOf(table: ReadonlyMap<string, { readonly text: string }>): Stored {
  return Object.fromEntries([...table].map(([key, { text }]) => [key, text]));
}

/** A head with a higher number than the whole one has: what is whole counts as an earlier commit. */
function isLater(stored: Stored): boolean {
  return [LAYOUT.head, LAYOUT.bucketHead].some((name) => objectOf(parseJson(stored[name] ?? ""))["seq"] !== 1);
}

function parameterOf(name: string, stored: Stored): Parameter | undefined {
  const value = Object.hasOwn(stored, name) ? stored[name] : undefined;
  return value === undefined ? undefined : { name, value, type: "String", version: 1 };
}

function damagedParameters(whole: Stored, random: Random): Stored {
  const names = Object.keys(whole);
  let stored = whole;
  for (let changes = 1 + below(random, 3); changes > 0; changes--) {
    const name = pick(random, names);
    const { [name]: value = "", ...others } = stored;
    const choice = below(random, 5);
    if (choice === 0) stored = others;
    else if (choice === 1) stored = { ...others, [name]: whole[pick(random, names)] ?? "" };
    else stored = { ...others, [name]: damagedText(value, random, tokens) };
  }
  return stored;
}

/**
 * Damages a snapshot and writes it as a commit does: its digest is right, and what it says is not. The inside of a
 * release is left as it is: it has a digest of its own, and a writer who can change both can write any release.
 */
function damagedSnapshot({ releases, ...others }: Snapshot, random: Random): Stored {
  let changed: unknown = others;
  for (let changes = 1 + below(random, 3); changes > 0; changes--) changed = damaged(changed, random);
  const held = random() < 0.8 ? releases : pick(random, [{}, [], null, { s1: 1 }]);
  if (isObject(changed)) changed = { ...changed, releases: held };
  const { digest, text, parts } = packParts(JSON.stringify(changed), "Standard", "the snapshot", "releases");
  const head = { digest, parts: parts.length, seq: random() < 0.8 ? 1 : 2 };
  const mirror = Object.fromEntries(parts.map((part, index) => [LAYOUT.mirrorPart(index), part]));
  const objects = { [LAYOUT.snapshot(digest)]: text, [LAYOUT.bucketHead]: recordText(head) };
  return { [LAYOUT.head]: recordText(head), ...mirror, ...objects };
}
