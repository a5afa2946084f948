// What moving a channel to a release that is there already does to pods: the same judgement as of an edit, between the two releases.
import { ownError, unlessOwnError } from "@outrigger/base";
import { type Release, type SourceTree, samplePods } from "@outrigger/injector";
import type { PublisherDependencies } from "../dependencies.ts";
import type { ChannelRecord } from "../records/channel-record.ts";
import type { State } from "../records/read-state.ts";
import { findServed, type StoredRelease } from "../release/release-object.ts";
import { treeDigest } from "../source/push-manifest.ts";
import { readSourceParameters } from "../source/source-parameters.ts";
import type { JudgedEffect } from "./effects.ts";
import { judgeEdit, markHeld } from "./judge-edit.ts";

/** A channel, and the release that it is moved to. */
interface Moved {
  readonly channel: string;
  readonly digest: string;
  readonly next: StoredRelease;
}

export interface MoveEffects {
  readonly effects: readonly JudgedEffect[];
  /** Sentences that say what could not be compared. */
  readonly warnings: readonly string[];
}

/** What is said of a move that nobody judges. */
export const NO_EFFECTS: MoveEffects = { effects: [], warnings: [] };

/**
 * Judges the move of a channel to a release; there is nothing to judge where it serves nothing yet, or this very release.
 *
 * @throws OutriggerError where Parameter Store cannot be read
 */
export async function judgeMove(
  { channel, digest, next }: Moved,
  state: State,
  dependencies: PublisherDependencies,
): Promise<MoveEffects> {
  const record = state.channels[channel];
  if (record === undefined || record.release === digest) return NO_EFFECTS;
  const isKnown = hasServed(record, digest);
  const source = await readSource(dependencies);
  const before = await findServed(channel, record, state.snapshot, dependencies);
  const { shipped } = dependencies;
  const tree = next.origin?.tree === treeDigest(source) ? source : standIn(next.release, source);
  const edit = { before, after: next, digest, layers: [shipped, tree] };
  const judged = judgeEdit(edit, record, dependencies);
  // A channel that keeps the shipped templates it has gets others in this very way.
  const held = judged.held.filter(({ name }) => !isKnown && name !== "shipped-templates");
  return { effects: markHeld({ ...judged, held }), warnings: judged.warnings };
}

/** Judges a move that nothing holds, and nothing keeps from being made: no fault of a release that is left may keep it served. */
export async function judgeUnheldMove(...move: Parameters<typeof judgeMove>): Promise<MoveEffects> {
  try {
    const { effects, warnings } = await judgeMove(...move);
    return { effects: effects.map((effect) => ({ ...effect, isHeld: false })), warnings };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { effects: [], warnings: [`What changes for pods is not known: ${why}`] };
  }
}

/** The source tree of now. A person who moves a channel may have broken it, and it may be changing. */
async function readSource({ store, layout }: PublisherDependencies): Promise<SourceTree> {
  try {
    return (await readSourceParameters(store, layout, { leaveOut: () => {} })).tree;
  } catch (error) {
    ownError(error, "tree-changed");
    return {};
  }
}

/**
 * Stands for the tree that a release was made of, where the source tree has moved on: the samples of now, and texts of the release's
 * own that may read any value.
 */
function standIn({ templates }: Release, source: SourceTree): SourceTree {
  const samples = Object.entries(source).filter(([path, text]) => path.startsWith("samples/") && isSample(path, text));
  const texts = (["templates", "partials"] as const).flatMap((folder) =>
    Object.keys(templates[folder]).map((name) => [`${folder}/${name}`, READS_ANY] as const),
  );
  return Object.fromEntries([...samples, ...texts]);
}

const READS_ANY = "this";

function isSample(path: string, text: string): boolean {
  return (unlessOwnError(() => samplePods([{ [path]: text }])) ?? []).length > 0;
}

/** Whether a channel has served a release, to all or to a share: going back to what it has served waits for nobody. */
function hasServed({ share, history }: Pick<ChannelRecord, "share" | "history">, release: string): boolean {
  return (
    share?.release === release || history.some((move) => move.release === release || move.share?.release === release)
  );
}
