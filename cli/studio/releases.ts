// The channels of a deployment as the page asks for them. A move is a question to the publisher, and its confirmation by the same digests:
// the page has no rule of its own about releases. Edits are saved and published in one such move.

import { createHash } from "node:crypto";
import { defined, OutriggerError, ownError } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import {
  type ChannelRecord,
  EFFECT_NAMES,
  previewPublication,
  readSourceParameters,
  treeDigest,
} from "@outrigger/publisher";
import type { Effect, Moved, Question, RingState, RolloutState, RunningState } from "@outrigger/studio";
import type { Deployment } from "../connect/deployment.ts";
import { findReference, readChannel } from "../options/reference.ts";
import { type ActionRequest, parseEffects } from "../releases/action-request.ts";
import { askOnce } from "../releases/ask-and-print.ts";
import { readChannels } from "../releases/read-records.ts";
import { resolveMove } from "../releases/resolve-move.ts";
import { readRings } from "../releases/rings.ts";
import { rolloutEvidence } from "../releases/rollout-evidence.ts";
import type { podEvidence } from "../rollouts/running-cluster.ts";
import { inTurn } from "../terminal/in-turn.ts";
import type { Io } from "../terminal/io.ts";
import { pushTree, requireStorable } from "../tree/push-tree.ts";
import { changedPaths } from "../tree/three-way.ts";
import { type AskedPublication, effectsOf, requirePublishable, withEdits } from "./asked-publication.ts";
import type { PageCommand } from "./page-command.ts";
import type { AskedMove, parseConfirmation } from "./parse-move.ts";
import type { Channels } from "./release-changes.ts";
import { readAllChanges, readReleasesState } from "./releases-state.ts";
import { comparison, servedBy } from "./served-pair.ts";
import { type Detour, shareFirst } from "./share-first.ts";
import { textChanges } from "./text-changes.ts";

type PodEvidence = Awaited<ReturnType<typeof podEvidence>>;

/** The number of questions that stay open: each tab has one at a time. */
const MOST = 100;

/** The change that is carried out: a push, a request to the publisher, or one after the other, with what goes before and after both. */
interface Exact extends Partial<Detour> {
  readonly push?: Pick<Parameters<typeof pushTree>[1], "tree" | "paths" | "there" | "manifestVersion">;
  readonly request?: ActionRequest;
}

type Answered = readonly [Exact, Omit<Question, "id">];

/** A question with the channel that it is about, and all channels as they were then. */
interface Asked extends Exact {
  readonly channel: string;
  readonly channels: Channels;
}

/** The pods of the cluster that the studio was started with. */
export interface StudioPods {
  /** Counts them, each by the channel that serves its release. */
  readonly running: (channels: Channels) => Promise<RunningState>;
  /** How those of a channel's releases do since its share began, as `outrigger rollout status --cluster` reads it. */
  readonly evidence: (channel: string, record: ChannelRecord) => Promise<PodEvidence>;
  /** `outrigger restart`: replaces the pods that would come out differently now. */
  readonly restart: PageCommand;
}

export type StudioReleases = ReturnType<typeof releasesOf>;

