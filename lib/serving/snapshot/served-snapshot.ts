// A snapshot as serving holds it. A container serves few of a deployment's clusters: a record is parsed when its token comes.
import { type OutriggerError, ownError, parseJson } from "@outrigger/base";
import { DIGEST_BYTES, indexOfToken } from "../services/token.ts";
import { type ClusterRecord, parseServedRecord } from "./cluster-record.ts";
import { corrupt, type Head, parseSnapshot, type Snapshot, snapshotText } from "./snapshot.ts";

export interface ServedSnapshot extends Omit<Snapshot, "clusters"> {
  /** The cluster that a live token identifies; the error in place of one whose record is damaged; undefined for any other token. */
  readonly findCluster: (token: string | undefined) => Registered | OutriggerError | undefined;
}

/** One live token's cluster. */
export interface Registered {
  readonly name: string;
  readonly record: ClusterRecord;
  readonly slot: 1 | 2;
}

/**
 * Checks a snapshot without its clusters' records. Parameters and errors are those of parseSnapshot().
 *
 * @param text as snapshotText() makes it, or JSON of the same on one line, which earlier versions wrote
 */
export function openSnapshot(text: string, head: Head, place: string): ServedSnapshot {
  const end = text.indexOf("\n");
  if (end === -1) return openSnapshot(snapshotText(parseSnapshot(text, head, place)), head, place);
  const { clusters: _, ...others } = parseSnapshot(`${text.slice(0, end)}"clusters":{}}`, head, place);
  const start = text.indexOf("\n", end + 1);
  const line = text.slice(end + 1, start);
  const tokens = line.slice(TOKENS.length, -END.length);
  // What is not hexadecimal ends the bytes.
  const digests = Buffer.from(tokens, "hex");
  const isWhole = digests.length * 2 === tokens.length && digests.length % DIGEST_BYTES === 0;
  if (line !== `${TOKENS}${tokens}${END}` || !isWhole) throw corrupt(place, "tokens is not a list of digests");
  const found = new Map<number, Registered | OutriggerError>();
  const findCluster = (token: string | undefined) => {
    const index = indexOfToken(token, digests);
    if (index === -1) return undefined;
    const sha256 = tokens.slice(index * 2 * DIGEST_BYTES, (index + 1) * 2 * DIGEST_BYTES);
    const registered = found.get(index) ?? registeredWith(sha256, token, text, start, place);
    found.set(index, registered);
    return registered;
  };
  return { ...others, findCluster };
}

const TOKENS = '"tokens":"';
const END = '",';

function registeredWith(sha256: string, token: string | undefined, text: string, start: number, place: string) {
  const at = text.indexOf(`"sha256":"${sha256}"`, start);
  const line = text.slice(text.lastIndexOf("\n", at) + 1, text.indexOf("\n", at)).replace(/,$/, "");
  const [[name, value] = []] = Object.entries(parseJson(`{${line}}`) ?? {});
  if (at === -1 || name === undefined) return corrupt(place, "the cluster of a token is not there");
  try {
    const record = parseServedRecord(value, `${name} in ${place}`);
    const slot = indexOfToken(token, Buffer.from(record.tokens.map(({ sha256 }) => sha256).join(""), "hex")) + 1;
    return { name, record, slot: slot === 1 ? 1 : 2 } as const;
  } catch (error) {
    return ownError(error);
  }
}
