// What the chosen pod becomes: the decision and its reason, what differs, the whole pod, the manifest. The pod is a sample, or one of a
// manifest that is pasted or dropped.

import { useSignalEffect } from "@preact/signals";
import { fieldOf, setting, Tabs } from "../component/controls.tsx";
import {
  bringManifest,
  chosenView,
  edits,
  goToPod,
  isPreviewEntered,
  manifest,
  namespace,
  pod,
  previewed,
  shownOutcome,
  shownView,
  VIEWS,
} from "../model/state.ts";
import type { Outcome } from "../preview/question.ts";
import { say } from "../text/say.ts";
import { ChangesView } from "./changes-view.tsx";
import { Decision } from "./decision.tsx";
import { PodView, TextView } from "./late.tsx";
import { PodPicker } from "./pod-picker.tsx";

const PANEL = "preview-panel";

export function PreviewPane() {
  useSignalEffect(() => {
    if (goToPod.value.length > 0) chosenView.value = "pod";
  });
  useSignalEffect(() => {
    // Nothing to preview yet: a place to paste it.
    if (pod.value.kind === "manifest" && pod.value.text === "") chosenView.value = "manifest";
  });
  const outcome = shownOutcome.value;
  const hasErrors = previewed.value !== undefined && previewed.value.outcome === undefined;
  const enter = setting(isPreviewEntered, true);
  return (
    <section class="column pane preview" aria-label={say("preview")} onPointerEnter={enter} onFocusIn={enter}>
      <div class="row pane-head">
        <PodChooser />
        <Tabs
          label={say("preview")}
          panel={PANEL}
          tabs={VIEWS.map((name) => [name, say(`view.${name}`)] as const)}
          chosen={shownView.value}
          onChoose={(name) => {
            chosenView.value = name;
          }}
        />
      </div>
      {outcome !== undefined && <Decision outcome={outcome} isStale={hasErrors} />}
      <div
        role="tabpanel"
        id={PANEL}
        aria-labelledby={`tab-${shownView.value}`}
        class={hasErrors && outcome !== undefined ? "column fill panel stale" : "column fill panel"}
      >
        {outcome === undefined ? (
          <p class="message quiet" role="status">
            {say(hasErrors ? "preview.blocked" : "waiting")}
          </p>
        ) : (
          <View outcome={outcome} />
        )}
      </div>
    </section>
  );
}

function View({ outcome }: { readonly outcome: Outcome }) {
  if (shownView.value === "manifest") {
    return pod.value.kind === "manifest" ? (
      <OwnManifest />
    ) : (
      <TextView label={say("view.manifest")} text={outcome.before} />
    );
  }
  if (shownView.value === "changes")
    return <ChangesView key="changes" tree={outcome.changes} edits={edits.value ?? []} />;
  if (shownView.value === "edits") {
    const tree = edits.value;
    return tree === undefined ? <p class="message quiet">{say("waiting")}</p> : <ChangesView key="edits" tree={tree} />;
  }
  if (outcome.decision !== "injected") return <TextView label={say("view.pod")} text={outcome.before} />;
  return <PodView text={outcome.after} before={outcome.before} />;
}

function OwnManifest() {
  return (
    <textarea
      class="manifest fill"
      aria-label={say("view.manifest")}
      placeholder={say("pod.paste")}
      value={manifest.value}
      spellcheck={false}
      onInput={({ currentTarget }) => bringManifest(currentTarget.value)}
    />
  );
}

function PodChooser() {
  return (
    <>
      <PodPicker />
      <label>
        <span class="quiet">{say("pod.in")}</span>{" "}
        <input
          aria-label={say("pod.namespace")}
          placeholder={shownOutcome.value?.namespace || "default"}
          {...fieldOf(namespace)}
        />
      </label>
      <NumberChooser />
    </>
  );
}

/** The choice of a pod in a manifest that has several. */
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
