// Random days of four channels that follow one another: good and bad releases, two operators, pins, also in the middle of a look, looks that
// come twice or stop at any call, stores and counts that cannot be read. A bad release reaches no ring behind the one that shows it, nothing
// moves past a pin, and a good one reaches all in the end.
import { OutriggerError } from "@outrigger/base";
import { seededRandom } from "@outrigger/fake-aws";
import fc from "fast-check";
import { expect, it } from "vitest";
import { packFast } from "../../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import type { PublisherDependencies } from "../dependencies.ts";
import type { ChannelRecord } from "../records/channel-record.ts";
import { reconcileRollouts } from "../rollout/reconcile-rollouts.ts";
import type { ReleaseCounts } from "../rollout/signals.ts";

type Move = ChannelRecord["history"][number];

const isPin = (move: Move | undefined) => move?.action === "rollback" || move?.action === "pin";
const releaseIn = ({ release, share }: Move) => share?.release ?? release;

/** Hundreds with OUTRIGGER_RING_RUNS. */
const numRuns = Number(process.env["OUTRIGGER_RING_RUNS"] ?? 16);

const RINGS = ["ring-1", "ring-2", "ring-3", "ring-4"] as const;
const AFTER = 600;
const MINUTE = 60_000;
const GOOD: ReleaseCounts = { injected: 200, denied: 1, failed: 0, regressed: 0, late: 0, calledIn: [], lateIn: [] };

