// Asking several clusters what a command asks one: a row for each, in their order, and the worst exit code of all. A cluster that
// cannot be asked is a row with the reason, and keeps no other from being asked.
import { defined, OutriggerError, plural } from "@outrigger/base";
import { describeError } from "../terminal/describe-error.ts";
import { exitCodeOf } from "../terminal/exit-code.ts";
import type { Io } from "../terminal/io.ts";
import { printResult, table, withProgress } from "../terminal/print.ts";
import { atMost } from "./at-most.ts";
import type { SelectedCluster } from "./select-clusters.ts";

/** What a cluster answered. */
export interface ClusterAnswer {
  /** The fields of its item for machines, besides its name. */
  readonly value: object;
  /** The cells of its row between its name and what was said. */
  readonly cells: readonly string[];
  /** One sentence: what was seen, or done. */
  readonly said: string;
  /** The error with which the command ends where it is about this cluster alone. */
  readonly finding?: OutriggerError | undefined;
  /** What was found is no reason to begin no other cluster. */
  readonly isHarmless?: boolean;
}

export interface Question {
  /** The headings of the cells. */
  readonly headings: readonly string[];
  readonly maxConcurrency: number;
  readonly json?: true | undefined;
  /** Given where nothing more is begun after the first cluster that is not well: the command that continues, for those clusters. */
  readonly continueWith?: (clusters: readonly string[]) => string;
  /** Left out where the command says itself what it does. */
  readonly isQuiet?: true;
}

interface Row {
  readonly name: string;
  /** 0, 1 or 3, as a command about this cluster alone would end; undefined where it was not begun. */
  readonly exitCode: 0 | 1 | 3 | undefined;
  readonly value: object;
  readonly cells: readonly string[];
  readonly said: string;
  readonly error?: OutriggerError;
  /** Whether no other cluster is to be begun after it. */
  readonly isBad: boolean;
}

/**
 * Prints a table with a row for each cluster, or a list with an item for each.
 *
 * @throws OutriggerError what says how many are not well, with the exit code of the worst
 */
export async function printEach(
  clusters: readonly SelectedCluster[],
  { headings, maxConcurrency, json, continueWith, isQuiet }: Question,
  ask: (cluster: SelectedCluster) => Promise<ClusterAnswer>,
  io: Io,
): Promise<void> {
  const rows = await withProgress(isQuiet === true ? { ...io, isTerminal: false } : io, async (report) => {
    let done = 0;
    report(`0 of ${clusters.length} clusters`);
    const askOne = async (cluster: SelectedCluster) => {
      const row = await rowOf(cluster, ask, json === true);
      report(`${++done} of ${clusters.length} clusters`);
      return row;
    };
    const continues = ({ isBad }: Row) => continueWith === undefined || !isBad;
    const answered: (Row | undefined)[] = [];
    for (const ring of ringsOf(clusters)) {
      const isOver = answered.some((row) => row !== undefined && !continues(row));
      answered.push(...(isOver ? ring.map(() => undefined) : await atMost(maxConcurrency, ring, askOne, continues)));
    }
    return answered;
  });
  const all = clusters.map(({ name }, index) => rows[index] ?? { ...NOT_BEGUN, name });
  const empty = headings.map(() => "-");
  const lines = all.map(({ name, cells, said }) => [name, ...(cells.length === 0 ? empty : cells), said]);
  const items = all.map(({ name, exitCode, value }) => ({ cluster: name, ...defined({ exitCode }), ...value }));
  const names = all.flatMap(({ name, exitCode }) => (exitCode === 0 ? [] : [name]));
  printResult(io, json, items, table(["CLUSTER", ...headings, "RESULT"], lines), names);
  assertAllWell(all, continueWith);
}

/** Clusters of the same ring that stand next to one another. */
function ringsOf(clusters: readonly SelectedCluster[]): readonly (readonly SelectedCluster[])[] {
  const rings: SelectedCluster[][] = [];
  for (const cluster of clusters) {
    const last = rings.at(-1);
    if (last !== undefined && last[0]?.ring === cluster.ring) last.push(cluster);
    else rings.push([cluster]);
  }
  return rings;
}

const NOT_BEGUN = {
  exitCode: undefined,
  value: { isBegun: false },
  cells: [],
  said: "not begun",
  isBad: false,
} as const;

async function rowOf(
  cluster: SelectedCluster,
  ask: (cluster: SelectedCluster) => Promise<ClusterAnswer>,
  keepsValue: boolean,
): Promise<Row> {
  const { name, unreadable } = cluster;
  try {
    if (unreadable !== undefined) throw unreadable;
    const { value, cells, said, finding, isHarmless = false } = await ask(cluster);
    // Of hundreds of clusters, only what is printed is kept.
    const kept = { name, value: keepsValue ? value : {}, cells, said };
    if (finding === undefined) return { ...kept, exitCode: 0, isBad: false };
    return { ...kept, exitCode: codeOf(finding), error: finding, isBad: !isHarmless };
  } catch (thrown) {
    // A bug that one cluster meets is its row, too: the others have theirs.
    const error = thrown instanceof OutriggerError ? thrown : new OutriggerError("cluster-refused", bugText(thrown));
    const { code, message } = error;
    const value = { error: { code, message } };
    return { name, exitCode: codeOf(error), value, cells: [], said: message, error, isBad: true };
  }
}

function bugText(thrown: unknown): string {
  return describeError(thrown).split("\n")[0] as string;
}

/** The command line is the same for all: what is wrong with one cluster is a finding, or it could not be asked. */
function codeOf(error: OutriggerError): 1 | 3 {
  return exitCodeOf(error) === 1 ? 1 : 3;
}

function assertAllWell(rows: readonly Row[], continueWith: Question["continueWith"]): void {
  const failed = rows.filter(({ exitCode }) => exitCode === 3);
  const found = rows.filter(({ exitCode }) => exitCode === 1);
  const worst = (failed[0] ?? found[0])?.error;
  if (worst === undefined) return;
  const well = rows.filter(({ exitCode }) => exitCode === 0);
  const parts = [
    failed.length > 0 ? `${failed.length} could not be asked or changed` : [],
    found.length > 0 ? `${found.length} ${plural(found.length, "has", "have")} findings` : [],
    `${well.length} ${plural(well.length, "is", "are")} well`,
  ];
  const message = parts.flat().join(", ");
  const namesOf = (isOf: (row: Row) => boolean) => rows.flatMap((row) => (isOf(row) ? [row.name] : []));
  const bad = namesOf(({ isBad }) => isBad);
  if (continueWith === undefined || bad.length === 0) throw new OutriggerError(worst.code, message);
  const done = namesOf(({ exitCode, isBad }) => exitCode !== undefined && !isBad);
  const waiting = namesOf(({ exitCode }) => exitCode === undefined);
  const listed = (names: readonly string[]) => (names.length === 0 ? "none" : names.join(", "));
  const state = `done: ${listed(done)}; failed: ${listed(bad)}; not begun: ${listed(waiting)}`;
  const next = `see to ${listed(bad)}, then continue with: ${continueWith([...bad, ...waiting])}`;
  throw new OutriggerError(worst.code, `${message}; ${state}; ${next}`);
}
