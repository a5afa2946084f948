// Faults that once went unnoticed, and mutants that are accepted: the two tables that people write.
import { readTable } from "../support/read-table.ts";
import type { Mutant } from "./mutants.ts";

export interface NamedFault {
  /** A description of what goes wrong with it. */
  readonly what: string;
  readonly file: string;
  /** A text that is once in the file, and what takes its place. */
  readonly before: string;
  readonly after: string;
}

export interface Survivor {
  readonly file: string;
  /** The source and its replacement, as `npm run mutation` prints them. */
  readonly before: string;
  readonly after: string;
  readonly reason: string;
  /** The reason proves that no input makes a difference: it does not count in the score. */
  readonly isEquivalent?: true;
}

export const namedFaults = readTable<readonly NamedFault[]>("tools/mutation/named.yaml", {
  what: "text",
  file: "text",
  before: "text",
  after: "text",
});

/** Mutants that no near test kills. */
export const survivors = readTable<readonly Survivor[]>("tools/mutation/survivors.yaml", {
  file: "text",
  before: "text",
  after: "text",
  reason: "text",
  isEquivalent: "boolean?",
});

/** @param source the file's text @throws where the text that is replaced is not in it exactly once: the table is out of date */
export function namedMutant({ what, file, before, after }: NamedFault, source: string): Mutant {
  const parts = source.split(before);
  if (parts.length !== 2) {
    throw new Error(
      `Cannot put a fault into ${file}: "${before}" is in it ${parts.length - 1} times; fix tools/mutation/named.yaml`,
    );
  }
  const line = (parts[0] ?? "").split("\n").length;
  return { file, operator: what, line, before, after, code: parts.join(after) };
}
