// What deploying a version of Outrigger would do to the pods of each channel that is served: the channel that edits go to is
// published again, with the shipped templates of that version, and every release is injected under the guardrails that are
// deployed. Reads, and writes nothing.
import { defined, OutriggerError } from "@outrigger/base";
import { type Guardrails, guardRelease } from "@outrigger/guardrails";
import { compileRelease, loadRelease, type Release, type SourceTree } from "@outrigger/injector";
import { editsChannel } from "../channel/edits-channel.ts";
import type { StoreAccess } from "../records/read-records.ts";
import type { Effect } from "./effects.ts";
import { type PreviewedTree, previewOn, readSeen, type Seen } from "./preview-publication.ts";

/** A tree in Parameter Store, and what is deployed over it. */
export interface PlannedDeploy extends PreviewedTree {
  readonly guardrails: Guardrails;
  /** Of a replica, which publishes nothing: left out otherwise. */
  readonly isReplica?: boolean;
}

/** What a deploy would come to for a channel. */
export interface ChannelPreview {
  readonly channel: string;
  /** What its pods would get that they do not get now, one example of each class; none where they get the same. */
  readonly effects: readonly Effect[];
  /** What of it waits for a person, in a sentence. */
  readonly held?: string;
  /** Why the deploy would be rolled back, the tree not be published, or pods not be injected, in a sentence. */
  readonly refused?: string;
  /** In sentences: why the channel stays as it is, what could not be compared. */
  readonly notes: readonly string[];
}

/**
 * What a deploy would come to, for each channel that is served; none where nothing is served yet.
 *
 * | the channel                         | its pods would get                                            |
 * |-------------------------------------|---------------------------------------------------------------|
 * | takes edits                         | the tree over the version's shipped templates: as publishing it |
 * | takes edits, and keeps what it has  | what they get now: a pin, a rollout, an approval              |
 * | is another                          | what they get now: its release is compiled already            |
 * | has a release that guardrails refuse | no sidecar, as `sidecar-gone`                                |
 */
export async function previewDeploy(deploy: PlannedDeploy, access: StoreAccess): Promise<readonly ChannelPreview[]> {
  const seen = await readSeen(access);
  const { snapshot } = seen;
  const published = deploy.isReplica === true ? undefined : await publication(seen, deploy, access);
  return Object.entries(snapshot?.channels ?? {}).map(([channel, digest]) => {
    const release = snapshot?.releases[digest];
    const own = published?.channel === channel ? published : { channel, effects: [], notes: [] };
    const unfit = release === undefined ? undefined : unfitness(channel, release);
    if (unfit !== undefined) return { ...own, refused: unfit };
    const isKept = own.effects.length === 0 || own.held !== undefined;
    return isKept && release !== undefined ? withDenied(own, release, deploy) : own;
  });
}

/** What the publication after the deploy would come to, for the channel that edits go to. */
async function publication(seen: Seen, deploy: PlannedDeploy, access: StoreAccess): Promise<ChannelPreview> {
  try {
    const { channel, effects, held, stays, warnings } = await previewOn(seen, deploy, access);
    if (stays !== undefined) return { channel, effects: [], notes: warnings };
    const [finding] = guardFindings(compileRelease([deploy.shipped, deploy.tree]), deploy);
    if (finding === undefined) return { channel, effects, ...defined({ held }), notes: warnings };
    return { channel, effects: [], refused: refusal(access, finding), notes: warnings };
  } catch (error) {
    if (!(error instanceof OutriggerError) || /^(store|aws)-/.test(error.code)) throw error;
    return { channel: editsChannel(seen) ?? "stable", effects: [], refused: refusal(access, error.message), notes: [] };
  }
}

function refusal({ layout }: StoreAccess, why: string): string {
  return `the tree in ${layout.source} would be refused, and what is served stays: ${why}`;
}

/** What the deploy itself checks, and is rolled back by. */
function unfitness(channel: string, release: Release): string | undefined {
  try {
    loadRelease(release);
    return undefined;
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    return `the deploy would be rolled back, because this version cannot serve what ${channel} serves: ${error.message}`;
  }
}

/** An injection that the guardrails do not admit fails. */
function withDenied(preview: ChannelPreview, release: Release, deploy: PlannedDeploy): ChannelPreview {
  const [example] = guardFindings(release, deploy);
  if (example === undefined) return preview;
  const refused = `pods of ${preview.channel} would not be injected, because the guardrails refuse what it serves: ${example}`;
  return { ...preview, effects: [{ name: "sidecar-gone", example }, ...preview.effects], refused };
}

function guardFindings(release: Release, { guardrails, shipped, tree }: PlannedDeploy): readonly string[] {
  const layers: readonly SourceTree[] = [shipped, tree];
  return guardRelease(guardrails, release, layers).map(({ message }) => message);
}
