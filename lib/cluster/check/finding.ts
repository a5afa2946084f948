// What one check comes to. Pure.
import type { Fact } from "../fact.ts";

/** `unknown`: it could not be checked. `untried`: it is left out by what you may do, or by what is there, and nothing is wrong. */
export type Level = "ok" | "warning" | "error" | "unknown" | "untried";

export interface Verdict {
  readonly level: Level;
  /** One line that says what was seen. */
  readonly seen: string;
  /** The command that fixes it, or the setting to change. */
  readonly fix?: string;
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

export function untried(seen: string): Verdict {
  return { level: "untried", seen };
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
