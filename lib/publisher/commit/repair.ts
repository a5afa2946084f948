// `repair`: what is derived from the records is derived again, and releases that they name are kept again.
import { OutriggerError } from "@outrigger/base";
import type { PublisherDependencies } from "../dependencies.ts";
import { releasesOf } from "../records/channel-record.ts";
import type { State } from "../records/read-state.ts";
import { isReleaseKept, writeRelease } from "../release/release-object.ts";
import type { PublisherRequest } from "../request/parse-request.ts";
import { errorOf, type PublisherResult } from "../request/publisher-result.ts";
import { carryOut } from "./carry-out.ts";

/** A dry run says what would be done. */
export async function repair(request: PublisherRequest, dependencies: PublisherDependencies): Promise<PublisherResult> {
  const isDry = request.dryRun === true;
  let rebuilt: Awaited<ReturnType<typeof rebuildReleases>> = { releases: [], lost: [] };
  const result = await carryOut(
    request,
    async (_, state) => {
      rebuilt = await rebuildReleases(state, isDry, dependencies);
      return { message: "What is served is what the records say" };
    },
    dependencies,
  );
  const { releases, lost } = rebuilt;
  const problems = [...(result.problems ?? []), ...lost];
  const done = isDry ? "would be" : "was";
  const derived = result.changed ? [`What is served ${done} derived again`] : [];
  const kept = releases.map(
    (digest) => `Release ${digest} ${done} rebuilt from what is served, without the record of what it was made of`,
  );
  const messages = [...kept, ...derived];
  return {
    ...result,
    message: messages.length === 0 ? result.message : messages.join("; "),
    changed: messages.length > 0,
    ...(problems.length > 0 && { problems }),
  };
}

/**
 * The digests of the releases that are kept again, of which it is not known any more what they were made of; and an error for each
 * channel that names releases of which there is no copy.
 *
 * @param isDry whether nothing is written
 */
async function rebuildReleases({ snapshot, channels }: State, isDry: boolean, dependencies: PublisherDependencies) {
  const { store, layout } = dependencies;
  const releases: string[] = [];
  for (const [digest, release] of Object.entries(snapshot?.releases ?? {})) {
    if (await isReleaseKept(dependencies, digest)) continue;
    if (!isDry) await writeRelease(release, digest, undefined, dependencies);
    releases.push(digest);
  }
  const stored = await store.objects.listObjects(layout.releases);
  const storedDigests = stored.map(({ key }) => key.slice(layout.releases.length));
  const kept = new Set([...storedDigests, ...releases]);
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
