// What publishing a tree would come to, before it is asked for: where it goes, what it does to pods, and what of that waits for
// a person. Reads, and writes nothing.
import { defined, entryOf, ownError } from "@outrigger/base";
import { type Guardrails, guardRelease } from "@outrigger/guardrails";
import { compileRelease, loadRelease, publishChannel, type Release, type SourceTree } from "@outrigger/injector";
import { releaseDigest } from "@outrigger/serving";
import { DEFAULT_CHANNEL, destinationOf, editsChannel, isUnserved, unservedWarning } from "../channel/edits-channel.ts";
import { whyApprovalKeeps, whyEditWaits } from "../channel/move-checks.ts";
import type { StoreAccess } from "../dependencies.ts";
import { readRecords } from "../records/read-records.ts";
import { readServed } from "../records/read-served.ts";
import { findServed } from "../release/release-object.ts";
import { treeDigest } from "../source/push-manifest.ts";
import type { Effect, Hold } from "./effects.ts";
import { judgeEdit } from "./judge-edit.ts";
import { acceptCommand, describeEffects } from "./say-effects.ts";

interface Preview {
  readonly channel: string;
  /** The release that the tree makes, and the one that the channel serves; null for none. */
  readonly release?: string;
  readonly serving?: string | null;
  /** What its pods would get that they do not get now, one example of each class. */
  readonly effects: readonly Effect[];
  /** What of it waits for a person, in a sentence; and which they are. */
  readonly held?: string;
  readonly heldEffects?: readonly Effect[];
  /** A sentence that says why the channel stays as it is unless a person publishes. */
  readonly stays?: string;
  /** A sentence that says why a deploy would be rolled back, the tree not be published, or pods not be injected. */
  readonly refused?: string;
  /** Sentences that say what could not be compared, and why no pod gets it. */
  readonly warnings: readonly string[];
}

interface PreviewedTree {
  readonly tree: SourceTree;
  readonly shipped: SourceTree;
  /** The deployment's setting. Where it cannot be read, only what the channel holds is named; publishing itself refuses the rest. */
  readonly hold?: Hold | undefined;
}

/**
 * What publishing a tree without errors would come to.
 *
 * @throws OutriggerError `config-invalid` where the tree names another channel than edits go to
 */
export async function previewPublication(trees: PreviewedTree, access: StoreAccess): Promise<Preview> {
  return previewOn(await readSeen(access), trees, access);
}

/** Clusters are those that are served: an editor may not read their records. */
async function readSeen(access: StoreAccess) {
  const { snapshot } = await readServed(access);
  return { ...(await readRecords(access, ["channel"])), snapshot };
}

type Seen = Awaited<ReturnType<typeof readSeen>>;

async function previewOn(
  seen: Seen,
  { tree, shipped, hold = "powers" }: PreviewedTree,
  access: StoreAccess,
): Promise<Preview> {
  const { snapshot } = seen;
  const layers = [shipped, tree];
  const { channel } = destinationOf(editsChannel(seen), publishChannel(layers), access.layout);
  const record = entryOf(seen.channels, channel);
  const after = compileRelease(layers);
  const digest = releaseDigest(after);
  const digestOfTree = treeDigest(tree);
  const waits = record?.release === digest ? undefined : whyEditWaits(channel, record, digestOfTree);
  const stays = waits ?? whyApprovalKeeps(channel, record, digest);
  const before = await findServed(channel, record, snapshot, access);
  const origin = { tree: digestOfTree, shipped: treeDigest(shipped), sources: Object.keys(tree) };
  const edit = { before, after: { release: after, origin }, digest, layers };
  const { effects, held, warnings } = judgeEdit(edit, record, {
    hold,
    isUnserved: record !== undefined && isUnserved(record, [snapshot?.clusters ?? {}]),
  });
  const looked = { release: digest, serving: record?.release ?? null };
  const sentence = `On ${channel}, this waits for a person: ${describeEffects(held)}; publish it with "${acceptCommand(held, looked)}"`;
  const notes = [unservedWarning(channel, snapshot?.clusters ?? {}), stays].filter((note) => note !== undefined);
  const waiting = held.length > 0 && { held: sentence, heldEffects: held };
  return { channel, ...looked, effects, ...waiting, ...defined({ stays }), warnings: [...warnings, ...notes] };
}

/** A tree in Parameter Store, and what is deployed over it. */
interface PlannedDeploy extends PreviewedTree {
  readonly guardrails: Guardrails;
  /** True for a replica, which publishes nothing. */
  readonly isReplica?: boolean;
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
export async function previewDeploy(deploy: PlannedDeploy, access: StoreAccess): Promise<readonly Preview[]> {
  const seen = await readSeen(access);
  const { channels = {}, releases = {} } = seen.snapshot ?? {};
  const published = deploy.isReplica === true ? undefined : await publication(seen, deploy, access);
  return Object.entries(channels).map(([channel, digest]) => {
    const own = published?.channel === channel ? published : { channel, effects: [], warnings: [] };
    const release = releases[digest];
    return release === undefined ? own : withServed(own, release, deploy);
  });
}

/** What the publication after the deploy would come to, for the channel that edits go to. */
async function publication(seen: Seen, deploy: PlannedDeploy, access: StoreAccess): Promise<Preview> {
  const refusal = (why: string) =>
    `the tree in ${access.layout.source} would be refused, and what is served stays: ${why}`;
  try {
    const preview = await previewOn(seen, deploy, access);
    const { channel, stays, warnings } = preview;
    if (stays !== undefined) return { channel, effects: [], warnings };
    const [finding] = guardFindings(compileRelease([deploy.shipped, deploy.tree]), deploy);
    return finding === undefined ? preview : { channel, effects: [], refused: refusal(finding), warnings };
  } catch (error) {
    const { code, message } = ownError(error);
    if (/^(store|aws)-/.test(code)) throw error;
    return { channel: editsChannel(seen) ?? DEFAULT_CHANNEL, effects: [], refused: refusal(message), warnings: [] };
  }
}

/** Adds to a preview what the deploy itself checks, and is rolled back by, and whether the guardrails admit what is served for now. */
function withServed(preview: Preview, release: Release, deploy: PlannedDeploy): Preview {
  const { channel, effects, held } = preview;
  try {
    loadRelease(release);
  } catch (error) {
    const { message } = ownError(error);
    const refused = `the deploy would be rolled back, because this version cannot serve what ${channel} serves: ${message}`;
    return { ...preview, refused };
  }
  const [example] = effects.length === 0 || held !== undefined ? guardFindings(release, deploy) : [];
  if (example === undefined) return preview;
  const refused = `pods of ${channel} would not be injected, because the guardrails refuse what it serves: ${example}`;
  return { ...preview, effects: [{ name: "sidecar-gone", example }, ...effects], refused };
}

function guardFindings(release: Release, { guardrails, shipped, tree }: PlannedDeploy): readonly string[] {
  return guardRelease(guardrails, release, [shipped, tree]).map(({ message }) => message);
}
