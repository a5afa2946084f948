// `repair`: what is derived from the records is derived again, and releases that they name are kept again.
import type { PublisherDependencies } from "../dependencies.ts";
import { type Rebuilt, rebuildReleases } from "../release/rebuild-releases.ts";
import type { PublisherRequest, PublisherResult } from "../request/publisher-request.ts";
import { carryOut } from "./carry-out.ts";

/** A dry run says what would be done. */
export async function repair(request: PublisherRequest, dependencies: PublisherDependencies): Promise<PublisherResult> {
  const isDry = request.dryRun === true;
  let rebuilt: Rebuilt = { releases: [], lost: [] };
  const result = await carryOut(
    request,
    async (state) => {
      rebuilt = await rebuildReleases(state, isDry, dependencies);
      return { message: "What is served is what the records say" };
    },
    dependencies,
  );
  if (!result.ok) return result;
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
