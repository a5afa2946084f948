// The user and group of the proxy: those that OpenShift gives to the namespace, or Istio's own.
import { metadataKeys } from "@outrigger/base";

const UID_RANGE = metadataKeys.openshiftUserIds;
const GROUPS = metadataKeys.openshiftGroupIds;
const DEFAULT_ID = 1337;
const UINT32 = 2 ** 32;
const BLOCK = /^ *([0-9]+)([/-]) *([0-9]+)/;

/**
 * The last id of the namespace's user range, and of its first block of supplemental groups (without groups, of its user
 * range). Annotations that cannot be read, and an id of 0, leave 1337: the proxy never runs as root because of a range.
 *
 * @example
 * ```ts
 * proxyIds({ "openshift.io/sa.scc.uid-range": "1000/10" }) // => { uid: 1009, gid: 1009 }
 * ```
 */
export function proxyIds(annotations: Readonly<Record<string, string>> | undefined): {
  readonly uid: number;
  readonly gid: number;
} {
  if (annotations === undefined) return DEFAULT_IDS;
  const users = annotations[UID_RANGE];
  const groups = (annotations[GROUPS] ?? users)?.split(",").map(lastOfBlock) ?? [];
  // If one block cannot be read, the whole list is ignored.
  const gid = groups.includes(undefined) ? undefined : groups[0];
  return { uid: lastOfBlock(users) || DEFAULT_ID, gid: gid || DEFAULT_ID };
}

/** The highest user or group ID that a pod may have. */
export const MAX_ID = 2 ** 31 - 1;

/** Returns the annotation by which the proxy would get an ID that no pod may have; undefined where there is none. */
export function tooHighRange(annotations: Readonly<Record<string, string>>): string | undefined {
  const { uid, gid } = proxyIds(annotations);
  if (uid > MAX_ID) return UID_RANGE;
  if (gid <= MAX_ID) return undefined;
  return annotations[GROUPS] === undefined ? UID_RANGE : GROUPS;
}

const DEFAULT_IDS = { uid: DEFAULT_ID, gid: DEFAULT_ID };

/** Returns the last id of a block `start/size` or `start-end`, both of 32 bits. Text after it is ignored. */
function lastOfBlock(text: string | undefined): number | undefined {
  const [, first, separator, second] = BLOCK.exec(text ?? "") ?? [];
  if (first === undefined || second === undefined) return undefined;
  const start = Number(first);
  const number = Number(second);
  if (start >= UINT32 || number >= UINT32 || (separator === "-" && text?.includes("/"))) return undefined;
  return separator === "-" ? number : (start + number - 1 + UINT32) % UINT32;
}
