// The calls to the outside of the publish function, each within a limit, so that it answers and the slots that people need are free again.
// A call that is not in the tables below does not compile.
import type { CallOptions, OutsideCall, ParameterReader, ParameterStore } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
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

/**
 * Returns the same dependencies with limits: a call that does not answer in time fails as `store-unavailable` does, or as `aws-unavailable` for
 * alarms and events.
 *
 * @param left milliseconds until all of them must have ended
 */
export function boundedCalls(dependencies: PublishFunction, left: number): PublishFunction {
  const end = performance.now() + left;
  const { store, automaticStore, primary, putSecret, editorOf, alarmStates, countRelease, sendEvents } = dependencies;
  const calls: Omit<Calls<PublishFunction>, Unbounded> = {
    putSecret: bounded(putSecret, "Parameter Store", end),
    // It is late, the parameter has gone, or the permission is missing: an edit without a name is still an edit.
    editorOf: editorOf && ((...call) => bounded(editorOf, "Parameter Store", end)(...call).catch(() => undefined)),
    alarmStates: alarmStates && bounded(alarmStates, "CloudWatch", end),
    countRelease: countRelease && bounded(countRelease, "CloudWatch", end),
    sendEvents: sendEvents && bounded(sendEvents, "EventBridge", end),
  };
  return {
    ...dependencies,
    ...defined(calls),
    store: boundedStore(store, end),
    ...defined({
      automaticStore: automaticStore && boundedStore(automaticStore, end),
      primary: primary && { ...primary, store: boundedReader(primary.store, end) },
    }),
  };
}

function boundedReader(store: ParameterReader, end: number): ParameterReader {
  const calls: Calls<ParameterReader> = {
    getParameters: bounded(store.getParameters, "Parameter Store", end),
    getParametersByPath: bounded(store.getParametersByPath, "Parameter Store", end),
  };
  const objects: Calls<ParameterReader["objects"]> = { getObject: bounded(store.objects.getObject, BUCKET, end) };
  return { ...calls, objects };
}

function boundedStore(store: ParameterStore, end: number): ParameterStore {
  const calls: Calls<ParameterStore> = {
    ...boundedReader(store, end),
    putParameter: bounded(store.putParameter, "Parameter Store", end),
    deleteParameters: bounded(store.deleteParameters, "Parameter Store", end),
  };
  const objects: Calls<ParameterStore["objects"]> = {
    getObject: bounded(store.objects.getObject, BUCKET, end),
    putObject: bounded(store.objects.putObject, BUCKET, end),
    deleteObject: bounded(store.objects.deleteObject, BUCKET, end),
    listObjects: bounded(store.objects.listObjects, BUCKET, end),
    emptyFolder: bounded(store.objects.emptyFolder, BUCKET, end),
  };
  return { ...calls, objects };
}

const BUCKET = "The bucket";

function bounded<Request, Answer>(
  call: OutsideCall<Request, Answer>,
  what: string,
  end: number,
): OutsideCall<Request, Answer> {
  return (request, options) =>
    inTime(what, end, (signal) => call(request, { ...options, signal: either(options?.signal, signal) }));
}

function either(outer: CallOptions["signal"], signal: AbortSignal): AbortSignal {
  return outer === undefined ? signal : AbortSignal.any([outer, signal]);
}

async function inTime<Answer>(
  what: string,
  end: number,
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
  const late = new OutriggerError(code, `${why}: try again, which continues what was begun`);
  if (limit <= 0) throw late;
  const controller = new AbortController();
  // Before the call itself hears of it.
  const over = new Promise<never>((_, reject) => controller.signal.addEventListener("abort", () => reject(late)));
  const timer = setTimeout(() => controller.abort(late), limit);
  try {
    return await Promise.race([call(controller.signal), over]);
  } finally {
    clearTimeout(timer);
  }
}
