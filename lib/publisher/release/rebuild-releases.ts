// Releases that records name and nobody keeps any more: what is served has a whole copy of some of them.
import { readAll } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import type { PublisherDependencies } from "../dependencies.ts";
import { releasesOf } from "../records/channel-record.ts";
import type { State } from "../records/read-state.ts";
import { errorOf } from "../request/publisher-error.ts";
import type { PublisherError } from "../request/publisher-request.ts";
import { isReleaseKept, writeParts } from "./release-parameters.ts";

export interface Rebuilt {
  /** Digests of the releases that are kept again. What they were made of is not known any more. */
  readonly releases: readonly string[];
  /** A channel each that names releases of which there is no copy. */
  readonly lost: readonly PublisherError[];
}

/** @param isDry whether nothing is written */
export async function rebuildReleases(
  { snapshot, channels }: State,
  isDry: boolean,
  dependencies: PublisherDependencies,
): Promise<Rebuilt> {
  const { store, layout } = dependencies;
  const releases: string[] = [];
  for (const [digest, release] of Object.entries(snapshot?.releases ?? {})) {
    if (await isReleaseKept(store, layout, digest)) continue;
    if (!isDry) await writeParts(release, digest, dependencies);
    releases.push(digest);
  }
  const stored = await readAll(store, layout.releases);
  const kept = new Set([
    ...stored.map(({ name }) => name.slice(layout.releases.length + 1).split("/")[0]),
    ...releases,
  ]);
  const lost = Object.entries(channels).flatMap(([channel, record]) => {
    // Of what it serves now, the comparison with what is served says more.
    const now = [record.release, record.share?.release];
    const gone = [...new Set(releasesOf(record))].filter((digest) => !kept.has(digest) && !now.includes(digest));
    if (gone.length === 0) return [];
    const message = `Cannot rebuild ${gone.join(", ")}, which ${channel} served before: nothing is kept of it; publish that tree again to go back to it`;
    return [errorOf(new OutriggerError("release-unknown", message, { path: layout.releases }))];
  });
  return { releases, lost };
}
