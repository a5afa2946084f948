// A command that was suspended in a write, and has lost its turn, writes nothing: each write names the version that it was read from, and
// whatever that command was at gets another one before its turn is taken.
import type { KubeClient } from "@outrigger/cluster";
import { metadataOf } from "@outrigger/pod";
import type { RestartJournal } from "./journal-entry.ts";
import { readWorkload } from "./plan-restart.ts";
import { podPath, podsOf } from "./pods-of-workload.ts";
import { nameOfText, pathOfWorkload } from "./workload.ts";

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
  for (const text of moving) {
    const workload = nameOfText(text);
    const object = await readWorkload(kube, workload);
    const path = pathOfWorkload(workload);
    if (object === undefined || path === undefined) continue;
    if (question.inPlace === undefined) await kube.mergePatch(path, touched, OPTIONS);
    if (question.inPlace === undefined && question.release === undefined) continue;
    for (const pod of await podsOf(kube, object)) {
      const { namespace, name } = metadataOf(pod);
      await kube.mergePatch(podPath(namespace, name), touched, OPTIONS);
    }
  }
}
