// What the chosen pod becomes: the decision and its reason, what differs, the whole pod, the manifest.

import { useSignalEffect } from "@preact/signals";
import { Tabs } from "../component/controls.tsx";
import {
  bringManifest,
  chosenView,
  edits,
  goToPod,
  manifest,
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
import { PodView, TextView } from "./editors.tsx";
import { PodChooser } from "./pod-chooser.tsx";

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
  return (
    <section class="column pane preview" aria-label={say("preview")}>
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
