// What an edit changes of all that a release writes, whatever pod comes: complete, where samples are examples. What is on the list of
// everyday changes goes out by itself, and everything else is named, with its line and its conditions.
import { isObject, type JsonValue, jsonEqual } from "@outrigger/base";
import {
  differingWrites,
  inputReader,
  type Release,
  type ReleaseWrite,
  readsImages,
  type SourceTree,
} from "@outrigger/injector";
import { LONGEST_EXAMPLE } from "./effects.ts";
import { isEverydayInput, isEverydayWrite } from "./everyday.ts";

/** One thing that an edit writes, no longer writes, or writes otherwise. */
export interface EditDifference extends Pick<ReleaseWrite, "template" | "path" | "conditions" | "place"> {
  /** What was written; left out for something new. */
  readonly before?: string;
  /** What is written; left out for something that is gone. */
  readonly after?: string;
}

/**
 * Returns what an edit changes and no list of everyday changes has; empty for an everyday edit.
 *
 * @param tree the texts of the tree over the shipped one
 */
export function unlistedDifferences(before: Release, after: Release, tree: SourceTree): readonly EditDifference[] {
  if (isTuning(before, after, tree)) return [];
  const [was, is] = differingWrites(before, after, readsImages(tree));
  const gone = groupsOf([...was.writes].filter(([key]) => !is.writes.has(key)));
  const added = groupsOf([...is.writes].filter(([key]) => !was.writes.has(key)));
  const found: EditDifference[] = [];
  for (const key of new Set([...gone.keys(), ...added.keys()])) {
    const [olds, news] = [gone.get(key) ?? [], added.get(key) ?? []];
    const [old, now] = [olds[0], news[0]];
    const isOne = olds.length === 1 && news.length === 1;
    if (isOne && old && now && isSame(old, now)) continue;
    if (isOne && old && now && isEverydayWrite(now.path, now.value, old.value)) continue;
    if (now?.template === "" && olds.length <= 1 && isEverydayInput(now.path, now.value, old?.value)) continue;
    if (isOne && old && now) {
      found.push({ ...differenceOf(now), before: old.written, after: now.written });
      continue;
    }
    found.push(...olds.map((write) => ({ ...differenceOf(write), before: write.written })));
    found.push(...news.map((write) => ({ ...differenceOf(write), after: write.written })));
  }
  if (found.length > 0) return [...new Map(found.map((one) => [JSON.stringify({ ...one, place: "" }), one])).values()];
  // Nothing else than values is edited where the skeleton stays.
  return [...new Set([...Object.keys(was.skeletons), ...Object.keys(is.skeletons)])]
    .filter((name) => was.skeletons[name] !== is.skeletons[name])
    .map((name) => {
      const template = name.replace(/ \(\w+\)$/, "");
      return {
        template,
        path: "",
        conditions: [],
        place: { path: `templates/${template}` },
        after: "another structure",
      };
    });
}

/** Says what an edit changes, in one line: `templates/agent:3: spec.containers[agent].image: "a:1" → "b:1"; 4 more`. */
export function describeDifferences(differences: readonly EditDifference[]): string {
  const [first] = differences;
  if (first === undefined) return "";
  const rest = differences.length === 1 ? "" : `; ${differences.length - 1} more`;
  return `${describeDifference(first).slice(0, LONGEST_EXAMPLE - rest.length)}${rest}`;
}

/** Says one difference with its place and the conditions above it. */
export function describeDifference({ place, path, before, after, conditions }: EditDifference): string {
  const line = place.line === undefined ? place.path : `${place.path}:${place.line}`;
  const change = [before ?? "nothing", after ?? "nothing"].map(shortened).join(" → ");
  const under = conditions.length === 0 ? "" : `, ${conditions.map(shortened).join(" and ")}`;
  return `${line}: ${path === "" ? "the structure" : path}: ${change}${under}`;
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/** Another way to write the same: quotes, or white space. */
function isSame(old: ReleaseWrite, now: ReleaseWrite): boolean {
  return old.value !== undefined && now.value !== undefined && jsonEqual(old.value, now.value);
}

function differenceOf({ template, path, conditions, place }: ReleaseWrite): EditDifference {
  return { template, path, conditions, place };
}

/** By what stays where only a value is edited. */
function groupsOf(entries: readonly (readonly [string, ReleaseWrite])[]): ReadonlyMap<string, readonly ReleaseWrite[]> {
  const groups = new Map<string, ReleaseWrite[]>();
  for (const [key, write] of entries) {
    const variant = key.slice(0, key.indexOf(","));
    const group = JSON.stringify([variant, write.template, write.path, write.conditions]);
    groups.set(group, [...(groups.get(group) ?? []), write]);
  }
  return groups;
}

/** Whether an edit only tunes the shipped templates, by values and fields of the mesh that no text of the tree reads. */
function isTuning(before: Release, after: Release, tree: SourceTree): boolean {
  const { values: oldValues, meshConfig: oldMesh, shapes: _s, warnings: _w, ...old } = before;
  const { values, meshConfig, shapes: _t, warnings: _v, ...now } = after;
  if (!jsonEqual(old as unknown as JsonValue, now as unknown as JsonValue)) return false;
  const inputs = [
    ...changedLeaves("values", oldValues, values),
    ...changedLeaves("mesh", oldMesh as unknown as JsonValue, meshConfig as unknown as JsonValue),
  ];
  const isRead = inputReader(after, tree);
  return inputs.every(({ path, before: was, after: is }) => isEverydayInput(path, is, was) && !isRead(path));
}

interface ChangedLeaf {
  readonly path: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

function changedLeaves(
  path: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly ChangedLeaf[] {
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => changedLeaves(`${path}.${key}`, before[key], after[key]));
  }
  return jsonEqual(before ?? null, after ?? null) ? [] : [{ path, before, after }];
}