it("moves good releases through all rings, and bad ones nowhere", { timeout: numRuns * 10_000 }, async () => {
  const reached = { moves: 0, held: 0, stops: 0, pins: 0, meanwhile: 0 };
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0 }), async (seed) => {
      const random = seededRandom(seed);
      const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
      const setup = publisherSetup({ pack: packFast });
      const bad = new Set<string>();
      let texts = 0;
      const recordOf = (ring: string): ChannelRecord =>
        JSON.parse(setup.store.values()[layout.channel(ring)] as string) as ChannelRecord;

      async function publish(isBad: boolean) {
        const text = `${isBad ? "worse" : "fine"} ${texts++}`;
        if (isBad) bad.add(digestOfTree({ mesh: text }));
        await setup.edit("mesh", text);
        await setup.run({ action: "publish", channel: "ring-1", automatic: true });
      }

      async function pinMeanwhile() {
        setup.clock.time += 1000;
        await setup.run({ action: "pin", channel: pick(RINGS) });
        setup.clock.time += 1000;
        reached.meanwhile++;
      }

      /** One look, with faults: counts that cannot be read, a store that stops answering at some call. */
      async function look(isFaulty: boolean) {
        setup.clock.time += MINUTE;
        const countReleases: PublisherDependencies["countReleases"] = async ({ releases: [next, own] }) => {
          if (isFaulty && random() < 0.2) throw new OutriggerError("aws-unavailable", "throttled");
          // An operator does not wait until a look is over.
          if (isFaulty && random() < 0.2) await pinMeanwhile();
          const countsOf = (release: string) => (bad.has(release) ? { ...GOOD, failed: 40 } : GOOD);
          return [countsOf(next), countsOf(own)];
        };
        let left = isFaulty && random() < 0.3 ? Math.floor(random() * 30) : Number.POSITIVE_INFINITY;
        const store = new Proxy(setup.dependencies.store, {
          get: (target, name, receiver) => {
            const found = Reflect.get(target, name, receiver);
            if (typeof found !== "function") return found;
            return (...given: unknown[]) => {
              if (left-- > 0) return found.apply(target, given);
              reached.stops++;
              return Promise.reject(new OutriggerError("store-unavailable", "stopped"));
            };
          },
        });
        const once = () => reconcileRollouts({ ...setup.dependencies, store, countReleases }).catch(() => undefined);
        const looks = await Promise.all(isFaulty && random() < 0.2 ? [once(), once()] : [once()]);
        for (const step of looks.flatMap((found) => found?.stepped ?? [])) {
          if (step.result?.ok === true && step.result.changed) reached.moves++;
          if (step.verdict.why.includes("is worse")) reached.held++;
        }
      }

      /** A move by the ring stands right after a move that pins in no history, and is of a release that was served before it for long enough. */
      function assertHistories() {
        for (const [index, ring] of RINGS.entries()) {
          const { history, release } = recordOf(ring);
          if (index > 0 && bad.has(release)) throw new Error(`${ring} serves a bad release`);
          for (const [place, move] of history.entries()) {
            if (move.by !== "the ring") continue;
            const { at } = move;
            const taken = releaseIn(move);
            const before = history.slice(place + 1);
            if (isPin(before[0])) throw new Error(`${ring} moved past a pin`);
            const last = before.findIndex((other) => releaseIn(other) === taken);
            const left = before[last - 1];
            if (isPin(left) || left?.action === "abort") throw new Error(`${ring} took ${taken} again`);
            const leader = recordOf(RINGS[index - 1] as string).history.filter((other) => other.at < at);
            if (isPin(leader[0])) throw new Error(`${ring} moved past a pin of the one that it follows`);
            const served = leader.findLast((other) => other.release === taken);
            const least = served === undefined ? Number.POSITIVE_INFINITY : Date.parse(at) - Date.parse(served.at);
            if (least < AFTER * 1000) throw new Error(`${ring} did not wait for ${taken}`);
          }
        }
      }

      await publish(false);
      for (const [index, ring] of RINGS.entries()) {
        const leader = RINGS[index - 1];
        if (leader === undefined) continue;
        await setup.run({ action: "promote", from: "ring-1", to: ring });
        const following = { channel: leader, after: AFTER, pods: 100, alarms: [] };
        const shares = random() < 0.3 ? { share: 25, rollout: { next: [100], bake: 60, alarms: [] } } : {};
        const follow = { ...following, ...shares };
        expect(await setup.run({ action: "set-channel", channel: ring, follow })).toMatchObject({ ok: true });
      }
      for (let step = 0; step < 80; step++) {
        const chance = random();
        if (chance < 0.06) await publish(random() < 0.5);
        else if (chance < 0.1) {
          const channel = pick(RINGS);
          const action = pick(["pin", "rollback", "unpin"] as const);
          if (action !== "unpin") reached.pins++;
          // Two operators at once: one of them may be refused.
          await Promise.all([
            setup.run({ action, channel }),
            random() < 0.3 ? setup.run({ action, channel }) : undefined,
          ]);
        } else await look(true);
        assertHistories();
      }
      // A while in which nobody does anything, first with the pins that are there, then without any.
      for (let minute = 0; minute < 30; minute++) await look(false);
      for (const ring of RINGS) await setup.run({ action: "unpin", channel: ring });
      for (let minute = 0; minute < 60; minute++) await look(false);
      // What a person has taken back comes again by nothing but a person, or another release.
      const returned = pick(RINGS.slice(1));
      await setup.run({ action: "rollback", channel: returned });
      await setup.run({ action: "unpin", channel: returned });
      for (let minute = 0; minute < 30; minute++) await look(false);
      assertHistories();
      // A good release is published: it reaches all.
      await publish(false);
      for (let minute = 0; minute < 60; minute++) await look(false);
      assertHistories();
      const [first, ...others] = RINGS.map((ring) => recordOf(ring).release);
      expect(bad.has(first as string)).toBe(false);
      expect(others).toEqual(others.map(() => first));
      const { channels } = await setup.served();
      expect(RINGS.map((ring) => channels[ring])).toEqual(RINGS.map(() => first));
    }),
    { numRuns },
  );
  // Enough was tried.
  expect(Math.min(...Object.values(reached)), JSON.stringify(reached)).toBeGreaterThan(numRuns);
});
