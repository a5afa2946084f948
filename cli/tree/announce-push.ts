// How a push announces itself, so that of pushes at the same time the first one is made, and the others leave it alone.
import type { ParameterStore } from "@outrigger/aws";
import { OutriggerError, unlessOwnError } from "@outrigger/base";
import { type Manifest, parseManifest } from "@outrigger/publisher";
import { writeParameter } from "./write-parameter.ts";

/** Versions of the manifest that are looked through for the push that was announced first. */
const MOST_VERSIONS = 20;

/**
 * Writes the manifest of a push that begins. A write returns the version that it made: one that is not the next one after the
 * plan's shows that another push was announced since. That one continues: its manifest is put back, and nothing else is written.
 *
 * @param name of the manifest's parameter
 * @param planned the manifest's version as the push was planned; undefined where the push replaces whatever it finds
 * @throws OutriggerError `tree-changed`, naming who pushes
 */
export async function announcePush(store: ParameterStore, name: string, text: string, planned: number | undefined) {
  const version = await writeParameter(store, { name, text });
  if (planned === undefined || version === planned + 1) return;
  const first = await readVersion(store, name, planned + 1);
  const last = first && (await lastOf(store, name, first.manifest, planned + 1, version));
  if (last !== undefined) await writeParameter(store, { name, text: last.text });
  const who = first === undefined ? "another push was" : `a push by ${first.manifest.by} was`;
  const message = `Cannot push: ${who} begun at the same time, and it continues; nothing of yours was written: run "outrigger pull" and "outrigger push" again`;
  throw new OutriggerError("tree-changed", message, { path: name });
}

/** Returns what that push has written last: its announcement, or that it is complete. */
async function lastOf(store: ParameterStore, name: string, { digest, by }: Manifest, from: number, before: number) {
  const oldest = Math.max(from, before - MOST_VERSIONS);
  for (let version = before - 1; version >= oldest; version--) {
    const found = await readVersion(store, name, version);
    if (found?.manifest.digest === digest && found.manifest.by === by) return found;
  }
  return undefined;
}

async function readVersion(store: ParameterStore, name: string, version: number) {
  const [parameter] = await store.getParameters([`${name}:${version}`]);
  return parameter && unlessOwnError(() => ({ text: parameter.value, manifest: parseManifest(parameter) }));
}
