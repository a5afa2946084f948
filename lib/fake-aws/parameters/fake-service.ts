// The service behind both clients of the fake: one table, calls counted and limited, and faults injected
// on request. Knows no HTTP.

import type { JsonObject } from "@outrigger/base";
import { tokenBucket } from "../token-bucket.ts";
import { OPERATIONS, type Operation } from "./operations.ts";
import { seededRandom } from "./pages.ts";
import { ServiceError } from "./parameter-rules.ts";
import { type DeletedParameter, EMPTY_TABLE, type ParameterTable, tableBehind } from "./parameter-table.ts";

/** One call as it came. */
export interface Call {
  readonly operation: Operation;
  readonly input: JsonObject;
}

/**
 * A fault of a call. With `after`, the call has taken effect and only the answer is lost; a truncated or garbled answer
 * always comes after.
 */
export type Fault =
  | { readonly kind: "error"; readonly name: string; readonly message?: string; readonly status?: number }
  | { readonly kind: "reset" | "hang"; readonly after?: boolean }
  | { readonly kind: "truncated" | "garbled" };

/** The reply that the caller gets to see. */
export type Reply =
  | { readonly kind: "answer" | "truncated" | "garbled"; readonly output: JsonObject }
  | { readonly kind: "refused"; readonly error: ServiceError }
  | { readonly kind: "reset" }
  | { readonly kind: "hang" };

/** The event that EventBridge sends as "Parameter Store Change". */
interface ParameterChange {
  readonly name: string;
  readonly operation: "Create" | "Update" | "Delete" | "LabelParameterVersion";
}

/** The behaviour of the service: its clock, order, limits, delays and faults. */
export interface FakeServiceOptions {
  /** Milliseconds since 1970; the clock of this machine where it is left out. */
  readonly now?: () => number;
  /** Decides the order of answers and where pages end: 1. With `false`, all answers are in order and as full as can be. */
  readonly seed?: number | false;
  /** Calls a second over all operations, with a burst of as many: no limit. The real service starts at 40. */
  readonly rate?: number;
  /** 10,000. */
  readonly maxStandard?: number;
  /** Milliseconds before a call takes effect. */
  readonly latency?: (call: Call) => number;
  /**
   * Milliseconds by which a reading is behind the writes. It then shows the value that a parameter had, and one that was
   * deleted meanwhile; a parameter that was created meanwhile shows its first value.
   */
  readonly lag?: (call: Call) => number;
  /** A reading that is behind also misses parameters that were created meanwhile. */
  readonly hidesNew?: boolean;
  readonly fault?: (call: Call) => Fault | undefined;
  /** Goes round every call, to order, count, or end it: what it throws, the caller of the in-process store sees. */
  readonly around?: (call: Call, perform: () => Promise<Reply>) => Promise<Reply>;
  readonly onChange?: (change: ParameterChange) => void;
  /** The parameters that exist at the start. */
  readonly table?: ParameterTable;
}

export type FakeService = ReturnType<typeof createFakeService>;

const USER = "arn:aws:iam::123456789012:user/fake";

/** The service without a client: operations of the protocol in, replies out. */
export function createFakeService(options: FakeServiceOptions = {}) {
  const now = options.now ?? Date.now;
  const random = options.seed === false ? undefined : seededRandom(options.seed ?? 1);
  const admits = options.rate === undefined ? () => true : tokenBucket(options.rate, now);
  let table = options.table ?? EMPTY_TABLE;
  const deleted = new Map<string, DeletedParameter>();
  let counts: Partial<Record<Operation, number>> = {};
  let throttled = 0;

  const refused = (...error: ConstructorParameters<typeof ServiceError>): Reply => {
    return { kind: "refused", error: new ServiceError(...error) };
  };
  const perform = async (call: Call): Promise<Reply> => {
    if (!admits()) {
      throttled++;
      return refused("ThrottlingException", "Rate exceeded");
    }
    const milliseconds = options.latency?.(call) ?? 0;
    if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
    const fault = options.fault?.(call);
    if (fault?.kind === "error") return refused(fault.name, fault.message, fault.status);
    const isUnanswered = fault?.kind === "reset" || fault?.kind === "hang";
    if (isUnanswered && fault.after !== true) return { kind: fault.kind };
    const output = take(call);
    if (output instanceof ServiceError) return { kind: "refused", error: output };
    return isUnanswered ? { kind: fault.kind } : { kind: fault?.kind ?? "answer", output };
  };

  /** The moment in which a call takes effect: all of it, and nothing between. */
  const take = (call: Call): JsonObject | ServiceError => {
    try {
      const context = { now: now(), user: USER, maxStandard: options.maxStandard ?? 10_000, random };
      const lag = /^(Get|Describe)/.test(call.operation) ? (options.lag?.(call) ?? 0) : 0;
      const seen = lag > 0 ? tableBehind(table, deleted, context.now - lag, options.hidesNew) : table;
      const performed = OPERATIONS[call.operation](seen, call.input, context);
      if (seen !== table || performed.table === table) return performed.output;
      const before = table;
      table = performed.table;
      for (const [name, versions] of before) {
        if (options.lag !== undefined && !table.has(name)) deleted.set(name, { versions, at: context.now });
      }
      for (const change of changesOf(call, before, table)) options.onChange?.(change);
      return performed.output;
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  };

  return {
    async call(operation: string, input: JsonObject): Promise<Reply> {
      if (!isOperation(operation)) return refused("UnknownOperationException", `${operation} is not part of this fake`);
      counts = { ...counts, [operation]: (counts[operation] ?? 0) + 1 };
      const call = { operation, input };
      return options.around === undefined ? perform(call) : options.around(call, () => perform(call));
    },
    /** Operation → how often it was called, refused and failed calls included. */
    calls: (): Readonly<Partial<Record<Operation, number>>> => counts,
    throttled: () => throttled,
    forgetCalls: () => {
      counts = {};
      throttled = 0;
    },
    /** The current parameters: a value that later writes do not change. */
    table: (): ParameterTable => table,
  };
}

function isOperation(name: string): name is Operation {
  return Object.hasOwn(OPERATIONS, name);
}

function changesOf(call: Call, before: ParameterTable, after: ParameterTable): readonly ParameterChange[] {
  if (before === after) return [];
  const { operation } = call;
  const { Name, Names } = call.input;
  const names = (Array.isArray(Names) ? Names : [Name]).filter((name) => typeof name === "string");
  if (operation === "LabelParameterVersion") return names.map((name) => ({ name, operation }));
  return names
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => ({ name, operation: !before.has(name) ? "Create" : after.has(name) ? "Update" : "Delete" }));
}
