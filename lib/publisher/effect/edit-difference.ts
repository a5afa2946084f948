// What an edit changes of all that a release writes, whatever pod comes: complete, where samples are examples. What is on the list of
// everyday changes goes out by itself, and everything else is named, with its line and its conditions.
import { isObject, type JsonValue, jsonEqual } from "@outrigger/base";
import { type Release, type ReleaseWrite, releaseWrites, type SourceTree } from "@outrigger/injector";
import { type CompiledTemplates, type Program, statementsOf, usedValues } from "@outrigger/template";
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
  const names = comparedTemplates(before, after);
  const writesOf = (release: Release) =>
    releaseWrites(
      release,
      names.filter((name) => Object.hasOwn(release.templates.templates, name)),
    );
  const [was, is] = [writesOf(before), writesOf(after)];
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
  return `${describeDifference(first).slice(0, LONGEST - rest.length)}${rest}`;
}

/** A record keeps an example of each class that is held. */
const LONGEST = 140;

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

/** The templates that may write something else: where only texts are edited, those that reach an edited one. */
function comparedTemplates(before: Release, after: Release): readonly string[] {
  const names = [...new Set([before, after].flatMap(({ templates }) => Object.keys(templates.templates)))];
  const inputsOf = ({ config, values, meshConfig }: Release) =>
    ({ config, values, meshConfig }) as unknown as JsonValue;
  if (!jsonEqual(inputsOf(before), inputsOf(after))) return names;
  const textOf = (release: Release, name: string) => JSON.stringify(reachedPrograms(release.templates, name));
  return names.filter((name) => textOf(before, name) !== textOf(after, name));
}

/** A template with every partial that it calls, by name. */
function reachedPrograms(
  { templates, partials }: CompiledTemplates,
  name: string,
): readonly (readonly [string, Program])[] {
  const reached = new Map<string, Program>();
  const visit = (program: Program | undefined): void => {
    for (const statement of statementsOf(program ?? [])) {
      if (statement.kind !== "partial" || reached.has(statement.name)) continue;
      const called = partials[statement.name];
      if (called === undefined) continue;
      reached.set(statement.name, called);
      visit(called);
    }
  };
  visit(templates[name]);
  return [["", templates[name] ?? []], ...[...reached].sort(([a], [b]) => (a < b ? -1 : 1))];
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
  const isRead = readsOf(after, tree);
  return inputs.every(({ path, before: was, after: is }) => isEverydayInput(path, is, was) && !isRead(path));
}

/** Whether a text of the tree reads a value or a field of the mesh, or may do so. */
function readsOf({ templates }: Release, tree: SourceTree): (path: string) => boolean {
  const own = Object.entries(tree).filter(([path]) => /^(?:templates|partials)\//.test(path));
  if (own.length === 0) return () => false;
  const text = own.map(([, each]) => each).join("\n");
  const readsAny = /@root|\bvalues\b(?!\.)|\bthis\b/.test(text);
  const readsMesh = /\b(?:meshConfig|proxyConfig)\b/.test(text);
  const ownOf = (folder: "templates" | "partials") =>
    Object.fromEntries(Object.entries(templates[folder]).filter(([name]) => tree[`${folder}/${name}`] !== undefined));
  const used = usedValues({ ...templates, templates: ownOf("templates"), partials: ownOf("partials") });
  return (path) => {
    if (readsAny) return true;
    const [root, ...steps] = path.split(".");
    if (root === "mesh") return readsMesh;
    return used.some((names) => names.every((name, at) => at >= steps.length || name === steps[at]));
  };
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
