// Whether an edit may go out by itself: what it does to pods, and what of that the channel holds for a person.
import { OutriggerError } from "@outrigger/base";
import type { Release, SourceTree } from "@outrigger/injector";
import type { ChannelRecord } from "../request/publisher-request.ts";
import { treeDigest } from "../source/tree-digest.ts";
import { compareReleases } from "./compare-releases.ts";
import { type Effect, type EffectName, HELD_BY_DEFAULT } from "./effects.ts";

/** Two releases, and the trees that the later one was made of. */
export interface Edit {
  /** What the channel serves; undefined for a channel that serves nothing yet, or nothing that can be read. */
  readonly before: Release | undefined;
  readonly after: Release;
  /** The shipped tree, and the one that is published. */
  readonly layers: readonly SourceTree[];
  /** How many entries the tree had that was published last; undefined where nothing says so. */
  readonly entries: number | undefined;
  /** treeDigest of the shipped tree that the earlier release was made with; left out where nothing says so. */
  readonly shipped?: string | undefined;
}

export interface Judgement {
  /** One of each class, the gravest first. */
  readonly effects: readonly Effect[];
  /** Those of them that the channel holds. */
  readonly held: readonly Effect[];
  /** Why the releases could not be compared. */
  readonly warnings: readonly string[];
}

/**
 * @param record of the channel; its settings say what it holds
 * @param compare compareReleases, or what a test has in its place
 */
export function judgeEdit(
  edit: Edit,
  record: Pick<ChannelRecord, "holds"> | undefined,
  compare: typeof compareReleases = compareReleases,
): Judgement {
  const { before, after, layers, entries } = edit;
  const left = Object.keys(layers.at(-1) ?? {}).length;
  const isGone = before !== undefined && (left === 0 ? entries !== 0 : left * 2 < (entries ?? 0));
  const gone: readonly Effect[] = isGone
    ? [{ name: "entries-gone", example: `${left === 0 ? "nothing" : left} left of ${entries ?? "its"} entries` }]
    : [];
  const holds = record?.holds ?? HELD_BY_DEFAULT;
  const { effects: found, warnings } = compared(before, after, layers, compare);
  const effects = [...gone, ...found, ...shippedEffect(edit, holds)];
  return { effects, held: effects.filter(({ name }) => holds.includes(name)), warnings };
}

/** A deploy brings shipped templates of its own. A channel that keeps those it has is not moved where nothing says which they are. */
function shippedEffect({ before, layers, shipped }: Edit, holds: readonly EffectName[]): readonly Effect[] {
  const name = "shipped-templates";
  if (before === undefined || shipped === treeDigest(layers[0] ?? {})) return [];
  if (shipped !== undefined) return [{ name, example: "those of another version of Outrigger" }];
  return holds.includes(name) ? [{ name, example: "which ones are served is not recorded" }] : [];
}

/** What an earlier version compiled in another form cannot be tried any more. */
function compared(
  before: Release | undefined,
  after: Release,
  layers: readonly SourceTree[],
  compare: typeof compareReleases,
): Pick<Judgement, "effects" | "warnings"> {
  if (before === undefined) return { effects: [], warnings: [] };
  try {
    return { effects: compare(before, after, layers), warnings: [] };
  } catch (error) {
    if (!(error instanceof OutriggerError) || error.code !== "release-unsupported") throw error;
    return { effects: [], warnings: [`What changes for pods is not known: ${error.message}`] };
  }
}

/** `container-gone (samples/plain-pod: istio-proxy)` */
export function describeEffects(effects: readonly Effect[]): string {
  return effects.map(({ name, example }) => `${name} (${example})`).join(", ");
}

/** The command by which a person publishes what is held. */
export function acceptCommand(effects: readonly Effect[]): string {
  return `outrigger publish --accept ${effects.map(({ name }) => name).join(",")}`;
}
