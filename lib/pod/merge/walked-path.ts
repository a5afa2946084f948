// Where the walk of a merge is: a linked list that is cheap to extend, and written out only for an error.

import type { FieldPath } from "@outrigger/base";

/** The way from the root to here; undefined at the root. */
export interface WalkedPath {
  readonly parent: WalkedPath | undefined;
  readonly step: string | number;
}

export function fieldPathOf(walked: WalkedPath | undefined): FieldPath {
  const path: (string | number)[] = [];
  for (let at = walked; at !== undefined; at = at.parent) path.push(at.step);
  return path.reverse();
}
