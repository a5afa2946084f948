// The in-process client of the fake: the port to Parameter Store without a protocol, for tests that count and
// order calls by the thousand.
import { type CallOptions, keepTier, type Parameter, type ParameterStore, storeError } from "@outrigger/aws";
import { defined, isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import { type FakeObjectStore, fakeObjectStore } from "../fake-object-store.ts";
import { createFakeService, type FakeService, type FakeServiceOptions } from "./fake-service.ts";
import type { Operation } from "./operations.ts";

/** A store, and what a test may ask of the service behind it. */
export interface FakeParameterStore extends ParameterStore, Omit<FakeService, "call"> {
  readonly service: FakeService;
  readonly objects: FakeObjectStore;
  /** The value of every parameter by name, sorted. */
  readonly values: () => Readonly<Record<string, string>>;
}

type What = readonly ["read" | "write" | "delete", readonly string[]];

/**
 * A Parameter Store in memory that enforces the real one's rules. Its calls take no time, their order is that in which
 * they are made, and every one is one step: `around` may hold it back.
 */
export function fakeParameterStore({
  objects,
  ...options
}: FakeServiceOptions & { readonly objects?: FakeObjectStore } = {}): FakeParameterStore {
  const service = createFakeService(options);
  const call = async (operation: Operation, what: What, input: JsonObject, { signal }: CallOptions = {}) => {
    if (signal?.aborted === true) throw storeError(aborted(), ...what);
    const answer = service.call(operation, input).then(async (reply): Promise<JsonObject> => {
      if (reply.kind === "answer") return reply.output;
      if (reply.kind === "refused") throw storeError(reply.error, ...what);
      if (reply.kind === "hang") return new Promise(() => {});
      throw storeError(new Error(reply.kind === "reset" ? "socket hang up" : "the answer is not JSON"), ...what);
    });
    return signal === undefined ? answer : orAborted(answer, signal, what);
  };
  return {
    async getParameters(names, callOptions) {
      const { Parameters } = await call("GetParameters", ["read", names], { Names: names }, callOptions);
      return parametersOf(Parameters);
    },
    async getParametersByPath({ path, next }, callOptions) {
      const input = { Path: path, Recursive: true, ...defined({ NextToken: next }) };
      const output = await call("GetParametersByPath", ["read", [path]], input, callOptions);
      const { Parameters, NextToken } = output;
      return { parameters: parametersOf(Parameters), next: typeof NextToken === "string" ? NextToken : undefined };
    },
    putParameter: (write, callOptions) =>
      keepTier(write, async ({ name, value, overwrite, tier }) => {
        const input = { Name: name, Value: value, Overwrite: overwrite, Tier: tier, Type: "String" };
        const { Version } = await call("PutParameter", ["write", [name]], input, callOptions);
        return Version as number;
      }),
    async deleteParameters(names, callOptions) {
      await call("DeleteParameters", ["delete", names], { Names: names }, callOptions);
    },
    ...service,
    service,
    objects: objects ?? fakeObjectStore(defined({ now: options.now })),
    values: () =>
      Object.fromEntries(
        [...service.table()]
          .map(([name, versions]) => [name, versions.at(-1)?.value ?? ""] as const)
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
  };
}

function parametersOf(value: JsonValue | undefined): readonly Parameter[] {
  return (value as readonly JsonValue[]).filter(isObject).map(({ Name, Value, Type, Version, LastModifiedDate }) => ({
    name: Name as string,
    value: Value as string,
    type: Type as Parameter["type"],
    version: Version as number,
    lastModified: (LastModifiedDate as number) * 1000,
  }));
}

function orAborted<Answer>(answer: Promise<Answer>, signal: AbortSignal, what: What): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(storeError(aborted(), ...what));
    signal.addEventListener("abort", abort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function aborted(): Error {
  return Object.assign(new Error("the call was given up"), { name: "AbortError" });
}
