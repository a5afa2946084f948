// Chooses the pod to preview: a sample, or a manifest that is pasted or dropped.

import { manifest, namespace, paths, pod, shownOutcome, workloads, workspace } from "../model/state.ts";
import type { PodChoice } from "../preview/question.ts";
import { say } from "../text/say.ts";
import type { ClusterWorkload } from "../wire.ts";

const OWN = "manifest";

export function PodChooser() {
  const samples = paths.value
    .filter((path) => path.startsWith("samples/"))
    .map((path) => path.slice("samples/".length));
  const choice = pod.value;
  return (
    <>
      <label>
        <span class="hidden">{say("pod.label")}</span>
        <select
          data-testid="pod"
          value={choiceValue(choice)}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          {samples.map((name) => (
            <option key={name} value={`sample/${name}`}>
              {name}
            </option>
          ))}
          <option value={OWN}>{say(manifest.value === "" ? "pod.paste" : "pod.own")}</option>
          {workloads.value !== undefined && (
            <optgroup label={say("pod.cluster", { name: workspace.value.cluster ?? "" })}>
              {workloads.value.map((workload, index) => (
                <option key={idOf(workload)} value={`${WORKLOAD}${index}`}>
                  {idOf(workload)}
                  {workload.isSent ? "" : ` (${say("pod.unsent")})`}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      </label>
      <label>
        <span class="quiet">{say("pod.in")}</span>{" "}
        <input
          class="namespace"
          aria-label={say("pod.namespace")}
          value={namespace.value}
          onInput={({ currentTarget }) => {
            namespace.value = currentTarget.value;
          }}
        />
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

const WORKLOAD = "workload/";

function idOf({ namespace: place, name }: ClusterWorkload): string {
  return `${place}/${name}`;
}

function choiceValue(choice: PodChoice): string {
  if (choice.kind === "sample") return `sample/${choice.name}`;
  if (choice.kind === "manifest") return OWN;
  return `${WORKLOAD}${workloads.value?.findIndex((one) => idOf(one) === idOf(choice.workload)) ?? ""}`;
}

function choose(value: string): void {
  if (value.startsWith(WORKLOAD)) {
    const workload = workloads.value?.[Number(value.slice(WORKLOAD.length))];
    if (workload !== undefined) pod.value = { kind: "workload", workload };
    return;
  }
  pod.value =
    value === OWN
      ? { kind: "manifest", text: manifest.value, index: 0 }
      : { kind: "sample", name: value.slice("sample/".length) };
}

/** A manifest that was pasted or dropped on the page. */
function bringManifest(text: string): void {
  manifest.value = text;
  pod.value = { kind: "manifest", text, index: 0 };
}

/** A text pasted on the page, outside of what takes text itself, is a manifest. */
export function pasteManifest(event: ClipboardEvent): void {
  const isField = event.target instanceof Element && event.target.closest("input, textarea, .cm-editor") !== null;
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (isField || text === "") return;
  event.preventDefault();
  bringManifest(text);
}

/** A file or text dropped on the page is a manifest. */
export async function dropManifest(event: DragEvent): Promise<void> {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  const text = file === undefined ? (event.dataTransfer?.getData("text/plain") ?? "") : await file.text();
  if (text !== "") bringManifest(text);
}
