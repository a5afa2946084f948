// Random weeks of a company: 12 clusters in 3 rings of 4 deployments, which a file names in rings of its own. A pipeline publishes one tree to all, ring
// of the file by ring, and goes on once the deployments before serve it in all of their rings. Good and bad releases, clusters in which nothing moves,
// accounts that cannot be reached, throttles, pins and two operators at once: a bad release reaches no ring behind the one that shows it, a good
// one reaches all, nothing moves past a pin, and what each run says is so.
import { OutriggerError } from "@outrigger/base";
import { seededRandom } from "@outrigger/fake-aws";
import { type ChannelRecord, reconcileRollouts } from "@outrigger/publisher";
import fc from "fast-check";
import { expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { packFast } from "../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup } from "../../test/support/publisher-setup.ts";
import { countEach, noCounts } from "../../test/support/simulated-rollout.ts";
import type { NamedDeployment } from "../releases/deployments-file.ts";
import { type PublishTo, publishToMany } from "../releases/publish-to-many.ts";

/** Hundreds with OUTRIGGER_FLEET_RUNS. */
const numRuns = Number(process.env["OUTRIGGER_FLEET_RUNS"] ?? 3);

const FILE: readonly NamedDeployment[] = [
  { stage: "dev", region: "eu-west-1", ring: 1 },
  { stage: "dev", region: "us-east-1", ring: 2 },
  { stage: "dev", region: "eu-north-1", ring: 2 },
  { stage: "dev", region: "ap-south-1", ring: 3 },
];
/** Each with a cluster of its own in each deployment. */
const RINGS = ["ring-1", "ring-2", "ring-3"] as const;
const MINUTE = 60_000;
const FOLLOWING = { after: 300, pods: 10, alarms: [] };

interface Row {
  readonly deployment: NamedDeployment;
  readonly state: string;
  readonly release?: string;
  readonly error?: { readonly message: string };
}

it("brings good trees everywhere, and bad ones to no ring behind the one that shows it", {
  timeout: numRuns * 20_000,
}, async () => {
  const reached = {
    everywhere: 0,
    shownBad: 0,
    unreachable: 0,
    throttled: 0,
    pins: 0,
    frozen: 0,
    heldRuns: 0,
    notBegun: 0,
  };
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0 }), async (seed) => {
      const random = seededRandom(seed);
      const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
      const bad = new Set<string>();
      const worlds = FILE.map((named) => ({
        named,
        setup: publisherSetup({ pack: packFast }),
        frozen: new Set<string>(),
      }));
      const worldOf = ({ region }: NamedDeployment) => worlds.find(({ named }) => named.region === region) as World;
      type World = (typeof worlds)[number];
      const recordOf = ({ setup }: World, ring: string): ChannelRecord =>
        JSON.parse(setup.store.values()[layout.channel(ring)] as string) as ChannelRecord;
      const servedBy = (world: World) => RINGS.map((ring) => recordOf(world, ring).release);
      const isIn = (release: string) => (world: World) => servedBy(world).every((served) => served === release);
      /** Accounts that cannot be reached, and the chance that a call is throttled. */
      const faults = { down: new Set<string>(), throttled: 0 };

      function storeOf({ setup }: World) {
        return new Proxy(setup.dependencies.store, {
          get: (target, name, receiver) => {
            const found = Reflect.get(target, name, receiver);
            if (typeof found !== "function") return found;
            return (...given: unknown[]) => {
              if (random() >= faults.throttled) return found.apply(target, given);
              reached.throttled++;
              return Promise.reject(new OutriggerError("store-unavailable", "throttled"));
            };
          },
        });
      }

      /** A minute, with the schedule's look in each deployment. */
      async function minute() {
        for (const world of worlds) {
          world.setup.clock.time += MINUTE;
          const countReleases = countEach((release) => {
            // What serves it and injects: a cluster in which nothing is restarted shows nothing.
            const seen = RINGS.filter((ring) => recordOf(world, ring).release === release && !world.frozen.has(ring));
            const failed = bad.has(release) ? 20 * seen.length : 0;
            if (failed > 0) reached.shownBad++;
            return { ...noCounts, injected: 100 * seen.length, failed };
          });
          const dependencies = { ...world.setup.dependencies, store: storeOf(world), countReleases };
          await reconcileRollouts(dependencies).catch((error: unknown) => {
            if (!(error instanceof OutriggerError)) throw error;
          });
        }
        for (const world of worlds) {
          const [first, ...behind] = servedBy(world);
          if (behind.some((release) => bad.has(release)))
            throw new Error(`${world.named.region}: a ring serves a bad release`);
          if (world.named.ring > 1 && bad.has(first as string))
            throw new Error(`${world.named.region} serves a bad release`);
          for (const ring of RINGS) assertPins(world, ring);
        }
      }

      /** Nothing but a person's own word comes after a pin. */
      function assertPins(world: World, ring: string) {
        const { history } = recordOf(world, ring);
        const past = history.find(({ by }, place) => {
          const before = history[place + 1]?.action;
          return by !== "ann" && (before === "pin" || before === "rollback");
        });
        if (past !== undefined) throw new Error(`${world.named.region}: ${past.by} moved ${ring} past a pin`);
      }

      const publishTo =
        (text: string, by: string): PublishTo =>
        async (named, { dryRun }) => {
          const world = worldOf(named);
          const { region = "" } = named;
          if (faults.down.has(region)) {
            reached.unreachable++;
            throw new OutriggerError("aws-unavailable", `${region} cannot be reached`);
          }
          const before = recordOf(world, "ring-1").release;
          const release = digestOfTree({ mesh: text });
          if (dryRun !== true) await world.setup.edit("mesh", text);
          const accepted = { action: "publish", channel: "ring-1", cause: { by, why: text } } as const;
          const request = dryRun === true ? { ...accepted, dryRun } : accepted;
          const result = await world.setup.run(request, { store: storeOf(world) });
          if (!result.ok) throw new OutriggerError(result.error.code, result.error.message);
          return { release, changed: dryRun === true ? before !== release : result.changed };
        };

      /** Publishes to the rings of the file up to one, and holds what it says against what is served. */
      async function publish(text: string, upTo: number, by = "the pipeline", isAlone = true) {
        const io = fakeIo();
        const named = FILE.filter(({ ring }) => ring <= upTo);
        const before = new Map(named.map((each) => [each.region, recordOf(worldOf(each), "ring-1").release]));
        const error = await publishToMany(named, publishTo(text, by), { json: true }, io).then(
          () => undefined,
          (thrown: unknown) => thrown as OutriggerError,
        );
        const rows = JSON.parse(io.out()) as readonly Row[];
        expect(rows.map(({ deployment }) => deployment.region)).toEqual(named.map(({ region }) => region));
        const failed = rows.filter((row) => row.error !== undefined);
        expect(error === undefined).toBe(failed.length === 0);
        if (!isAlone) return failed.length === 0;
        const release = digestOfTree({ mesh: text });
        for (const { deployment, state } of rows) {
          const served = recordOf(worldOf(deployment), "ring-1").release;
          if (state === "published" || state === "as before") expect(served, deployment.region).toBe(release);
          if (state === "not begun") expect(served, deployment.region).toBe(before.get(deployment.region));
        }
        const held = rows.filter(({ state }) => state === "not begun");
        reached.notBegun += held.length;
        if (failed.length > 0) reached.heldRuns++;
        // A ring that fails is the last that is begun; where a trial has failed, nothing is.
        const first = Math.min(...failed.map(({ deployment }) => deployment.ring));
        const behind = rows.filter(({ deployment }) => deployment.ring > first && failed.length > 0);
        expect(behind.every((row) => row.state === "not begun" || row.error !== undefined)).toBe(true);
        const done = rows.filter(({ state }) => state === "published" || state === "as before").length;
        if (error?.message.includes("nothing was written") === true) expect(done).toBe(0);
        else if (error !== undefined) expect(error.message).toContain(`${done} of ${rows.length} deployments`);
        return failed.length === 0;
      }

      /** The pipeline: a ring of the file is begun once the deployments before it serve the tree in all of their own rings. */
      async function pipeline(text: string, patience: number): Promise<boolean> {
        const release = digestOfTree({ mesh: text });
        for (const ring of [1, 2, 3]) {
          let isDone = await publish(text, ring);
          for (let waited = 0; waited < patience; waited++) {
            const members = worlds.filter(({ named }) => named.ring <= ring);
            if (isDone && members.every(isIn(release))) break;
            await minute();
            if (!isDone) isDone = await publish(text, ring);
          }
          if (!worlds.filter(({ named }) => named.ring <= ring).every(isIn(release))) return false;
        }
        return true;
      }

      let texts = 0;
      const good = () => `fine ${texts++}`;
      const first = good();
      for (const { setup } of worlds) {
        await setup.edit("mesh", first);
        await setup.run({ action: "publish", channel: "ring-1" });
        for (const [index, ring] of RINGS.slice(1).entries()) {
          const follow = { channel: RINGS[index] as string, ...FOLLOWING };
          await setup.run({ action: "promote", from: "ring-1", to: ring });
          expect(await setup.run({ action: "set-channel", channel: ring, follow })).toMatchObject({ ok: true });
        }
      }
      for (let step = 0; step < 5; step++) {
        faults.throttled = random() < 0.5 ? 0.003 : 0;
        if (random() < 0.4) faults.down.add(pick(FILE).region as string);
        if (random() < 0.4) {
          const world = pick(worlds);
          world.frozen.add(pick(RINGS));
          reached.frozen++;
        }
        if (random() < 0.4) {
          const channel = pick(RINGS);
          const world = pick(worlds);
          await world.setup.run({ action: pick(["pin", "rollback"] as const), channel });
          reached.pins++;
        }
        const chance = random();
        if (chance < 0.4) {
          const worse = `worse ${texts++}`;
          bad.add(digestOfTree({ mesh: worse }));
          expect(await pipeline(worse, 8)).toBe(false);
        } else if (chance < 0.7) {
          if (await pipeline(good(), 12)) reached.everywhere++;
        } else {
          // Two operators at once, with the same tree or another: each is told what became of its own.
          const [one, other] = [good(), random() < 0.5 ? good() : undefined];
          await Promise.all([publish(one, 1, "ann", false), publish(other ?? one, 1, "bob", false)]);
          await minute();
        }
        if (random() < 0.5) faults.down.clear();
        for (const world of worlds) {
          if (random() < 0.5) world.frozen.clear();
          // Who is on call takes a bad release back, and says later that things may go on.
          if (bad.has(servedBy(world)[0] as string)) await world.setup.run({ action: "rollback", channel: "ring-1" });
          if (random() < 0.5) for (const channel of RINGS) await world.setup.run({ action: "unpin", channel });
        }
      }
      faults.down.clear();
      faults.throttled = 0;
      for (const world of worlds) {
        world.frozen.clear();
        for (const channel of RINGS) await world.setup.run({ action: "unpin", channel });
      }
      const last = good();
      expect(await pipeline(last, 60)).toBe(true);
      reached.everywhere++;
      for (const world of worlds) {
        const { channels } = await world.setup.served();
        expect(RINGS.map((ring) => channels[ring])).toEqual(RINGS.map(() => digestOfTree({ mesh: last })));
      }
    }),
    { numRuns },
  );
  // Enough was tried.
  expect(Math.min(...Object.values(reached)), JSON.stringify(reached)).toBeGreaterThan(0);
});
