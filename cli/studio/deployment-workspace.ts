// A deployment as a workspace: its source tree, and its channels and clusters. It calls what the commands call.

import { MAX_VALUE } from "@outrigger/aws";
import type { SourceTree } from "@outrigger/injector";
import type { Deployment } from "../connect/deployment.ts";
import { readChannels } from "../releases/read-records.ts";
import type { Io } from "../terminal/io.ts";
import { releasesOf, type StudioPods } from "./releases.ts";
import { readSource } from "./releases-state.ts";
import type { StudioWorkspace } from "./studio-workspace.ts";

/** Milliseconds between two looks for changes that others made. */
const INTERVAL = 3000;

/**
 * The source tree and channels of a deployment as a workspace. What is saved is checked and published by a move.
 *
 * @param shipped the tree below the deployment's own
 * @param pods those of the cluster, where there is one
 */
export function deploymentWorkspace(
  deployment: Deployment,
  shipped: () => Promise<SourceTree>,
  io: Io,
  pods?: StudioPods,
): StudioWorkspace {
  const { target } = deployment;
  const place = [target.fake ?? io.env["AWS_ENDPOINT_URL"], target.profile ?? io.env["AWS_PROFILE"], target.region]
    .concat(io.env["AWS_REGION"] ?? target.defaultRegion)
    .join(" ");
  let looked = Date.now();
  /** Reads what others may change: the source, and by publishing it the channels. */
  const stateOf = async () => {
    const read = await Promise.all([readSource(deployment), readChannels(deployment, io)]);
    const [{ tree, faults, manifestVersion }, channels] = read;
    return JSON.stringify([tree, faults, manifestVersion, channels]);
  };
  return {
    read: async () => {
      const [base, { tree, faults }] = await Promise.all([shipped(), readSource(deployment)]);
      const largest = { fresh: MAX_VALUE.Standard, known: MAX_VALUE.Advanced };
      const name = target.layout.prefix;
      return { name, kind: "deployment", place, canSave: true, shipped: base, saved: tree, faults, largest };
    },
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
    releases: releasesOf(deployment, shipped, io, pods),
  };
}
