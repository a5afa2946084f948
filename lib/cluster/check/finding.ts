// What one check comes to, and what a collector knows or could not learn. Pure but for running the collector.
import { OutriggerError, ownError } from "@outrigger/base";

/** `unknown`: it could not be checked. */
export type Level = "ok" | "warning" | "error" | "unknown";

export interface Verdict {
  readonly level: Level;
  /** What was seen, in one line. */
  readonly seen: string;
  /** The command that fixes it, or the setting to change. */
  readonly fix?: string;
}

export type Fact<Value> =
  | { readonly known: true; readonly value: Value }
  | { readonly known: false; readonly why: string; readonly isDenied?: boolean };

/** Runs a collector: an error that it expects is a reason, any other is a bug and thrown. */
export async function learn<Value>(read: () => Promise<Value>): Promise<Fact<Value>> {
  try {
    return { known: true, value: await read() };
  } catch (error) {
    const { message: why, code } = ownError(error);
    return { known: false, why, isDenied: code === "aws-denied" };
  }
}

/** Waits for what is read at the same time, each by its name. */
export async function allOf<Reads extends Readonly<Record<string, Promise<unknown>>>>(reads: Reads) {
  const found = Object.entries(reads).map(async ([name, read]) => [name, await read] as const);
  return Object.fromEntries(await Promise.all(found)) as { readonly [Name in keyof Reads]: Awaited<Reads[Name]> };
}

/**
 * The verdict about a fact.
 *
 * @example
 * ```ts
 * judged({ known: true, value: 3 }, (count) => ok(`${count} alarms`)) // => { level: "ok", seen: "3 alarms" }
 * judged({ known: false, why: "no" }, () => ok("")) // => { level: "unknown", seen: "could not be checked: no" }
 * ```
 */
export function judged<Value>(fact: Fact<Value>, judge: (value: Value) => Verdict): Verdict {
  return fact.known ? judge(fact.value) : unchecked(fact.why);
}

export function unchecked(why: string): Verdict {
  return { level: "unknown", seen: `could not be checked: ${why}` };
}

export function ok(seen: string): Verdict {
  return { level: "ok", seen };
}

export function warning(seen: string, fix: string): Verdict {
  return { level: "warning", seen, fix };
}

export function failing(seen: string, fix: string): Verdict {
  return { level: "error", seen, fix };
}

/** The first few of a list, and how many more there are. */
export function some(items: readonly string[], most = 3): string {
  const rest = items.length - most;
  return `${items.slice(0, most).join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`;
}

/** The value of a fact, for a collector that builds on it: where it is not known, neither is what follows from it. */
export function need<Value>(fact: Fact<Value>): Value {
  if (fact.known) return fact.value;
  throw new OutriggerError("cluster-unreachable", fact.why);
}
