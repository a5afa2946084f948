// One line below the page: what is wrong and what the edits change, in short. Each unfolds, and the first finding leads to its place.

import { setting } from "../component/controls.tsx";
import { Told } from "../component/told.tsx";
import { addressOf } from "../model/address.ts";
import { openMember } from "../model/branches.ts";
import { releases } from "../model/releases.ts";
import { clusterImpact, draftPaths, examined, findings, shownDetails, workloads, workspace } from "../model/state.ts";
import { countPods } from "../preview/change-counts.ts";
import { say } from "../text/say.ts";
import type { ReleasesState } from "../wire.ts";
import { FindingButton, FindingsItems, ImpactViews } from "./findings-and-impact.tsx";
import { shortName } from "./move-sheet.tsx";

export function StatusLine() {
  const all = findings.value;
  const errors = all.filter(({ severity }) => severity === "error").length;
  const warnings = all.length - errors;
  const [first] = all;
  const tone = errors > 0 ? "error" : warnings > 0 ? "warning" : "fine";
  const text = first === undefined ? say("findings.none") : say("findings.count", { errors, warnings });
  return (
    <footer class="below">
      <Details />
      <div class="row status-line">
        <Toggle name="findings" text={text} tone={tone} />
        {first !== undefined && shownDetails.value !== "findings" && (
          <span class="first cut">
            <FindingButton finding={first} /> <Told text={first.message} />
          </span>
        )}
        <Whereabouts />
        <Toggle name="impact" text={impactText()} />
      </div>
    </footer>
  );
}

const TONES: Partial<Record<ReleasesState["edits"], string>> = { published: "fine", refused: "error", held: "error" };

/** Shows how far the edits have come on their way to the channel that they are published to. */
function Whereabouts() {
  if (releases.value === undefined) return null;
  const { publishTo: channel, channels, edits } = releases.value;
  const { release = "", proposal } = channels[channel] ?? {};
  const names = proposal?.held?.map(({ name }) => name).join(", ") ?? "";
  const count = draftPaths.value.length;
  const saved = `${say("status.saved")} → ${say(`status.${edits}`, { channel, names, release: shortName(release) })}`;
  const tone = (count === 0 && TONES[edits]) || "warning";
  return (
    <a class={`toggle toned cut ${tone}`} href={addressOf({ page: "releases" })} data-testid="whereabouts">
      {count === 0 ? saved : say("status.drafts", { count })}
    </a>
  );
}

interface ToggleProps {
  readonly name: "findings" | "impact";
  readonly text: string;
  readonly tone?: string;
}

function Toggle({ name, text, tone = "" }: ToggleProps) {
  const isOpen = shownDetails.value === name;
  return (
    <button
      type="button"
      class={`plain toggle toned cut ${tone}`}
      aria-expanded={isOpen}
      onClick={setting(shownDetails, isOpen ? undefined : name)}
    >
      {text} <span aria-hidden="true">{isOpen ? "▾" : "▴"}</span>
    </button>
  );
}

function Details() {
  if (shownDetails.value === undefined) return null;
  const isFindings = shownDetails.value === "findings";
  return (
    <section class={`details ${shownDetails.value}`} aria-label={say(isFindings ? "findings" : "impact")}>
      {isFindings ? (
        <FindingsItems findings={findings.value} />
      ) : examined.value !== undefined && examined.value.impact === undefined ? (
        <p class="quiet">{say("impact.unknown")}</p>
      ) : (
        <ImpactViews impact={examined.value?.impact} clusterImpact={clusterImpact.value} onOpen={openMember} />
      )}
    </section>
  );
}

/** `3 of 5 samples change; 41 of 212 running pods change` */
function impactText(): string {
  if (examined.value === undefined) return say("impact.measuring");
  const { impact } = examined.value;
  if (impact === undefined) return say("impact.unknown");
  const samples = say("impact.of-samples", countPods(impact));
  if ((workloads.value ?? []).length === 0) return samples;
  const name = workspace.value.cluster ?? "";
  const { value: running } = clusterImpact;
  const found =
    running === undefined
      ? say("impact.measuring.cluster", { name })
      : say("impact.of-cluster", { ...countPods(running), name });
  return samples + say("list.separator") + found;
}
