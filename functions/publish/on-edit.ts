// Owns when an edit is published: after the last of those that belong together, and once for all of them.
import type { EventBridgeEvent } from "aws-lambda";
import { OutriggerError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import type { Parameter } from "../../lib/parameter-store/parameter-store.ts";
import { readAll } from "../../lib/parameter-store/read-all.ts";
import type { PublisherDependencies } from "../../lib/publish/dependencies.ts";
import { errorOf } from "../../lib/publish/publisher-error.ts";
import type { PublisherResult } from "../../lib/publish/publisher-request.ts";
import { runPublisher } from "../../lib/publish/run-publisher.ts";
import { parseManifest } from "../../lib/source/push-manifest.ts";
import { isFailure } from "./publish-line.ts";

/** EventBridge's "Parameter Store Change", as far as it is read. */
export type EditEvent = Pick<
  EventBridgeEvent<"Parameter Store Change", { readonly name: string }>,
  "time" | "detail"
> & {
  readonly source: "aws.ssm";
};

export function isEdit(event: unknown): event is EditEvent {
  return (
    isObject(event) &&
    event["source"] === "aws.ssm" &&
    typeof event["time"] === "string" &&
    isObject(event["detail"]) &&
    typeof event["detail"]["name"] === "string"
  );
}

/** Milliseconds without an edit after which those before it belong together. */
const QUIET = 2000;
/** Milliseconds that an edit waits for others, at most. */
const PATIENCE = 20_000;
/** Milliseconds by which this clock and that of the events may differ; events carry whole seconds. */
const SKEW = 2000;
/** Milliseconds after which a push that is not complete is one that was given up. */
const PUSH_TIME = 10 * 60 * 1000;

export interface EditDependencies extends PublisherDependencies {
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/**
 * What becomes of events. A push of forty files is forty events, one after the other, because the function runs once at a
 * time. The first waits until the edits stop and publishes them all; the others are for edits that were there when the
 * tree was read, and end without a call. Only what was carried out or refused counts: what failed is tried again.
 */
export function onEdit(dependencies: EditDependencies): (event: EditEvent) => Promise<PublisherResult> {
  let covered = Number.NEGATIVE_INFINITY;
  return async (event) => {
    const time = Date.parse(event.time);
    if (time + SKEW <= covered) return nothing("This edit was published, or refused, with one before it");
    const isPushing = await untilQuiet(time, dependencies);
    if (isPushing) return nothing("A push is not complete: it is published when it is");
    const started = dependencies.now().getTime();
    const cause = { by: "an edit in Parameter Store", why: "" };
    const result = await runPublisher({ action: "publish", automatic: true, cause }, dependencies);
    if (result.ok || !isFailure(result.error.code)) covered = started;
    return result;
  };
}

function nothing(message: string): PublisherResult {
  return { ok: true, message, seq: 0, changed: false, warnings: [] };
}

/** Waits until nothing has been edited for a while; true where a push is still on its way after that. */
async function untilQuiet(time: number, { store, layout, now, sleep }: EditDependencies): Promise<boolean> {
  const begun = now().getTime();
  for (;;) {
    const parameters = await readAll(store, layout.source);
    const newest = Math.max(time || 0, ...parameters.map(({ lastModified = 0 }) => lastModified));
    const clock = now().getTime();
    const isPushing = pushes(
      parameters.find(({ name }) => name === layout.sourceParameter("manifest")),
      clock,
    );
    const rest = isPushing ? QUIET : Math.min(QUIET, newest + QUIET - clock);
    if (rest <= 0 || clock + rest > begun + PATIENCE) return isPushing;
    await sleep(rest);
  }
}

/** Whether a push has begun, not long ago, and not ended. A manifest that cannot be read is refused when publishing. */
function pushes(parameter: Parameter | undefined, clock: number): boolean {
  if (parameter === undefined) return false;
  try {
    const { state, at } = parseManifest(parameter);
    return state === "pushing" && clock - Date.parse(at) < PUSH_TIME;
  } catch (error) {
    if (error instanceof OutriggerError && errorOf(error).code === "store-corrupt") return false;
    throw error;
  }
}
