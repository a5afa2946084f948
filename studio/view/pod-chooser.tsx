// Chooses the pod to preview: a sample, or a manifest that is pasted or dropped.

import { fieldOf, Options } from "../component/controls.tsx";
import { choiceOf, podName, workloadName } from "../model/address.ts";
import { bringManifest, manifest, namespace, paths, pod, shownOutcome, workloads, workspace } from "../model/state.ts";
import { SAMPLES } from "../preview/first-preview.ts";
import { say } from "../text/say.ts";

export function PodChooser() {
  const samples = paths.value.filter((path) => path.startsWith(SAMPLES)).map((path) => path.slice(SAMPLES.length));
  return (
    <>
      <label>
        <span class="hidden">{say("view.pod")}</span>
        <select
          data-testid="pod"
          value={podName(pod.value)}
          onChange={({ currentTarget: { value } }) => {
            pod.value = choiceOf(value) ?? { kind: "manifest", text: "", index: 0 };
          }}
        >
          <Options of={samples.map((name) => [podName({ kind: "sample", name }), name])} />
          <option value="manifest">{say(manifest.value === "" ? "pod.paste" : "pod.own")}</option>
          {workloads.value !== undefined && (
            <optgroup label={say("pod.cluster", { name: workspace.value.cluster ?? "" })}>
              <Options
                of={workloads.value.map((workload) => [
                  podName({ kind: "workload", workload }),
                  workloadName(workload) + (workload.isSent ? "" : ` (${say("pod.unsent")})`),
                ])}
              />
            </optgroup>
          )}
        </select>
      </label>
      <label>
        <span class="quiet">{say("pod.in")}</span> <input aria-label={say("pod.namespace")} {...fieldOf(namespace)} />
      </label>
      <NumberChooser />
    </>
  );
}

/** Which pod of a manifest with several. */
function NumberChooser() {
  const choice = pod.value;
  const pods = shownOutcome.value?.pods ?? 1;
  if (choice.kind !== "manifest" || pods <= 1) return null;
  return (
    <label>
      {say("pod.number", { number: choice.index + 1, count: pods })}
      <input
        type="range"
        min={0}
        max={pods - 1}
        value={choice.index}
        onInput={({ currentTarget }) => {
          pod.value = { ...choice, index: Number(currentTarget.value) };
        }}
      />
    </label>
  );
}

/** A text pasted on the page, outside of what takes text itself, is a manifest. */
export function pasteManifest(event: ClipboardEvent): void {
  const isField = event.target instanceof Element && event.target.closest("input, textarea, .cm-editor") !== null;
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (isField || text === "") return;
  event.preventDefault();
  bringManifest(text);
}

export async function dropManifest(event: DragEvent): Promise<void> {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  const text = file === undefined ? (event.dataTransfer?.getData("text/plain") ?? "") : await file.text();
  if (text !== "") bringManifest(text);
}
