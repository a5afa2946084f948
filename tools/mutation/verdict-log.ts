// The verdicts of earlier runs, one per line of an ignored file, so that a run that was ended goes on where it was. A
// kill counts as long as the test that made it is what it was; any other verdict, as long as all tests near it are.
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { isObject } from "@outrigger/base";
import type { Verdict } from "./runner.ts";

/** What a verdict is about: the mutated text, and the tests that judge it. */
export interface Judged {
  readonly file: string;
  readonly code: string;
  readonly tests: readonly string[];
}

export interface VerdictLog {
  readonly find: (judged: Judged) => Verdict | undefined;
  readonly add: (judged: Judged, verdict: Verdict) => void;
  /** How many mutants of the file a test has killed. */
  readonly kills: (file: string, test: string) => number;
}

interface Entry {
  readonly key: string;
  readonly file: string;
  readonly tests: string;
  readonly verdict: Verdict;
}

/** @param textOf the text of a test */
export function openVerdictLog(path: string, textOf: (test: string) => string): VerdictLog {
  mkdirSync(dirname(path), { recursive: true });
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  const known = new Map(lines.flatMap(readLine).map((entry) => [entry.key, entry]));
  const keyOf = ({ file, code }: Judged): string => digestOf([file, code]);
  const testsOf = ({ tests }: Judged, { by }: Verdict): string => {
    const deciding = by !== undefined && tests.includes(by) ? [by] : tests.toSorted();
    return digestOf(deciding.flatMap((test) => [test, textOf(test)]));
  };
  return {
    find: (judged) => {
      const entry = known.get(keyOf(judged));
      return entry?.tests === (entry && testsOf(judged, entry.verdict)) ? entry?.verdict : undefined;
    },
    add: (judged, verdict) => {
      const entry = { key: keyOf(judged), file: judged.file, tests: testsOf(judged, verdict), verdict };
      known.set(entry.key, entry);
      appendFileSync(path, `${JSON.stringify(entry)}\n`);
    },
    kills: (file, test) => {
      const isKill = (entry: Entry): boolean => entry.file === file && entry.verdict.by === test;
      return [...known.values()].filter(isKill).length;
    },
  };
}

function digestOf(texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(`${text.length}\n${text}`);
  return hash.digest("hex").slice(0, 24);
}

/** A line that is not whole, because the run was ended in the middle of it, is left out. */
function readLine(line: string): readonly Entry[] {
  try {
    const entry: unknown = JSON.parse(line);
    return isEntry(entry) ? [entry] : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is Entry {
  return (
    isObject(value) &&
    typeof value["key"] === "string" &&
    typeof value["file"] === "string" &&
    typeof value["tests"] === "string" &&
    isObject(value["verdict"]) &&
    typeof value["verdict"]["outcome"] === "string"
  );
}
