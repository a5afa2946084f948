// What was read, or why it could not be: for those who go on all the same. Pure but for running what reads.
import { OutriggerError, ownError } from "@outrigger/base";

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

/** The value of a fact, for a collector that builds on it: where it is not known, neither is what follows from it. */
export function need<Value>(fact: Fact<Value>): Value {
  if (fact.known) return fact.value;
  throw new OutriggerError("cluster-unreachable", fact.why);
}
