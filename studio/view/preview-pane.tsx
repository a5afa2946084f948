// What the chosen pod becomes: decision and reason, the injected pod with its injected lines, the diff, the manifest.

import { useSignal, useSignalEffect } from "@preact/signals";
import { PodView } from "../editor/pod-view.tsx";
import { TextView } from "../editor/text-view.tsx";
import { base, baselineText, goToPod, lastGood, manifest, pod, previewed } from "../model/state.ts";
import type { Outcome } from "../preview/question.ts";
import type { Word } from "../text/en.ts";
import { say } from "../text/say.ts";
import { BaseChooser } from "./base-chooser.tsx";
import { DecisionTable } from "./decision-table.tsx";
import { lineDiff } from "./line-diff.ts";
import { PodChooser } from "./pod-chooser.tsx";
import { Scrolling } from "./scrolling.tsx";

type Tab = "pod" | "diff" | "manifest";

const TABS: readonly (readonly [Tab, Word])[] = [
  ["pod", "tab.pod"],
  ["diff", "tab.diff"],
  ["manifest", "tab.manifest"],
];

export function PreviewPane() {
  const tab = useSignal<Tab>("pod");
  useSignalEffect(() => {
    if (goToPod.value.length > 0) tab.value = "pod";
  });
  useSignalEffect(() => {
    // Nothing to preview yet: a place to paste it.
    if (pod.value.kind === "manifest" && pod.value.text === "") tab.value = "manifest";
  });
  const outcome = lastGood.value;
  const isStale = previewed.value !== undefined && previewed.value.outcome === undefined;
  return (
    <section class="pane preview" aria-label={say("preview")}>
      <PodChooser />
      <Decision outcome={outcome} isStale={isStale} />
      <div role="tablist" aria-label={say("preview")}>
        {TABS.map(([name, word]) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={tab.value === name}
            aria-controls="preview-panel"
            onClick={() => {
              tab.value = name;
            }}
          >
            {say(word)}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id="preview-panel"
        aria-labelledby={`tab-${tab.value}`}
        class={isStale ? "panel stale" : "panel"}
      >
        <Panel tab={tab.value} outcome={outcome} />
      </div>
    </section>
  );
}

function Panel({ tab, outcome }: { readonly tab: Tab; readonly outcome: Outcome | undefined }) {
  if (outcome === undefined) return <p class="quiet">{say("waiting")}</p>;
  if (tab === "manifest") {
    return pod.value.kind === "manifest" ? (
      <OwnManifest />
    ) : (
      <TextView label={say("tab.manifest")} text={outcome.before} />
    );
  }
  const after = outcome.decision === "injected" ? outcome.after : outcome.before;
  if (tab === "diff") return <ComparedDiff outcome={outcome} after={after} />;
  if (outcome.decision !== "injected") return <TextView label={say("tab.pod")} text={after} />;
  return <PodView text={after} added={outcome.added} />;
}

function OwnManifest() {
  return (
    <textarea
      class="manifest"
      aria-label={say("tab.manifest")}
      value={manifest.value}
      spellcheck={false}
      onInput={({ currentTarget }) => {
        manifest.value = currentTarget.value;
        pod.value = { kind: "manifest", text: currentTarget.value, index: 0 };
      }}
    />
  );
}

function ComparedDiff({ outcome, after }: { readonly outcome: Outcome; readonly after: string }) {
  const isPod = base.value.kind === "pod";
  const before = isPod ? outcome.before : baselineText.value;
  // What another tree makes is compared with what this one says, where it injects nothing too.
  const now = isPod || outcome.decision === "injected" ? after : `# ${outcome.message}\n`;
  return (
    <>
      <BaseChooser />
      {before === undefined ? (
        <p class="quiet">{say("waiting")}</p>
      ) : before === now ? (
        <p class="quiet same">{say("diff.same")}</p>
      ) : (
        <Diff before={before} after={now} />
      )}
    </>
  );
}

function Diff({ before, after }: { readonly before: string; readonly after: string }) {
  return (
    <Scrolling>
      {lineDiff(before, after).map(({ mark, text }, index) => (
        // Lines have no identity of their own.
        <span key={index} class={mark === "+" ? "plus" : mark === "-" ? "minus" : ""}>{`${mark} ${text}\n`}</span>
      ))}
    </Scrolling>
  );
}

function Decision({ outcome, isStale }: { readonly outcome: Outcome | undefined; readonly isStale: boolean }) {
  if (outcome === undefined) return null;
  const { compile = 0, inject = 0 } = previewed.value?.took ?? {};
  const took = { compile: compile.toFixed(1), inject: inject.toFixed(1) };
  return (
    <div class="decision">
      {/* Said by screen readers when it changes; the times change with every key. */}
      <div role="status">
        {isStale && <p class="warning">{say("stale")}</p>}
        <p>
          <strong class={outcome.decision}>{say(`decision.${outcome.decision}`)}</strong> <code>{outcome.reason}</code>
          {outcome.decision === "injected" ? "" : ` ${outcome.message}`}
        </p>
      </div>
      <DecisionTable reason={outcome.reason} />
      {outcome.decision === "injected" && (
        <>
          <p>{say("templates", { names: outcome.templates.join(", ") })}</p>
          {outcome.warnings.map((warning) => (
            <p key={warning} class="warning">
              {warning}
            </p>
          ))}
        </>
      )}
      <p class="quiet" data-testid="took">
        {outcome.decision === "injected"
          ? say("took", { ...took, bytes: outcome.patchBytes })
          : say("took.skipped", took)}
      </p>
    </div>
  );
}
