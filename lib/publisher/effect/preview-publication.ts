// What publishing a tree would come to, before it is asked for: where it goes, what it does to pods, and what of that waits for
// a person. Reads, and writes nothing.
import { defined, entryOf, ownError } from "@outrigger/base";
import { type Guardrails, guardRelease } from "@outrigger/guardrails";
import { compileRelease, loadRelease, publishChannel, type Release, type SourceTree } from "@outrigger/injector";
import { releaseDigest, type Snapshot } from "@outrigger/serving";
import { destinationOf, editsChannel, unservedWarning } from "../channel/edits-channel.ts";
import { whyApprovalKeeps, whyEditWaits } from "../channel/move-checks.ts";
import type { StoreAccess } from "../dependencies.ts";
import { type Records, readRecords } from "../records/read-records.ts";
import { readServed } from "../records/read-served.ts";
import { parseOrigin, readRelease } from "../release/release-parameters.ts";
import { treeDigest } from "../source/push-manifest.ts";
import type { Effect } from "./effects.ts";
import { acceptCommand, describeEffects, judgeEdit } from "./judge-edit.ts";

/** What publishing would come to. */
interface Preview {
  readonly channel: string;
  /** What it does to pods, one example of each class. */
  readonly effects: readonly Effect[];
  /** What of it waits for a person, in a sentence; and which they are. */
  readonly held?: string;
  readonly heldEffects?: readonly Effect[];
  /** Why the channel stays as it is unless a person publishes, in a sentence. */
  readonly stays?: string;
  /** In sentences: what could not be compared, and that no cluster is served from the channel. */
  readonly warnings: readonly string[];
}

/** A tree, and the shipped one below it. */
interface PreviewedTree {
  readonly tree: SourceTree;
  readonly shipped: SourceTree;
}

/** What a deployment has and serves. */
interface Seen extends Pick<Records, "channels" | "unreadable"> {
  readonly snapshot: Snapshot | undefined;
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
async function readSeen(access: StoreAccess): Promise<Seen> {
  const { snapshot } = await readServed(access);
  return { ...(await readRecords(access, ["channel"])), snapshot };
}

/** The same, where it is known what is served. */
async function previewOn(seen: Seen, { tree, shipped }: PreviewedTree, access: StoreAccess): Promise<Preview> {
  const { snapshot } = seen;
  const layers = [shipped, tree];
  const place = access.layout.sourceParameter("config");
  const { channel } = destinationOf(editsChannel(seen), publishChannel(layers), { wanted: undefined, place });
  const record = entryOf(seen.channels, channel);
  const after = compileRelease(layers);
  const next = releaseDigest(after);
  const unserved = unservedWarning(channel, snapshot?.clusters ?? {});
  const waits = record?.release === next ? undefined : whyEditWaits(channel, record, treeDigest(tree));
  const stays = waits ?? whyApprovalKeeps(channel, record, next);
  const notes = [unserved, stays].filter((note) => note !== undefined);
  const digest = record?.release ?? entryOf(snapshot?.channels ?? {}, channel);
  if (digest === undefined || digest === next) return { channel, effects: [], ...defined({ stays }), warnings: notes };
  const before = entryOf(snapshot?.releases ?? {}, digest) ?? (await readRelease(access, digest)).release;
  const entries = record?.history.find((move) => move.entries !== undefined)?.entries;
  const edit = { before, after, layers, entries, shipped: await shippedOf(digest, access) };
  const { effects, held, warnings } = judgeEdit(edit, record);
  const sentence = `On ${channel}, this waits for a person: ${describeEffects(held)}; publish it with "${acceptCommand(held)}"`;
  return {
    channel,
    effects,
    ...(held.length > 0 && { held: sentence, heldEffects: held }),
    ...defined({ stays }),
    warnings: [...warnings, ...notes],
  };
}

/** Which shipped tree a release was made with. */
async function shippedOf(digest: string, { store, layout }: StoreAccess): Promise<string | undefined> {
  const [origin] = await store.getParameters([layout.releaseOrigin(digest)]);
  return parseOrigin(origin)?.shipped;
}

/** A tree in Parameter Store, and what is deployed over it. */
interface PlannedDeploy extends PreviewedTree {
  readonly guardrails: Guardrails;
  /** Of a replica, which publishes nothing: left out otherwise. */
  readonly isReplica?: boolean;
}

/** What a deploy would come to for a channel. */
interface ChannelPreview {
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
    const { code, message } = ownError(error);
    if (/^(store|aws)-/.test(code)) throw error;
    return { channel: editsChannel(seen) ?? "stable", effects: [], refused: refusal(access, message), notes: [] };
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
    const { message } = ownError(error);
    return `the deploy would be rolled back, because this version cannot serve what ${channel} serves: ${message}`;
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
