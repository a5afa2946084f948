// What the page asks to publish: the tree with its edits, and what it does to pods. Pure.
import { OutriggerError } from "@outrigger/base";
import { lintSource, type SourceTree } from "@outrigger/injector";
import type { ChannelRecord, previewPublication } from "@outrigger/publisher";
import type { Edit, Effect } from "@outrigger/studio";
import { type AskedMove, changedSince } from "./parse-move.ts";

export type AskedPublication = AskedMove & { readonly action: "publish" };

/** @throws OutriggerError `tree-changed` where another user was faster */
export function withEdits(there: SourceTree, edits: readonly Edit[]): SourceTree {
  const changed = Object.keys(changedSince(edits, there));
  const [path] = changed;
  if (path !== undefined) {
    const message = `Cannot save ${changed.join(", ")}: changed by another user since you opened it; merge the two texts first`;
    throw new OutriggerError("tree-changed", message, { path });
  }
  const kept = Object.entries(there).filter(([path]) => edits.every((edit) => edit.path !== path));
  const written = edits.flatMap(({ path, text }) => (text === null ? [] : [[path, text] as const]));
  return Object.fromEntries([...kept, ...written]);
}

/** Refuses a tree as `push` does. */
export function requirePublishable(layers: readonly SourceTree[]): void {
  const error = lintSource(layers).findings.find(({ severity }) => severity === "error");
  if (error === undefined) return;
  const { path, line, message } = error;
  const place = line === undefined ? path : `${path}:${line}`;
  throw new OutriggerError("tree-invalid", `Cannot publish: ${place}: ${message}`, { path });
}

/**
 * Returns the effects of a publication. Those that wait for a person already are the publisher's findings, which may be
 * of other shipped templates than this command's.
 */
export function effectsOf(
  { effects, heldEffects = [] }: Awaited<ReturnType<typeof previewPublication>>,
  record: ChannelRecord | undefined,
): readonly Effect[] {
  const waiting = record?.proposal?.held ?? [];
  const held = [...waiting, ...heldEffects.filter(({ name }) => waiting.every((one) => one.name !== name))];
  const others = effects.filter(({ name }) => held.every((one) => one.name !== name));
  return [
    ...held.map(({ name, example }) => ({ name, example, isHeld: true })),
    ...others.map(({ name, example }) => ({ name, example, isHeld: false })),
  ];
}
