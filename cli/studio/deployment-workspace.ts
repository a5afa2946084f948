// A deployment as a workspace: its source tree, and its channels and clusters. It calls what the commands call.

import { MAX_VALUE } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import { lintTree, type SourceTree } from "@outrigger/injector";
import { readSourceParameters } from "@outrigger/publisher";
import type { Save, Saved } from "@outrigger/studio";
import type { Deployment } from "../connect/deployment.ts";
import { findReference, readChannel } from "../options/reference.ts";
import { readChannels } from "../releases/read-records.ts";
import { rolloutEvidence } from "../releases/rollout-evidence.ts";
import { inTurn } from "../terminal/in-turn.ts";
import type { Io } from "../terminal/io.ts";
import { pushTree } from "../tree/push-tree.ts";
import { textAt } from "../tree/three-way.ts";
import { moves } from "./moves.ts";
import { type Counted, readReleasesState, readSource, withChannels } from "./releases-state.ts";
import { changedSince, type StudioWorkspace } from "./studio-workspace.ts";

/** Milliseconds between two looks for changes that others made. */
const INTERVAL = 3000;

/**
 * The source tree and channels of a deployment as a workspace. What is saved is checked and published as by `outrigger push`.
 *
 * @param shipped the tree below the deployment's own
 * @param running reads the pods of the cluster, where there is one
 */
export function deploymentWorkspace(
  deployment: Deployment,
  shipped: () => Promise<SourceTree>,
  io: Io,
  running?: () => Promise<Counted>,
): StudioWorkspace {
  const { target } = deployment;
  let looked = Date.now();
  const connect = async () => deployment;
  /** What others may change: the source, and by publishing it the channels. */
  const stateOf = async () => {
    const [{ tree, faults, manifestVersion }, channels] = await Promise.all([
      readSource(deployment),
      readChannels(deployment, io),
    ]);
    return JSON.stringify([tree, faults, manifestVersion, channels]);
  };
  return {
    read: async () => {
      const [base, { tree, faults }] = await Promise.all([shipped(), readSource(deployment)]);
      const largest = { fresh: MAX_VALUE.Standard, known: MAX_VALUE.Advanced };
      return {
        name: target.layout.prefix,
        kind: "deployment",
        canSave: true,
        shipped: base,
        saved: tree,
        faults,
        largest,
      };
    },
    save: inTurn(async (request: Save) => saveParameters(request, deployment, await shipped())),
    watch(onChange) {
      const watch = setInterval(() => void look(), INTERVAL).unref();
      let seen: string | undefined;
      const look = async () => {
        const state = await stateOf().catch(() => undefined);
        // What cannot be read is not unchanged: the page shows how old it is.
        if (state === undefined) return;
        looked = Date.now();
        if (seen !== undefined && state !== seen) onChange();
        seen = state;
      };
      void look();
      return () => clearInterval(watch);
    },
    lookedAt: () => looked,
    releases: {
      ...(running && { running: async () => withChannels(await running(), await readChannels(deployment, io)) }),
      rollout: async (channel) => {
        const {
          verdict,
          signals = [],
          counts,
        } = await rolloutEvidence(deployment, await readChannel(deployment, channel), io.env);
        return { ...defined({ verdict }), signals, counts: Object.fromEntries(counts) };
      },
      read: () => readReleasesState(deployment, shipped, io),
      release: async (name) => (await findReference(name, connect, io)).release,
      ...moves(deployment, io),
    },
  };
}

/** Writes the entries as one push does: announced, checked, completed. */
async function saveParameters({ edits, why }: Save, deployment: Deployment, shipped: SourceTree): Promise<Saved> {
  const { tree: there, manifestVersion } = await readSourceParameters(deployment.store, deployment.target.layout);
  const changed = changedSince(edits, there);
  if (changed !== undefined) return { saved: false, current: changed };
  const made = edits.filter(({ path, text }) => text !== (textAt(there, path) ?? null));
  if (made.length === 0) return { saved: true };
  const kept = Object.entries(there).filter(([path]) => made.every((edit) => edit.path !== path));
  const written = made.flatMap(({ path, text }) => (text === null ? [] : [[path, text] as const]));
  const tree = Object.fromEntries([...kept, ...written]);
  requireNoErrors([shipped, tree]);
  await pushTree(deployment, {
    tree,
    paths: made.map(({ path }) => path),
    there,
    manifestVersion,
    by: await deployment.caller(),
    ...(why !== "" && { why }),
    now: () => new Date(),
    report: () => {},
  });
  return { saved: true };
}

/** What is saved is published within seconds, so it must be publishable: as `push` requires. */
function requireNoErrors(layers: readonly SourceTree[]): void {
  const error = lintTree(layers).findings.find(({ severity }) => severity === "error");
  if (error === undefined) return;
  const { path, line, message } = error;
  const place = line === undefined ? path : `${path}:${line}`;
  throw new OutriggerError("tree-invalid", `Cannot save: ${place}: ${message}`, { path });
}
