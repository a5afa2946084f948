// What a template names: a partial, or a value. Where it is defined and used, and all of that under another name.

import { readYamlTree, YamlSyntaxError } from "@outrigger/yaml";
import { batch } from "@preact/signals";
import { textOf } from "../model/drafts.ts";
import { show } from "../model/notice.ts";
import { currentText, drafts, edit, type Named, openPath, own, paths, sought } from "../model/state.ts";
import { say } from "../text/say.ts";

/** A place where a name is written. The last part of the name, which another one replaces, begins at `offset`. */
export interface Place {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly offset: number;
}

const NAMED = /\{\{~?#?>\s*([\w-]+)|\bvalues\.([A-Za-z_][\w.]*\w)/g;

/** A name, and where in its line or text that is. */
export type Placed = Named & { readonly from: number; readonly to: number };

export function namedAt(line: string, column: number): Placed | undefined {
  for (const { index, 0: whole, 1: partial, 2: value = "" } of line.matchAll(NAMED)) {
    const to = index + whole.length;
    const name = partial ?? value;
    if (index <= column && column <= to)
      return { kind: partial === undefined ? "value" : "partial", name, from: to - name.length, to };
  }
  return undefined;
}

/** The places where a name is written: the entries that define it first. */
export function placesOf({ kind, name }: Named): readonly Place[] {
  const last = lastPart(name);
  const defined = paths.value.flatMap((path): readonly Place[] => {
    if (kind === "partial") return path === PARTIALS + name ? [{ path, line: 1, offset: -1 }] : [];
    if (!path.startsWith("values/")) return [];
    const text = currentText(path);
    const offset = keyOffset(text, name.split("."));
    return offset === undefined ? [] : [{ path, line: lineAt(text, offset), offset }];
  });
  const prefix = kind === "partial" ? String.raw`\{\{~?#?>\s*` : String.raw`\bvalues\.`;
  const pattern = new RegExp(`${prefix}${name.replaceAll(".", "\\.")}(?![\\w-])`, "g");
  const used = paths.value.flatMap((path): readonly Place[] => {
    if (!/^(templates|partials)\//.test(path)) return [];
    const text = currentText(path);
    return [...text.matchAll(pattern)].map(({ index, 0: whole }) => ({
      path,
      line: lineAt(text, index),
      offset: index + whole.length - last.length,
    }));
  });
  return [...defined, ...used];
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** Undefined where a text has no such key, or is being written. */
function keyOffset(text: string, keys: readonly string[]): number | undefined {
  let offset: number | undefined;
  try {
    let node = readYamlTree(text);
    for (const key of keys) {
      const child = node.children.findLast(({ step }) => step === key);
      if (child === undefined) return undefined;
      offset = child.keyOffset + (text.startsWith(key, child.keyOffset) ? 0 : 1);
      node = child.node;
    }
  } catch (error) {
    if (!(error instanceof YamlSyntaxError)) throw error;
    return undefined;
  }
  return offset;
}

export const PARTIALS = "partials/";

/** Undefined where a name can be that. */
export function renameProblem({ kind, name }: Named, last: string): "new.exists" | "rename.invalid" | undefined {
  if (!(kind === "partial" ? /^[\w-]+$/ : /^[A-Za-z_]\w*$/).test(last)) return "rename.invalid";
  const places = placesOf({ kind, name: renamed(name, last) });
  const isDefined = places.some(({ path, offset }) => offset === -1 || path.startsWith("values/"));
  return isDefined ? "new.exists" : undefined;
}

/** What another name replaces: `hub` of `global.hub`. */
export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

function renamed(name: string, last: string): string {
  return name.slice(0, name.lastIndexOf(".") + 1) + last;
}

/** Edits all places at once. The message about it takes all of them back. */
export function rename(named: Named, last: string): void {
  const before = drafts.value;
  const { length } = lastPart(named.name);
  const places = placesOf(named);
  const entry = PARTIALS + last;
  batch(() => {
    for (const path of new Set(places.map((place) => place.path))) {
      const offsets = places.flatMap((place) => (place.path === path && place.offset >= 0 ? [place.offset] : []));
      const text = offsets
        .toSorted((a, b) => b - a)
        .reduce((edited, at) => edited.slice(0, at) + last + edited.slice(at + length), currentText(path));
      const isEntry = named.kind === "partial" && path === PARTIALS + named.name;
      edit(isEntry ? entry : path, text);
      // A shipped one stays: nothing calls it any more.
      if (isEntry && textOf(own.value, path) !== null) edit(path, null);
      if (isEntry && openPath.value === path) openPath.value = entry;
    }
    sought.value = { ...named, name: renamed(named.name, last) };
  });
  const after = drafts.value;
  show({
    text: say("rename.done", { count: places.length }),
    undo: () => {
      const changed = Object.keys({ ...before, ...after }).filter((path) => before[path] !== after[path]);
      // What was typed since stays.
      const taken = changed.filter((path) => drafts.value[path] === after[path]);
      const others = Object.entries(drafts.value).filter(([path]) => !taken.includes(path));
      const back = Object.entries(before).filter(([path]) => taken.includes(path));
      drafts.value = Object.fromEntries([...others, ...back]);
      sought.value = named;
      if (!paths.value.includes(openPath.value)) openPath.value = PARTIALS + named.name;
    },
  });
}
