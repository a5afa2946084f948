// By which change each record was last written, and what all records come to: by that, the newest entry of the log vouches for them.
import { createHash } from "node:crypto";
import type { LogEntry } from "./log-entry.ts";

/** Record, as `channel/stable`, → the number of the change that it was last written by; undefined where a person wrote it. */
export type RecordNumbers = Readonly<Record<string, number | undefined>>;

/** A digest of all records' numbers: the same one says that no record is behind. Undefined where a person wrote one. */
export function numbersDigest(numbers: RecordNumbers): string | undefined {
  const lines = Object.entries(numbers).map(([name, number]) =>
    number === undefined ? undefined : `${name}@${number}`,
  );
  if (lines.includes(undefined)) return undefined;
  return createHash("sha256").update(lines.sort().join("\n")).digest("hex").slice(0, 16);
}

/** The numbers once an entry is written. */
export function numbersAfter(
  numbers: RecordNumbers,
  { number, change }: Pick<LogEntry, "number" | "change">,
): RecordNumbers {
  const { [`${change.kind}/${change.name}`]: _, ...others } = numbers;
  const isRemoved = "record" in change && change.record === null;
  return isRemoved ? others : { ...others, [`${change.kind}/${change.name}`]: number };
}
