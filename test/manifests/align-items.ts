// Which items of a list are which of an edited one, as a reader would say: objects by what identifies them, other values by
// being equal. Written apart from the edits that it is used to judge.
import { isObject, type JsonObject, type JsonValue, jsonEqual } from "@outrigger/base";

interface AlignedItem {
  readonly before: number | undefined;
  readonly after: JsonValue;
}

/** A longest common sequence; items at both ends stay where they are. */
export function alignItems(before: readonly JsonValue[], after: readonly JsonValue[]): readonly AlignedItem[] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && isSame(before[start], after[start])) start += 1;
  let end = 0;
  while (end < most - start && isSame(before.at(-1 - end), after.at(-1 - end))) end += 1;
  const middle = common(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return after.map((item, index) => {
    if (index < start) return { before: index, after: item };
    if (index >= after.length - end) return { before: before.length - after.length + index, after: item };
    const found = middle.get(index - start);
    return { before: found === undefined ? undefined : found + start, after: item };
  });
}

/** Position after → position before. */
function common(before: readonly JsonValue[], after: readonly JsonValue[]): ReadonlyMap<number, number> {
  const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  const lengthAt = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      (lengths[i] as number[])[j] = isSame(before[i], after[j])
        ? lengthAt(i + 1, j + 1) + 1
        : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const found = new Map<number, number>();
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (isSame(before[i], after[j])) found.set(j++, i++);
    else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1;
    else j += 1;
  }
  return found;
}

function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (!isObject(a) || !isObject(b)) return jsonEqual(a, b);
  const [first, second] = [identityOf(a), identityOf(b)];
  return first === undefined && second === undefined ? jsonEqual(a, b) : first === second;
}

function identityOf({ kind, metadata, mountPath, name, containerPort }: JsonObject): JsonValue | undefined {
  if (kind === undefined || !isObject(metadata)) return mountPath ?? name ?? containerPort;
  return JSON.stringify([kind, metadata["namespace"] ?? "", metadata["name"] ?? metadata["generateName"] ?? ""]);
}
