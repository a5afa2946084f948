// What publishing a tree to a deployment would come to, for people who are about to.
import { ownError } from "@outrigger/base";
import { publishChannel } from "@outrigger/injector";
import { previewPublication } from "@outrigger/publisher";
import type { Deployment } from "../connect/deployment.ts";

type Preview = Awaited<ReturnType<typeof previewPublication>>;

/**
 * Returns what a tree without errors would do. A person who may not read what is served learns that, and may still
 * push.
 *
 * @throws OutriggerError `config-invalid` where the tree names another channel than edits go to
 */
export async function previewEdit(
  trees: Parameters<typeof previewPublication>[0],
  { store, target, hold }: Pick<Deployment, "store" | "target" | "hold">,
): Promise<Preview> {
  try {
    return await previewPublication({ ...trees, hold: await hold() }, { store, layout: target.layout });
  } catch (error) {
    const { message } = ownError(error, "store-denied");
    const channel = publishChannel([trees.shipped, trees.tree]) ?? "stable";
    return { channel, effects: [], warnings: [`What changes for pods is not known: ${message}`] };
  }
}
