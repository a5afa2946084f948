// What the page says of the branches at a line of a template, and the pods that it leads to.

import { batch } from "@preact/signals";
import { OWN_NAMESPACE, SAMPLES } from "../preview/first-preview.ts";
import { type BranchCount, MANIFEST_NAME } from "../preview/question.ts";
import { say } from "../text/say.ts";
import { choiceOf } from "./address.ts";
import { chosenView, namespace, pod } from "./state.ts";

/** What the mark of a line shows: how many workloads take its first block, one of them, and a tone for what no sample takes. */
export function blockOf(branches: readonly BranchCount[]) {
  const [first] = branches.filter(({ isWritten }) => isWritten);
  const { workloads: count = 0, example } = first ?? {};
  return { workloads: count, example, tone: branches.some(isUnsampled) ? "warn" : count === 0 ? "none" : "" };
}

/** `Taken by 12 workloads and 3 samples, passed over by 38 workloads and 1 sample` */
export function sentenceOf(branches: readonly BranchCount[]): string {
  const parts = branches.map(({ isWritten, workloads, samples }) =>
    say(isWritten ? "branch.taken" : "branch.passed", { workloads, samples }),
  );
  const isUntaken = branches.some(({ workloads, samples }) => workloads + samples === 0);
  const hint = branches.some(isUnsampled) ? [say("branch.unsampled")] : isUntaken ? [say("branch.untaken")] : [];
  return [parts.join(say("list.separator")), ...hint].join(say("sentence.separator"));
}

/** Whether workloads take a branch that no sample takes. */
function isUnsampled({ workloads, samples }: BranchCount): boolean {
  return workloads > 0 && samples === 0;
}

/** Shows the pod of a workload. @param name as `workloadName()` has it; without one, nothing happens */
export function openWorkload(name: string | undefined): void {
  if (name !== undefined) show(`workload/${name}`);
}

/** Shows what the edits change in the pod of a workload, a sample or one's own manifest. @param name as an impact has it */
export function openMember(name: string): void {
  const isManifest = name.startsWith(MANIFEST_NAME);
  if (name.startsWith(SAMPLES)) show(`sample/${name.slice(SAMPLES.length)}`, "edits");
  else show(isManifest ? "manifest" : `workload/${name}`, "edits");
}

function show(name: string, view = chosenView.value): void {
  const choice = choiceOf(name);
  if (choice === undefined) return;
  batch(() => {
    pod.value = choice;
    namespace.value = OWN_NAMESPACE;
    chosenView.value = view;
  });
  // On a phone the preview is further up.
  document.querySelector(".preview")?.scrollIntoView({ block: "nearest" });
}
