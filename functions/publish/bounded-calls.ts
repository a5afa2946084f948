// That no call to the outside holds the publish function: each ends within its own limit, and all of them before the call that they
// are made for. So the function answers, and the slots that people need are free again.
import type { CallOptions } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import type { PublisherDependencies } from "@outrigger/publisher";
import type { CanaryTokenDependencies } from "./canary-token.ts";

/** What the publish function calls outside. */
type PublishPorts = PublisherDependencies &
  Pick<CanaryTokenDependencies, "putSecret"> & { readonly automaticStore?: PublisherDependencies["store"] };

/** Milliseconds that one call has, with all of its tries. */
const CALL = 20_000;

type Call<Input extends readonly unknown[], Answer> = (...input: Input) => Promise<Answer>;
type Bound = <Input extends readonly unknown[], Answer>(
  what: string,
  call: Call<Input, Answer>,
) => (...input: Input) => Promise<Answer>;

/**
 * The same dependencies; a call that does not answer in time fails as `store-unavailable` does, or as `aws-unavailable` for alarms.
 *
 * @param left milliseconds until all of them must have ended
 */
export function boundedCalls<Ports extends PublishPorts>(dependencies: Ports, left: number): Ports {
  const end = performance.now() + left;
  /** Calls that take options, last, are ended; nobody waits for the others. */
  const ended =
    (options: number): Bound =>
    (what, call) =>
    (...input) =>
      inTime(what, end, "store-unavailable", (signal) => call(...withSignal(input, options, signal)));
  const alone: Bound =
    (what, call) =>
    (...input) =>
      inTime(what, end, "store-unavailable", () => call(...input));
  const { store, primary, alarmStates, countRelease, editorOf, putSecret } = dependencies;
  const reader = <Reader extends Pick<typeof store, "getParameters" | "getParametersByPath">>(from: Reader) => ({
    getParameters: ended(1)("Parameter Store", from.getParameters),
    getParametersByPath: ended(2)("Parameter Store", from.getParametersByPath),
  });
  const bounded = (from: typeof store): typeof store => ({
    ...reader(from),
    putParameter: ended(1)("Parameter Store", from.putParameter),
    deleteParameters: ended(1)("Parameter Store", from.deleteParameters),
    ...(from.objects && {
      objects: {
        getObject: ended(1)("The release bucket", from.objects.getObject),
        putObject: ended(2)("The release bucket", from.objects.putObject),
        deleteObject: ended(1)("The release bucket", from.objects.deleteObject),
        listObjects: ended(1)("The release bucket", from.objects.listObjects),
      },
    }),
  });
  const objects = primary?.reader.objects;
  return {
    ...dependencies,
    store: bounded(store),
    putSecret: alone("Parameter Store", putSecret),
    ...defined({
      automaticStore: dependencies.automaticStore && bounded(dependencies.automaticStore),
      alarmStates:
        alarmStates &&
        ((names: readonly string[]) => inTime("CloudWatch", end, "aws-unavailable", () => alarmStates(names))),
      countRelease:
        countRelease &&
        ((release: string, since: number) =>
          inTime("CloudWatch", end, "aws-unavailable", () => countRelease(release, since))),
      // An edit without a name is still an edit.
      editorOf:
        editorOf &&
        ((name: string, version: number) =>
          inTime("Parameter Store", end, "store-unavailable", () => editorOf(name, version)).catch(() => undefined)),
      primary: primary && {
        ...primary,
        reader: {
          ...reader(primary.reader),
          ...(objects && { objects: { getObject: ended(1)("The release bucket", objects.getObject) } }),
        },
      },
    }),
  };
}

function withSignal<Input extends readonly unknown[]>(input: Input, options: number, signal: AbortSignal): Input {
  const given = input[options] as CallOptions | undefined;
  const both = given?.signal === undefined ? signal : AbortSignal.any([given.signal, signal]);
  return [
    ...input.slice(0, options),
    ...Array(Math.max(0, options - input.length)),
    { ...given, signal: both },
  ] as unknown as Input;
}

async function inTime<Answer>(
  what: string,
  end: number,
  code: "store-unavailable" | "aws-unavailable",
  call: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const limit = Math.min(CALL, end - performance.now());
  const late = new OutriggerError(
    code,
    limit > 0
      ? `${what} has not answered within ${Math.ceil(limit / 1000)} seconds: try again`
      : `The time of this call is over, and ${what} was not asked any more: try again`,
  );
  if (limit <= 0) throw late;
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(late);
      controller.abort(late);
    }, limit);
  });
  try {
    return await Promise.race([call(controller.signal), over]);
  } finally {
    clearTimeout(timer);
  }
}
