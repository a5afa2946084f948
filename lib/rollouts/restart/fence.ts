// A command that was suspended in a write, and has lost its turn, writes nothing: each write names the version that it was read from, and
// whatever that command was at gets another one before its turn is taken.
import type { KubeClient } from "@outrigger/cluster";
import { metadataOf } from "@outrigger/pod";
import type { RestartJournal } from "./journal-entry.ts";
import { podPath, seeWorkload } from "./pods-of-workload.ts";
import { pathOfWorkload } from "./workload.ts";

/** Not the manager of what is changed in place: that one's time says when. */
const OPTIONS = { manager: "outrigger-restart" };

/** @param journal that of the command whose turn is over */
export async function fence(
  kube: Pick<KubeClient, "get" | "list" | "mergePatch">,
  { state, moving, question }: RestartJournal,
  now: number,
): Promise<void> {
  // One that has failed has waited for its last answer.
  if (state === "failed") return;
  const touched = { metadata: { annotations: { "outrigger/restart": new Date(now).toISOString() } } };
  for (const name of moving) {
    const seen = await seeWorkload(kube, name);
    if (seen === undefined) continue;
    if (question.inPlace === undefined) await kube.mergePatch(pathOfWorkload(name) as string, touched, OPTIONS);
    if (question.inPlace === undefined && question.release === undefined) continue;
    for (const pod of seen.pods.map(metadataOf)) {
      await kube.mergePatch(podPath(pod.namespace, pod.name), touched, OPTIONS);
    }
  }
}
