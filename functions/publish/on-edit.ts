// When an edit is published: after the last of those that belong together, and once for all of them.
import { isCreated, type Parameter, readAll } from "@outrigger/aws";
import { objectOf } from "@outrigger/base";
import {
  isPushing,
  nothingDone,
  type PublisherDependencies,
  type PublisherResult,
  refusalOf,
  runPublisher,
} from "@outrigger/publisher";
import type { EventBridgeEvent } from "aws-lambda";
import { isFailure } from "./log-lines.ts";

/** EventBridge's "Parameter Store Change", as far as it is read. */
export type EditEvent = Pick<
  EventBridgeEvent<"Parameter Store Change", { readonly name: string }>,
  "time" | "detail"
> & {
  readonly source: "aws.ssm";
};

export function isEdit(event: unknown): event is EditEvent {
  const { source, time, detail } = objectOf(event);
  return source === "aws.ssm" && typeof time === "string" && typeof objectOf(detail)["name"] === "string";
}

/** Milliseconds without an edit after which those before it belong together. */
const QUIET = 2000;
/** Milliseconds that an edit waits for others, at most. */
const PATIENCE = 20_000;
/** Milliseconds by which this clock and that of the events may differ; events carry whole seconds. */
const SKEW = 2000;

/**
 * Returns the handler of edit events. A push of forty files is forty events. The call of the first waits until the
 * edits stop and publishes them all; the others end at once: they find another call waiting, or tell of edits that were
 * there when the tree was read. Nobody else waits meanwhile: the function runs more than once at a time. Only what was
 * carried out or refused counts; what failed is tried again. What slips through is found by the schedule.
 */
export function onEdit(): (event: EditEvent, dependencies: PublisherDependencies) => Promise<PublisherResult> {
  let covered = Number.NEGATIVE_INFINITY;
  return async (event, dependencies) => {
    const time = Date.parse(event.time);
    if (time + SKEW <= covered) return nothingDone("This edit was published, or refused, with one before it");
    const turn = await takeEditTurn(dependencies).catch(refusalOf);
    if (turn !== undefined && "ok" in turn) return turn;
    if (turn === undefined) return nothingDone("Another call waits for the edits to stop: it publishes this one too");
    try {
      for (let since = time; ; ) {
        const isPushing = await untilQuiet(since, dependencies);
        if (isPushing) return nothingDone("A push is not complete: it is published when it is");
        const started = dependencies.now().getTime();
        const cause = { by: "an edit in Parameter Store", why: "" };
        const result = await runPublisher({ action: "publish", automatic: true, cause }, dependencies);
        if (!result.ok && isFailure(result.error.code)) return result;
        covered = started;
        since = newestOf(await readAll(dependencies.store, dependencies.layout.source));
        // Calls during this publication have left their edits to it.
        if (since < started || dependencies.now().getTime() - time >= PATIENCE) return result;
      }
    } catch (error) {
      return refusalOf(error);
    } finally {
      // One that is not released is taken over in a minute.
      await turn.release().catch(() => {});
    }
  };
}

function newestOf(parameters: readonly Parameter[]): number {
  return Math.max(0, ...parameters.map(({ lastModified = 0 }) => lastModified));
}

/** Waits until nothing has been edited for a while; true where a push is still in progress after that. */
async function untilQuiet(time: number, { store, layout, now, sleep }: PublisherDependencies): Promise<boolean> {
  const begun = now().getTime();
  for (;;) {
    const parameters = await readAll(store, layout.source);
    const newest = Math.max(time || 0, newestOf(parameters));
    const clock = now().getTime();
    const isPartial = isPushing(parameters, layout, clock);
    const rest = isPartial ? QUIET : Math.min(QUIET, newest + QUIET - clock);
    if (rest <= 0 || clock + rest > begun + PATIENCE) return isPartial;
    await sleep(rest);
  }
}

/** Milliseconds after which a turn is taken over: its call was stopped. Longer than a call waits and publishes. */
const LONGEST = 60_000;

/** The turn, or undefined where another call has it. */
async function takeEditTurn({ store, layout, now }: PublisherDependencies) {
  const name = layout.editTurn;
  const value = now().toISOString();
  const put = (overwrite: boolean) => store.putParameter({ name, value, overwrite, tier: "Standard" });
  const read = async () => (await store.getParameters([name]))[0];
  // A call that slept through its turn must not end that of the call that has taken it over.
  const turnOf = (mine: number) => ({
    release: async () => {
      const there = await read();
      if (there?.version === mine && there.value === value) await store.deleteParameters([name]);
    },
  });
  if (await isCreated(put(false))) return turnOf(1);
  const held = await read();
  if (held === undefined || now().getTime() - Date.parse(held.value) < LONGEST) return undefined;
  const version = await put(true);
  // Of two calls that take it over, the first has it.
  return version === held.version + 1 ? turnOf(version) : undefined;
}
