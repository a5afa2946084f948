// A snapshot as serving holds it. A container serves few of a deployment's clusters: a record is parsed when its token comes.
import { type OutriggerError, once, ownError, parseJson } from "@outrigger/base";
import type { Caller } from "../services/token.ts";
import { type ClusterRecord, parseClusterRecord } from "./cluster-record.ts";
import { corrupt, type Head, parseSnapshot, type Snapshot, snapshotText } from "./snapshot.ts";

export interface ServedSnapshot extends Omit<Snapshot, "clusters"> {
  /** Every live token, with the cluster that it identifies; with the error in place of one whose record is damaged. */
  readonly callers: readonly Caller<() => Registered | OutriggerError>[];
}

/** One live token's cluster. */
export interface Registered {
  readonly name: string;
  readonly record: ClusterRecord;
  readonly slot: 1 | 2;
}

/**
 * Checks a snapshot without its clusters' records, and finds the tokens in these. Parameters and errors are those of parseSnapshot().
 *
 * @param text as snapshotText() makes it, or JSON of the same on one line, which earlier versions wrote
 */
export function openSnapshot(text: string, head: Head, place: string): ServedSnapshot {
  const end = text.indexOf("\n");
  if (end === -1) return openSnapshot(snapshotText(parseSnapshot(text, head, place)), head, place);
  const { clusters: _, ...others } = parseSnapshot(`${text.slice(0, end)}}}`, head, place);
  return { ...others, callers: callersIn(text, end, place) };
}

/** No text in a record holds the mark, as JSON escapes quotes there; what a revision of that name has after it is no digest. */
const MARK = '"sha256":"';
const DIGEST_DIGITS = 64;

function callersIn(text: string, start: number, place: string): ServedSnapshot["callers"] {
  const callers: ServedSnapshot["callers"][number][] = [];
  for (let at = text.indexOf(MARK, start); at !== -1; at = text.indexOf(MARK, at)) {
    at += MARK.length;
    const sha256 = text.slice(at, at + DIGEST_DIGITS);
    const tokenDigest = Buffer.from(sha256, "hex");
    const line = at;
    if (tokenDigest.length === DIGEST_DIGITS / 2)
      callers.push({ tokenDigest, cluster: once(() => registeredAt(text, line, sha256, place)) });
  }
  return callers;
}

function registeredAt(text: string, at: number, sha256: string, place: string): Registered | OutriggerError {
  const line = text.slice(text.lastIndexOf("\n", at) + 1, text.indexOf("\n", at)).replace(/,$/, "");
  const [entry] = Object.entries(parseJson(`{${line}}`) ?? {});
  if (entry === undefined) return corrupt(place, "a line of clusters is not JSON");
  const [name, value] = entry;
  try {
    const record = parseClusterRecord(value, `${name} in ${place}`);
    const slot = record.tokens[0]?.sha256 === sha256 ? 1 : 2;
    return { name, record, slot };
  } catch (error) {
    return ownError(error);
  }
}
