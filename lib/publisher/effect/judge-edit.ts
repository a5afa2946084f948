// Whether an edit may go out by itself: what it does to pods, and what of that the channel holds for a person.
import { ownError } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import type { ChannelRecord } from "../records/channel-record.ts";
import type { ReleaseOrigin, StoredRelease } from "../release/release-object.ts";
import { compareReleases } from "./compare-releases.ts";
import { describeDifferences, unlistedDifferences } from "./edit-difference.ts";
import { EFFECT_NAMES, type Effect, type Hold, heldClasses, type JudgedEffect, OPEN_TO_FIRST_TREE } from "./effects.ts";

interface Judgement {
  readonly hold?: Hold | undefined;
  /** Whether no pod has got what is served: see isUnserved. */
  readonly isUnserved?: boolean;
  /** Replaced in tests of the order of calls. */
  readonly compare?: typeof compareReleases | undefined;
}

/** Two releases, and the trees by which the later one is judged: the shipped one, and the one over it. */
interface Edit {
  readonly before: Partial<StoredRelease>;
  /** `origin` is of the trees that it was made of: they may be others by now. */
  readonly after: Pick<StoredRelease, "release"> & {
    readonly origin?: Pick<ReleaseOrigin, "tree" | "shipped" | "sources"> | undefined;
  };
  readonly digest: string;
  readonly layers: readonly SourceTree[];
}

/**
 * What an edit does to pods, one effect of each class, the gravest first; which of them the channel holds; and why the releases could
 * not be compared.
 *
 * @param record of the channel: what it holds, and how many entries the tree had that was published last
 * @param hold the deployment's setting
 */
export function judgeEdit(
  { before: { release: before, origin }, after: { release: after, origin: made }, digest, layers }: Edit,
  record: Partial<Pick<ChannelRecord, "holds" | "history" | "release">> = {},
  { hold = "powers", isUnserved = false, compare = compareReleases }: Judgement = {},
) {
  const effects: Effect[] = [];
  const warnings: string[] = [];
  const { history = [] } = record;
  const [, tree = {}] = layers;
  const left = made?.sources?.length;
  const isFirstTree = isUnserved && Object.keys(tree).length > 0;
  const holds = heldClasses(hold, record.holds).filter((name) => !isFirstTree || !OPEN_TO_FIRST_TREE.includes(name));
  if (before === undefined || record.release === digest) return { effects, held: effects, warnings };
  const entries = history.find((move) => move.entries !== undefined)?.entries ?? origin?.sources?.length;
  if (left !== undefined && (left === 0 ? entries !== 0 : left * 2 < (entries ?? 0))) {
    const example = `${left === 0 ? "nothing" : left} left of ${entries ?? "its"} entries`;
    effects.push({ name: "entries-gone", example });
  }
  try {
    effects.push(...compare(before, after, layers));
    // A deploy brings shipped templates of its own: what they write is no edit of the tree's.
    const isDeploy = origin?.tree === made?.tree && origin?.shipped !== made?.shipped;
    const differences = holds.includes("unlisted") && !isDeploy ? unlistedDifferences(before, after, tree) : [];
    if (differences.length > 0) effects.push({ name: "unlisted", example: describeDifferences(differences) });
  } catch (error) {
    // What an earlier version compiled in another form cannot be tried any more.
    const { message } = ownError(error, "release-unsupported");
    warnings.push(`What changes for pods is not known: ${message}`);
  }
  // A deploy brings shipped templates of its own. A channel that keeps those it has is not moved where nothing says which they are.
  const name = "shipped-templates";
  if (origin?.shipped === undefined) {
    if (holds.includes(name)) effects.push({ name, example: "which ones are served is not recorded" });
  } else if (origin.shipped !== made?.shipped) {
    effects.push({ name, example: "those of another version of Outrigger" });
  }
  effects.sort((one, other) => EFFECT_NAMES.indexOf(one.name) - EFFECT_NAMES.indexOf(other.name));
  return { effects, held: effects.filter((effect) => holds.includes(effect.name)), warnings };
}

/** Says of each effect whether the channel holds it. */
export function markHeld({
  effects,
  held,
}: Pick<ReturnType<typeof judgeEdit>, "effects" | "held">): readonly JudgedEffect[] {
  return effects.map((effect) => ({ ...effect, isHeld: held.includes(effect) }));
}