/** Returns the answers to the page's questions about the channels. wire.ts has their form. */
export function releasesOf(
  deployment: Deployment,
  shipped: () => Promise<SourceTree>,
  io: Io,
  pods: StudioPods | undefined,
) {
  const asked = new Map<string, Asked>();
  return {
    ...(pods && { running: async () => pods.running(await readChannels(deployment, io)), restart: pods.restart }),
    async rollout(channel: string): Promise<RolloutState> {
      const record = await readChannel(deployment, channel);
      const seen = await pods?.evidence(channel, record);
      const { verdict, signals = [], counts } = await rolloutEvidence(deployment, record, io.env, seen);
      return { ...defined({ verdict, pods: seen?.pods }), signals, counts: Object.fromEntries(counts) };
    },
    /** The channels that follow one another, as `outrigger rollout status --rings` reads them. */
    rings: (): Promise<readonly RingState[]> => readRings(deployment, io),
    /** Older changes than the channels' records have, too. */
    changes: () => readAllChanges(deployment, io),
    /** The texts in which two releases differ; null where those of one are not kept. */
    texts: async (before: string, after: string) => {
      const [old, next] = await Promise.all(
        [before, after].map((name) => findReference(name, async () => deployment, io)),
      );
      return textChanges(old?.tree, next?.tree);
    },
    read: () => readReleasesState(deployment, shipped, io),
    /** The release that a channel serves, or a release, as it is stored; or the one that `source` makes. */
    release: async (name: string) => (await findReference(name, async () => deployment, io)).release,
    /**
     * Returns the outcome of saving, publishing, promoting, pinning, unpinning, rolling back, or moving a rollout on.
     * Nothing is written.
     */
    async ask(move: AskedMove): Promise<Question> {
      const channels = await readChannels(deployment, io);
      const [exact, answer] = await (move.action === "publish"
        ? askPublication(move, channels)
        : askMove(move, channels));
      const id = createHash("sha256")
        .update(JSON.stringify([exact, answer]))
        .digest("hex");
      asked.delete(id);
      asked.set(id, { ...exact, channel: answer.channel, channels });
      for (const oldest of [...asked.keys()].slice(0, -MOST)) asked.delete(oldest);
      return { id, ...answer };
    },
    /** Carries out exactly what the question answered; refused where anything has moved since. */
    confirm: inTurn(async ({ id, message }: ReturnType<typeof parseConfirmation>): Promise<Moved> => {
      const exact = asked.get(id);
      if (exact === undefined) {
        throw new OutriggerError("channel-moved", "It is not known any more what you looked at: review it again");
      }
      const { push, request, before, after } = exact;
      const send = (one: ActionRequest) => askOnce(one, { message, isResolved: true }, deployment, io);
      requireUnmoved(exact, await readChannels(deployment, io));
      if (push !== undefined) await requireUnchanged(push.there);
      // What is saved is published by itself: where it must not go is settled first.
      if (before !== undefined) await send(before);
      if (push !== undefined) {
        const by = await deployment.caller();
        const why = message === "" ? undefined : message;
        await pushTree(deployment, { ...push, by, ...defined({ why }), report: () => {} });
      }
      const published =
        request &&
        (await send(request).catch((error: unknown) => {
          throw push === undefined ? error : onlySaved(ownError(error));
        }));
      const { channel = "", release } = published ?? {};
      const shared =
        release !== undefined && after !== undefined
          ? await send({ ...after, release }).catch((error: unknown) => {
              throw onlyPublished(channel, after.to, ownError(error));
            })
          : undefined;
      asked.delete(id);
      const { message: said = "", warnings = [] } = shared ?? published ?? {};
      return { message: said, warnings };
    }),
  };

  /** The console, too, writes into the tree, and announces nothing. */
  async function requireUnchanged(there: SourceTree): Promise<void> {
    const { store, target } = deployment;
    const { tree } = await readSourceParameters(store, target.layout);
    if (treeDigest(tree) === treeDigest(there)) return;
    const path = target.layout.source;
    const message = `Cannot save: ${path} has changed since you looked; review it again`;
    throw new OutriggerError("tree-changed", message, { path });
  }

  async function askMove(move: ActionRequest, channels: Channels): Promise<Answered> {
    const asked = await resolveMove(move, {}, deployment);
    // What is held is shown for a person to accept, each by its name.
    const all = asked.action === "promote" ? { ...asked, accept: EFFECT_NAMES } : asked;
    const { channel = "", effects, said } = await look(all);
    const { release = null } = channels[channel] ?? {};
    const served = said.isChange ? servedBy(asked, channels[channel]) : { before: release, after: release };
    const accept = heldNames(effects);
    const request = accept === undefined ? asked : ({ ...asked, accept } as ActionRequest);
    return [{ request }, { channel, effects, ...said, ...comparison(served, channels) }];
  }

  async function look(request: ActionRequest) {
    const answer = await askOnce(request, { dryRun: true, isResolved: true }, deployment, io);
    const { channel, release, effects = [], message, warnings, changed: isChange } = answer;
    return { channel, release, effects, said: { message, warnings, isChange, isPublished: true } };
  }

  /** Returns the outcome of edits that are saved, or are to be saved. A person accepts what the answer names. */
  async function askPublication(move: AskedPublication, channels: Channels): Promise<Answered> {
    const { edits = [], unpin, first } = move;
    const { store, target } = deployment;
    const [base, { tree: there, manifestVersion }] = await Promise.all([
      shipped(),
      readSourceParameters(store, target.layout),
    ]);
    const tree = withEdits(there, edits);
    requirePublishable([base, tree]);
    const preview = await previewPublication(
      { tree, shipped: base, hold: await deployment.hold() },
      { store, layout: target.layout },
    );
    const { channel, stays } = preview;
    const record = channels[channel];
    const effects = effectsOf(preview, edits.length === 0 ? record : undefined);
    const accept = heldNames(effects);
    const request = {
      action: "publish",
      tree: treeDigest(tree),
      serving: record?.release ?? null,
      ...defined({ accept, unpin, change: unpin === true ? record?.change : undefined }),
    } as const;
    const detour = first && shareFirst(move, { channel, channels, layers: [base, tree] });
    const around = detour && { before: detour.before, after: { ...detour.after, ...defined({ accept }) } };
    const paths = changedPaths(there, tree);
    const before = record?.release ?? null;
    if (paths.length === 0) {
      const { release, said } = await look(request);
      const served = comparison({ before, after: release ?? before, name: "source" }, channels);
      return [
        { request: { ...request, ...defined({ release }) }, ...around },
        { channel, effects, ...said, ...served },
      ];
    }
    const isPublished = stays === undefined || unpin === true;
    const push = { tree, paths, there, manifestVersion };
    requireStorable(push);
    const exact = { push, ...(isPublished && { request, ...around }) };
    const warnings = preview.warnings.filter((warning) => warning !== stays);
    const served = comparison({ before, after: null, name: "edits" }, channels);
    return [exact, { channel, effects, message: stays ?? "", warnings, isPublished, isChange: true, ...served }];
  }
}

/** The names of what a person has to accept; undefined where nothing is held. */
function heldNames(effects: readonly Effect[]) {
  const held = effects.flatMap(({ name, isHeld }) => (isHeld ? [name] : []));
  return held.length === 0 ? undefined : parseEffects(held.join(","));
}

/** Edits that are saved are published by themselves: to no channel that has moved. The way back stays open, whatever moves on. */
function requireUnmoved({ push, request, channel, channels }: Asked, now: Channels): void {
  if (push === undefined && request?.action === "rollback") return;
  const [before, after] = push === undefined ? [channels[channel], now[channel]] : [channels, now];
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  const message = `Cannot change ${channel}: what is served has changed since you looked; review it again`;
  throw new OutriggerError("channel-moved", message);
}

function onlyPublished(channel: string, to: string, cause: OutriggerError): OutriggerError {
  const message = `The edits are saved and served from ${channel}, but not from ${to}: ${cause.message}`;
  return new OutriggerError(cause.code, message, { cause });
}

function onlySaved(cause: OutriggerError): OutriggerError {
  return new OutriggerError(cause.code, `The edits are saved, but not published: ${cause.message}`, { cause });
}
