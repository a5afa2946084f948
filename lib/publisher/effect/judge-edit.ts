// Whether an edit may go out by itself: what it does to pods, and what of that the channel holds for a person.
import { type JsonObject, ownError } from "@outrigger/base";
import { branchPowers, effectOf, injectionPowers, type Power } from "@outrigger/guardrails";
import {
  type Injector,
  type InjectRequest,
  injectPod,
  loadRelease,
  type Release,
  type SourceTree,
  samplePods,
} from "@outrigger/injector";
import type { ChannelRecord } from "../records/channel-record.ts";
import { treeDigest } from "../source/push-manifest.ts";
import { comparePods, powerEffects } from "./compare-pods.ts";
import { type Effect, type EffectName, firstOfEach, HELD_BY_DEFAULT } from "./effects.ts";

/** Two releases, and the trees that the later one was made of. */
interface Edit {
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
    const { message } = ownError(error, "release-unsupported");
    return { effects: [], warnings: [`What changes for pods is not known: ${message}`] };
  }
}

/** `container-gone (samples/plain-pod: istio-proxy)` */
export function describeEffects(effects: readonly Effect[]): string {
  return effects.map(({ name, example }) => `${name} (${example})`).join(", ");
}

/** The command by which a person publishes what is held, and no edit that comes after it. */
export function acceptCommand(effects: readonly Effect[], release?: string): string {
  const seen = release === undefined ? "" : `@${release}`;
  return `outrigger publish --accept ${effects.map(({ name }) => name).join(",")}${seen}`;
}

/** What is held, and how to look at it and accept it; who calls names another way out after it. */
export function heldText(channel: string, held: readonly Effect[], release: string): string {
  return `${describeEffects(held)}; look at "outrigger diff ${channel} source", then run "${acceptCommand(held, release)}"`;
}

/**
 * Injects pods with both releases and compares them: the shipped samples, the tree's own, and a plain pod that asks for each
 * template and alias by name. A tree cannot replace the shipped samples here, so an edit does not choose what it is judged by.
 *
 * @param before what is served; it may be of an earlier version of Outrigger
 * @param layers the shipped tree, and the one over it
 * @returns one effect of each class, the gravest first; none where these pods come out the same
 * @throws OutriggerError `release-unsupported` where one of them cannot be loaded
 */
export function compareReleases(before: Release, after: Release, layers: readonly SourceTree[]): readonly Effect[] {
  const [was, is] = [loadRelease(before), loadRelease(after)];
  const asked = [...was.templates.names, ...Object.keys(was.config.aliases)];
  const pods = [...layers.flatMap((layer) => samplePods([layer])), ...samplePods([], asked)];
  const injected = pods.flatMap(({ name, request }) =>
    compareResults(outcomeOf(was, request), outcomeOf(is, request)).map((effect) => sampled(name, effect)),
  );
  return firstOfEach([...injected, ...compareBranches(before, after, layers.at(-1) ?? {})]);
}

/** What branches that no sample takes would do: the earlier release is asked only where there is something. */
function compareBranches(before: Release, after: Release, tree: SourceTree): readonly Effect[] {
  const isAdmitted = (power: Power) => effectOf(power) === undefined;
  const found = branchPowers(after, tree, { isAdmitted });
  if (found.length === 0) return [];
  const known = branchPowers(before, tree, { isAdmitted }).map(({ power }) => power);
  return found.flatMap(({ power, path, line }) =>
    powerEffects(known, [power]).map((effect) => sampled(`${path}:${line}`, effect)),
  );
}

function sampled(place: string, { name, example }: Effect): Effect {
  return { name, example: `${place}: ${example}`.slice(0, LONGEST_EXAMPLE) };
}

/** A record keeps an example of each class that is held. */
const LONGEST_EXAMPLE = 140;

interface Outcome {
  readonly author?: JsonObject;
  readonly pod?: JsonObject;
  /** Why it is not injected. */
  readonly reason?: string;
}

function compareResults(before: Outcome, after: Outcome): readonly Effect[] {
  const { author = {}, pod = {} } = after;
  if (before.pod !== undefined && after.pod !== undefined) return comparePods(before.pod, pod, author);
  if (before.pod !== undefined) return [{ name: "sidecar-gone", example: after.reason ?? "not injected" }];
  if (after.pod === undefined) return [];
  return [...powerEffects([], injectionPowers(author, pod)), { name: "added", example: "injected" }];
}

/** An injection that fails injects nothing: the pod is denied, or the webhook's failurePolicy decides. */
function outcomeOf(injector: Injector, request: InjectRequest): Outcome {
  try {
    const result = injectPod(injector, request);
    return result.injected
      ? { author: result.author as JsonObject, pod: result.pod as JsonObject }
      : { reason: `not injected (${result.reason})` };
  } catch (error) {
    return { reason: `fails (${ownError(error).code})` };
  }
}
