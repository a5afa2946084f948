// What is wrong with the tree, where a finding leads to its line; and what an edit or a move changes, grouped by identical change.

import type { TreeFinding } from "@outrigger/injector";
import { Button, FailureText } from "../component/controls.tsx";
import type { PlannedImpact } from "../model/releases.ts";
import { openAt, workspace } from "../model/state.ts";
import { fieldChanges } from "../preview/change-counts.ts";
import type { Impact } from "../preview/question.ts";
import { say } from "../text/say.ts";
import { DiffView } from "./editors.tsx";

interface ImpactProps {
  /** The impact on the samples; undefined while it is measured. */
  readonly impact?: Impact | undefined;
  readonly clusterImpact?: Impact | undefined;
  /** Whether the first change is unfolded. */
  readonly isOpen?: boolean;
}

export function ImpactViews({ impact, clusterImpact, isOpen = false }: ImpactProps) {
  if (clusterImpact === undefined) return <ImpactView impact={impact} isOpen={isOpen} />;
  return (
    <>
      <h3>{say("impact.cluster", { name: workspace.value.cluster ?? "" })}</h3>
      <ImpactView impact={clusterImpact} isOpen={isOpen} />
      <h3>{say("impact.samples")}</h3>
      <ImpactView impact={impact} isOpen={false} />
    </>
  );
}

/** The impact of a move, which may not be measured. */
export function PlannedImpactView({ impact }: { readonly impact: PlannedImpact }) {
  if (impact === undefined || !("words" in impact)) return <ImpactViews {...impact} isOpen />;
  return (
    <p class="banner">
      <FailureText word="move.unknown" failure={impact} />
    </p>
  );
}

function ImpactView({ impact, isOpen }: { readonly impact: Impact | undefined; readonly isOpen: boolean }) {
  if (impact === undefined) return <p class="quiet">{say("impact.measuring")}</p>;
  const { changes, unchanged } = impact;
  return (
    <div class="column impact">
      {changes.length === 0 && <p>{say("impact.none")}</p>}
      {changes.length > 0 && unchanged > 0 && <p>{say("impact.same", { count: unchanged })}</p>}
      {changes.map(({ names, pods, fields, before, after }, at) => {
        const label = say("impact.change", { count: pods, names: namesOf(names) });
        return (
          <details key={names.join()} open={at === 0 && isOpen}>
            <summary>
              {label}
              <ChangedFields fields={fields} />
            </summary>
            <DiffView label={label} before={before} after={after} />
          </details>
        );
      })}
    </div>
  );
}

/** The number of fields by which a reader knows the change. */
const MOST_FIELDS = 6;

function ChangedFields({ fields }: { readonly fields: readonly string[] }) {
  const all = fieldChanges(fields);
  return (
    <>
      {all.slice(0, MOST_FIELDS).map(({ name, change, before, text }) => (
        <code key={name + change} class={`cut ${change}`} title={`${name}: ${before} → ${text}`}>
          {change === "changed" ? `${name}: ${before} → ${text}` : `${SIGNS[change] ?? ""} ${name}: ${text}`}
        </code>
      ))}
      {all.length > MOST_FIELDS && <code>{say("impact.more", { count: all.length - MOST_FIELDS })}</code>}
    </>
  );
}

const SIGNS: Readonly<Record<string, string>> = { added: "+", removed: "−" };

const MOST_NAMES = 8;

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(", ");
  return names.length > MOST_NAMES ? `${shown}, ${say("impact.more", { count: names.length - MOST_NAMES })}` : shown;
}

export function FindingsItems({ findings }: { readonly findings: readonly TreeFinding[] }) {
  if (findings.length === 0) return <p class="quiet">{say("findings.none")}</p>;
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <li key={JSON.stringify(finding)} class={`row ${finding.severity}`}>
          <span class="toned">{say(`severity.${finding.severity}`)}</span>
          <FindingButton finding={finding} />
          <span lang="en">{finding.message}</span>
        </li>
      ))}
    </ul>
  );
}

export function FindingButton({ finding }: { readonly finding: TreeFinding }) {
  const { path, line } = finding;
  const text = line === undefined ? path : `${path}, ${say("line", { line })}`;
  return <Button tone="link" disabled={path === ""} onClick={() => openAt(finding)} text={text} />;
}
