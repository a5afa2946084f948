// How the publish function calls what is outside: within a limit, so that it answers and the slots that people need are free
// again; at a distance from each other, where nobody waits; and past a label that blocks a write.
import type { CallOptions, ParameterReader, ParameterStore } from "@outrigger/aws";
import { decorate, defined, isOwnError, OutriggerError } from "@outrigger/base";
import type { PublisherDependencies } from "@outrigger/publisher";
import type { AnswerDependencies } from "./on-deploy.ts";
import type { takeOffLabels } from "./parameter-history.ts";

type PublishPorts = PublisherDependencies &
  Pick<AnswerDependencies, "putSecret"> & { readonly automaticStore?: PublisherDependencies["store"] };

type Around = Parameters<typeof decorate>[1];

/** Milliseconds that one call has, with all of its tries. */
const CALL = 20_000;

/** Whom the calls ask that take no signal: nobody waits for their end. */
const ASKED: ReadonlyMap<string, string> = new Map([
  ["putSecret", "Parameter Store"],
  ["editorOf", "Parameter Store"],
  ["alarmStates", "CloudWatch"],
  ["countRelease", "CloudWatch"],
]);

/** These take their options as the third argument, the others of the two stores as the second. */
const OPTIONS_THIRD: readonly string[] = ["getParametersByPath", "putObject"];

/**
 * The same dependencies; a call that does not answer in time fails as `store-unavailable` does, or as `aws-unavailable` for alarms.
 *
 * @param left milliseconds until all of them must have ended
 */
export function boundedCalls<Ports extends PublishPorts>(dependencies: Ports, left: number): Ports {
  const end = performance.now() + left;
  const alone: Around = (method, args, call) => {
    const what = ASKED.get(method);
    if (what === undefined) return call(...args);
    const answer = inTime(what, end, () => call(...args));
    // It is late, the parameter has gone, or the permission is missing: an edit without a name is still an edit.
    return method === "editorOf" ? answer.catch(() => undefined) : answer;
  };
  const ended =
    (what: string): Around =>
    (method, args, call) =>
      inTime(what, end, (signal) => call(...withSignal(args, OPTIONS_THIRD.includes(method) ? 2 : 1, signal)));
  const bounded = <Store extends ParameterReader>(store: Store): Store => ({
    ...decorate(store, ended("Parameter Store")),
    ...defined({ objects: store.objects && decorate(store.objects, ended("The release bucket")) }),
  });
  const { store, automaticStore, primary } = dependencies;
  return {
    ...decorate(dependencies, alone),
    store: bounded(store),
    ...defined({
      automaticStore: automaticStore && bounded(automaticStore),
      primary: primary && { ...primary, store: bounded(primary.store) },
    }),
  };
}

function withSignal(args: readonly unknown[], options: number, signal: AbortSignal): readonly unknown[] {
  const given = args[options] as CallOptions | undefined;
  const both = given?.signal === undefined ? signal : AbortSignal.any([given.signal, signal]);
  return [...args.slice(0, options), { ...given, signal: both }];
}

async function inTime(what: string, end: number, call: (signal: AbortSignal) => unknown): Promise<unknown> {
  const limit = Math.min(CALL, end - performance.now());
  const code = what === "CloudWatch" ? "aws-unavailable" : "store-unavailable";
  if (limit <= 0)
    throw new OutriggerError(code, `The time of this call is over, and ${what} was not asked any more: try again`);
  const seconds = Math.ceil(limit / 1000);
  const late = new OutriggerError(code, `${what} has not answered within ${seconds} seconds: try again`);
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

/**
 * The store, whose calls keep a distance from each other: an account and Region have one budget. S3 has a budget of its own.
 *
 * @param interval milliseconds from the beginning of one call to that of the next, at least
 */
export function pacedStore(
  store: ParameterStore,
  interval: number,
  { now, sleep }: Pick<PublisherDependencies, "now" | "sleep">,
): ParameterStore {
  let next = 0;
  return decorate(store, async (_method, args, call) => {
    const time = now().getTime();
    // A clock that was set back does not hold up calls for longer than the interval.
    const wait = Math.min(interval, next - time);
    next = Math.max(time, time + wait) + interval;
    if (wait > 0) await sleep(wait);
    return call(...args);
  });
}

/**
 * The store, whose writes take a label off first that blocks them: Parameter Store keeps 100 versions and refuses another one where
 * the oldest has a label. For parameters that only the publisher writes. Where that is not allowed, they are refused as before.
 */
export function unlabelledStore(
  store: ParameterStore,
  takeOff: ReturnType<typeof takeOffLabels>,
  report: (message: string) => void,
): ParameterStore {
  return decorate(store, async (method, args, call) => {
    try {
      return await call(...args);
    } catch (error) {
      const cause = isOwnError(error) ? error.cause : undefined;
      const isBlocked = cause instanceof Error && cause.name === "ParameterMaxVersionLimitExceeded";
      if (method !== "putParameter" || !isBlocked) throw error;
      const { name } = args[0] as Parameters<ParameterStore["putParameter"]>[0];
      const taken = await takeOff(name).catch(() => {
        throw error;
      });
      report(`Took the label ${taken} of ${name}: it was the oldest of 100 versions, and blocked the next one`);
      return call(...args);
    }
  });
}
