// The proxy's user and group: 1337, or what an OpenShift namespace reserves in its annotations.

export interface ProxyIds {
  readonly uid: number;
  readonly gid: number;
}

const UID_RANGE = "openshift.io/sa.scc.uid-range";
const GROUPS = "openshift.io/sa.scc.supplemental-groups";
const DEFAULT_ID = 1337;
const UINT32 = 2 ** 32;
const BLOCK = /^ *([0-9]+)([/-]) *([0-9]+)/;

/**
 * The last id of the namespace's user range, and of its first block of supplemental groups (or, where it has none, of
 * its user range). Annotations that cannot be read leave 1337.
 */
export function proxyIds(annotations: Readonly<Record<string, string>> | undefined): ProxyIds {
  if (annotations === undefined) return DEFAULT_IDS;
  const users = annotations[UID_RANGE];
  const groups = annotations[GROUPS] ?? users;
  return { uid: lastOfBlock(users) ?? DEFAULT_ID, gid: lastOfFirstBlock(groups) ?? DEFAULT_ID };
}

const DEFAULT_IDS: ProxyIds = { uid: DEFAULT_ID, gid: DEFAULT_ID };

/** One block that cannot be read spoils the list. */
function lastOfFirstBlock(text: string | undefined): number | undefined {
  const lasts = text?.split(",").map(lastOfBlock) ?? [];
  return lasts.includes(undefined) ? undefined : lasts[0];
}

/** `start/size` or `start-end`, both of 32 bits; what follows is not looked at. */
function lastOfBlock(text: string | undefined): number | undefined {
  const [, first, separator, second] = BLOCK.exec(text ?? "") ?? [];
  if (first === undefined || second === undefined) return undefined;
  const start = Number(first);
  const number = Number(second);
  if (start >= UINT32 || number >= UINT32 || (separator === "-" && text?.includes("/"))) return undefined;
  return separator === "-" ? number : (start + number - 1 + UINT32) % UINT32;
}
