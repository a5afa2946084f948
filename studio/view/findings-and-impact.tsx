// What is wrong with the tree, where a finding leads to its line; and what an edit or a move changes, grouped by identical change.

import type { TreeFinding } from "@outrigger/injector";
import { useSignal } from "@preact/signals";
import { Button, FailureText } from "../component/controls.tsx";
import { useOneStop } from "../component/one-stop.ts";
import { Told } from "../component/told.tsx";
import type { PlannedImpact } from "../model/releases.ts";
import { openAt, workspace } from "../model/state.ts";
import { fieldChanges } from "../preview/change-counts.ts";
import type { Change, Impact } from "../preview/question.ts";
import { say } from "../text/say.ts";
import { DiffView } from "./late.tsx";

interface ImpactProps {
  /** The impact on the samples; undefined while it is measured. */
  readonly impact?: Impact | undefined;
  readonly clusterImpact?: Impact | undefined;
  /** Whether the first change is unfolded. */
  readonly isOpen?: boolean;
  /** Shows the pod of a sample or workload. Left out where there is no place for it. */
  readonly onOpen?: OnOpen;
}

type OnOpen = ((name: string) => void) | undefined;

export function ImpactViews({ impact, clusterImpact, isOpen = false, onOpen }: ImpactProps) {
  if (clusterImpact === undefined) return <ImpactView impact={impact} isOpen={isOpen} onOpen={onOpen} />;
  return (
    <>
      <h3>{say("impact.cluster", { name: workspace.value.cluster ?? "" })}</h3>
      <ImpactView impact={clusterImpact} isOpen={isOpen} onOpen={onOpen} isOfCluster />
      <h3>{say("impact.samples")}</h3>
      <ImpactView impact={impact} isOpen={false} onOpen={onOpen} />
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

interface ImpactViewProps {
  readonly impact: Impact | undefined;
  readonly isOpen: boolean;
  readonly onOpen: OnOpen;
  readonly isOfCluster?: boolean;
}

function ImpactView({ impact, isOpen, onOpen, isOfCluster = false }: ImpactViewProps) {
  if (impact === undefined) return <p class="quiet">{say("impact.measuring")}</p>;
  const { changes, unchanged } = impact;
  return (
    <div class="column impact">
      {changes.length === 0 && <p>{say("impact.none")}</p>}
      {changes.length > 0 && unchanged > 0 && <p>{say("impact.same", { count: unchanged })}</p>}
      {changes.map((change, at) => (
        <ChangeView
          key={change.names.join()}
          change={change}
          isOpen={at === 0 && isOpen}
          onOpen={onOpen}
          isOfCluster={isOfCluster}
        />
      ))}
    </div>
  );
}

interface ChangeViewProps extends Omit<ImpactViewProps, "impact" | "isOfCluster"> {
  readonly change: Change;
  readonly isOfCluster: boolean;
}

/** Pods that change in the same way. What they become is made when it is unfolded: there may be many. */
function ChangeView({ change, isOpen, onOpen, isOfCluster }: ChangeViewProps) {
  const isShown = useSignal(isOpen);
  const { effect, containers, why, names, pods, fields, before, after } = change;
  const counts = { count: pods, workloads: names.length };
  const who = say(isOfCluster ? "impact.who.cluster" : "impact.who", counts);
  const label = say(`impact.${effect}`, { who, names: containers.join(", ") });
  // Where a whole injection is lost, or a pod is not made, the fields say nothing more.
  const isMade = ["loses", "gains", "changes"].includes(effect);
  const isBad = ["fails", "refused", "loses"].includes(effect);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => (isShown.value = currentTarget.open)}>
      <summary>
        <span class={isBad ? "toned bad" : ""}>{label}</span>
        {!isShown.value && <span class="quiet"> {namesOf(names)}</span>}
        {isMade && why === undefined && <ChangedFields fields={fields} />}
      </summary>
      {isShown.value && (
        <>
          {why !== undefined && (
            <p>
              <Told text={why} />
            </p>
          )}
          {onOpen === undefined ? <p class="quiet">{namesOf(names)}</p> : <Members names={names} onOpen={onOpen} />}
          <DiffView label={`${label}: ${names[0]}`} before={before} after={after} />
        </>
      )}
    </details>
  );
}

/** Samples or workloads that are named: the others are found where the pod is chosen. */
const MOST_MEMBERS = 100;

interface MembersProps {
  readonly names: readonly string[];
  readonly onOpen: NonNullable<OnOpen>;
}

function Members({ names, onOpen }: MembersProps) {
  return (
    <div {...useOneStop()} class="members">
      <p class="quiet">{say("impact.open")}</p>
      <ul class="row">
        {names.slice(0, MOST_MEMBERS).map((name) => (
          <li key={name}>
            <Button tone="link" data-stop onClick={() => onOpen(name)} text={name} />
          </li>
        ))}
        {names.length > MOST_MEMBERS && (
          <li class="quiet">{say("impact.more", { count: names.length - MOST_MEMBERS })}</li>
        )}
      </ul>
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
          <Told text={finding.message} />
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
