// How much a tree of changes says, field by field, and which fields. Apart from what makes the tree: the page shows this, and parses nothing for it.

import { metadataKeys } from "@outrigger/base";
import type { ChangeNode } from "./change-tree.ts";
import type { Impact } from "./question.ts";

/** The number of entries of a field that are added, changed and removed; for a container, which of them it is itself. */
export interface ChangeCount {
  /** A container's name, or a field: `volumes`, `annotations`. */
  readonly what: string;
  readonly isContainer: boolean;
  readonly counts: Readonly<Record<"added" | "changed" | "removed", number>>;
}

/** What the tree comes to: each container by its name, and the entries of every other field, or the field itself. */
export function changeCounts(tree: readonly ChangeNode[]): readonly ChangeCount[] {
  const fields = tree.flatMap((node) => (SECTIONS.includes(node.id) ? node.children : []));
  return fields.flatMap((field) => {
    const isContainers = CONTAINERS.includes(field.label);
    const entries = field.children.length === 0 ? [field] : field.children;
    const counted = isContainers ? field.children.map((child) => [child]) : [entries];
    return counted.flatMap((nodes, at): readonly ChangeCount[] => {
      const counts = { added: 0, changed: 0, removed: 0 };
      for (const { change } of nodes) if (change !== "kept") counts[change === "within" ? "changed" : change] += 1;
      const what = isContainers ? (field.children[at]?.label ?? "") : field.label;
      return Object.values(counts).every((count) => count === 0) ? [] : [{ what, isContainer: isContainers, counts }];
    });
  });
}

/** The number of pods that change, or change in one of the given ways, and of all pods; and of the workloads that have the first. */
export function countPods({ unchanged, changes }: Impact, ways = changes) {
  const sum = (of: typeof changes) => of.reduce((count, { pods }) => count + pods, 0);
  const workloads = ways.reduce((count, { names }) => count + names.length, 0);
  return { changed: sum(ways), count: unchanged + sum(changes), workloads };
}

/** The fields that were added, changed or removed themselves: the last of them is the record of the injection, which repeats the others. */
export function changedFields(tree: readonly ChangeNode[]): readonly ChangeNode[] {
  const fields = tree.flatMap((node): readonly ChangeNode[] => {
    if (node.change === "within") return changedFields(node.children);
    return node.change === "kept" ? [] : [node];
  });
  return fields.toSorted((a, b) => Number(RECORD.includes(a.label)) - Number(RECORD.includes(b.label)));
}

const RECORD: readonly string[] = [metadataKeys.status, metadataKeys.ownStatus];

/** Names a change of a field: the same in two pods is the same change. */
export function changeKey({ id, change, before, text }: Omit<ChangeNode, "children">): string {
  return JSON.stringify([id, change, before ?? "", text]);
}

export interface FieldChange {
  /** `istio-proxy › resources › limits › memory`, of a container; else the whole path. */
  readonly name: string;
  readonly change: ChangeNode["change"];
  readonly before: string;
  readonly text: string;
}

/** The changes of some keys, without the record of the injection where there are others. */
export function fieldChanges(keys: readonly string[]): readonly FieldChange[] {
  const all = keys.map((key): FieldChange => {
    const [id, change, before, text] = JSON.parse(key) as [string, ChangeNode["change"], string, string];
    const [section = "", list = "", ...within] = (change === "removed" ? id.replace(/-$/, "") : id).split("/");
    if (section === "spec" && CONTAINERS.includes(list)) return { name: within.join(" › "), change, before, text };
    // The keys of annotations and labels have slashes of their own.
    const path = section === "metadata" ? [section, list, within.join("/")] : [section, list, ...within];
    return { name: path.filter((step) => step !== "").join(" › "), change, before, text };
  });
  const others = all.filter(({ name }) => !RECORD.some((key) => name.endsWith(` › ${key}`)));
  return others.length === 0 ? all : others;
}

const SECTIONS: readonly string[] = ["spec", "metadata"];
const CONTAINERS: readonly string[] = ["initContainers", "containers"];
