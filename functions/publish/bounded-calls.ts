// The calls to the outside of the publish function, each within a limit, so that it answers and the slots that people need are free again.
// A call that is not in the tables below does not compile.
import type { CallOptions, OutsideCall, ParameterReader, ParameterStore } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import { metricLine } from "@outrigger/serving";
import type { PublishFunction } from "./dependencies.ts";

/** The calls of a port by name, none left out. One that takes no CallOptions cannot be given here. */
type Calls<Port> = {
  readonly [Name in CallName<Port>]: TakesOptions<NonNullable<Port[Name]>> extends true ? Port[Name] : never;
};

type CallName<Port> = {
  [Name in keyof Port]-?: NonNullable<Port[Name]> extends (...given: never) => Promise<unknown> ? Name : never;
}[keyof Port];

type TakesOptions<Member> = Member extends (...given: infer Given) => unknown
  ? 2 extends Given["length"]
    ? true
    : false
  : false;

/** Calls of the function that end by themselves, or whose caller gives them a signal of its own. */
type Unbounded = "respond" | "sleep" | "stackStatus";

/** Milliseconds that one call has, with all of its tries. */
const CALL = 20_000;

/** Milliseconds after which the log says that a call is waited for. */
const LONG = 5000;

interface Limits {
  /** The time, of `performance.now()`, by which all calls must have ended. */
  readonly end: number;
  /** Called where a call is waited for for LONG. */
  readonly waiting: (what: string) => void;
  /** Called for each write that is made. */
  readonly wrote: () => void;
}

/**
 * Returns the same dependencies with limits: a call that does not answer in time fails as `store-unavailable` does, or as `aws-unavailable` for
 * alarms and events. The log says for which call it waits, and what has been made by then.
 *
 * @param left milliseconds until all of them must have ended
 */
export function boundedCalls(dependencies: PublishFunction, left: number): PublishFunction {
  let writes = 0;
  const waiting = (what: string) => {
    const made = `${writes} ${writes === 1 ? "write has" : "writes have"} been made, and what is made stays`;
    const message = `${what} has not answered for ${LONG / 1000} seconds: it is slow or throttles; ${made}`;
    const line = { level: "warn", event: "waiting", timestamp: dependencies.now().getTime() } as const;
    dependencies.write(metricLine({ ...line, fields: { message, writes } }));
  };
  const wrote = () => {
    writes += 1;
  };
  const limits: Limits = { end: performance.now() + left, waiting, wrote };
  const { store, automaticStore, primary, putSecret, editorOf, alarmStates, countReleases, sendEvents } = dependencies;
  const calls: Omit<Calls<PublishFunction>, Unbounded> = {
    putSecret: bounded(putSecret, "Parameter Store", limits),
    // It is late, the parameter has gone, or the permission is missing: an edit without a name is still an edit.
    editorOf: editorOf && ((...call) => bounded(editorOf, "Parameter Store", limits)(...call).catch(() => undefined)),
    alarmStates: alarmStates && bounded(alarmStates, "CloudWatch", limits),
    countReleases: countReleases && bounded(countReleases, "CloudWatch", limits),
    sendEvents: sendEvents && bounded(sendEvents, "EventBridge", limits),
  };
  return {
    ...dependencies,
    ...defined(calls),
    store: boundedStore(store, limits),
    ...defined({
      automaticStore: automaticStore && boundedStore(automaticStore, limits),
      primary: primary && { ...primary, store: boundedReader(primary.store, limits) },
    }),
  };
}

function boundedReader(store: ParameterReader, limits: Limits): ParameterReader {
  const calls: Calls<ParameterReader> = {
    getParameters: bounded(store.getParameters, "Parameter Store", limits),
    getParametersByPath: bounded(store.getParametersByPath, "Parameter Store", limits),
  };
  const objects: Calls<ParameterReader["objects"]> = { getObject: bounded(store.objects.getObject, BUCKET, limits) };
  return { ...calls, objects };
}

function boundedStore(store: ParameterStore, limits: Limits): ParameterStore {
  const calls: Calls<ParameterStore> = {
    ...boundedReader(store, limits),
    putParameter: written(store.putParameter, "Parameter Store", limits),
    deleteParameters: written(store.deleteParameters, "Parameter Store", limits),
  };
  const objects: Calls<ParameterStore["objects"]> = {
    getObject: bounded(store.objects.getObject, BUCKET, limits),
    putObject: written(store.objects.putObject, BUCKET, limits),
    deleteObject: written(store.objects.deleteObject, BUCKET, limits),
    listObjects: bounded(store.objects.listObjects, BUCKET, limits),
    emptyFolder: written(store.objects.emptyFolder, BUCKET, limits),
  };
  return { ...calls, objects };
}

const BUCKET = "The bucket";

function written<Request, Answer>(
  call: OutsideCall<Request, Answer>,
  what: string,
  limits: Limits,
): OutsideCall<Request, Answer> {
  const within = bounded(call, what, limits);
  return async (request, options) => {
    const answer = await within(request, options);
    limits.wrote();
    return answer;
  };
}

function bounded<Request, Answer>(
  call: OutsideCall<Request, Answer>,
  what: string,
  limits: Limits,
): OutsideCall<Request, Answer> {
  return (request, options) =>
    inTime(what, limits, (signal) => call(request, { ...options, signal: either(options?.signal, signal) }));
}

function either(outer: CallOptions["signal"], signal: AbortSignal): AbortSignal {
  return outer === undefined ? signal : AbortSignal.any([outer, signal]);
}

async function inTime<Answer>(
  what: string,
  { end, waiting }: Limits,
  call: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const left = end - performance.now();
  const limit = Math.min(CALL, left);
  const isOther = what === "CloudWatch" || what === "EventBridge";
  const code = isOther ? "aws-unavailable" : "store-unavailable";
  const why =
    left < CALL
      ? `The time of this call was over before ${what} answered, which is slow or throttles`
      : `${what} has not answered within ${CALL / 1000} seconds`;
  const late = () => new OutriggerError(code, `${why}: try again, which continues what was begun`);
  if (limit <= 0) throw late();
  const controller = new AbortController();
  // Before the call itself hears of it.
  const over = new Promise<never>((_, reject) =>
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason)),
  );
  const timer = setTimeout(() => controller.abort(late()), limit);
  const long = setTimeout(() => waiting(what), LONG);
  try {
    return await Promise.race([call(controller.signal), over]);
  } finally {
    clearTimeout(timer);
    clearTimeout(long);
  }
}
