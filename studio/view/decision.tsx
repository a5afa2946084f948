// Whether the pod is injected and why: in a sentence, and on request as the row of the truth table. Below, what it adds.

import { DECISION_ROWS } from "@outrigger/injector";
import { Badge, Options, Table } from "../component/controls.tsx";
import { Told } from "../component/told.tsx";
import { changes, releases } from "../model/releases.ts";
import { base, clusterImpact, edits, examined, shownOutcome, shownView, workloads, workspace } from "../model/state.ts";
import { changeCounts, changedFields, changeKey, countPods } from "../preview/change-counts.ts";
import type { ChangeNode } from "../preview/change-tree.ts";
import type { Outcome } from "../preview/question.ts";
import { say, sayName } from "../text/say.ts";

const TONES = { injected: "good", skipped: "warn", refused: "bad" } as const;

/** @param isStale the tree has errors: this is the last good preview of the pod */
export function Decision({ outcome, isStale }: { readonly outcome: Outcome; readonly isStale: boolean }) {
  return (
    <div class="column decision">
      {isStale && (
        <p>
          <Badge tone="warn">{say("stale")}</Badge>
        </p>
      )}
      <div role="status" class="row">
        <Badge tone={TONES[outcome.decision]} strong>
          {say(`decision.${outcome.decision}`)}
        </Badge>
        <Why outcome={outcome} />
        {outcome.decision === "injected" && (
          <span class="quiet">{say("templates", { names: outcome.templates.join(", ") })}</span>
        )}
      </div>
      <EditChips />
      {shownView.value !== "edits" && <Counts />}
      <div class="row">
        {outcome.decision !== "refused" && <DecisionTable {...outcome} />}
        {shownView.value === "edits" && <BaseChooser />}
      </div>
      {outcome.decision !== "refused" &&
        outcome.warnings.map((warning) => (
          <p key={warning}>
            <Badge tone="warn">{say("severity.warning")}</Badge> <Told text={warning} />
          </p>
        ))}
    </div>
  );
}

/** The table's rows are said in the reader's language; what else keeps a pod from being injected, as the injector says it. */
function Why({ outcome }: { readonly outcome: Outcome }) {
  if (outcome.decision !== "refused" && isRow(outcome.reason)) {
    const { reason, label } = outcome;
    return <span>{say(`reason.${reason}`, { label })}</span>;
  }
  return <Told text={outcome.decision === "injected" ? outcome.reason : outcome.message} />;
}

const SIGNS = { added: "+", changed: "~", removed: "−" } as const;

const MOST_FIELDS = 5;

/** A chip for each field that the edits change, with the number of pods. It stays in sight, whatever is folded below. */
function EditChips() {
  // What is the same in two containers is said once.
  const groups = Map.groupBy(changedFields(edits.value ?? []), ({ label, change, before, text }) =>
    JSON.stringify([label, change, before, text]),
  );
  if (groups.size === 0) return null;
  const more = groups.size - MOST_FIELDS;
  return (
    <ul class="row chips" aria-label={say("view.edits")}>
      {[...groups].slice(0, MOST_FIELDS).map(([key, fields]) => (
        <li key={key}>
          <Badge tone="warn" title={fields.map(({ id }) => id).join("\n")}>
            <FieldChange field={fields[0] as ChangeNode} />
            {podsWith(fields)}
          </Badge>
        </li>
      ))}
      {more > 0 && <li class="quiet">{say("impact.more", { count: more })}</li>}
    </ul>
  );
}

/** `privileged: false → true` */
function FieldChange({ field: { label, change, before, text } }: { readonly field: ChangeNode }) {
  return (
    <span class="mono cut">
      {(change === "added" || change === "removed") && (
        <>
          <span class="hidden">{say(`change.${change}`)} </span>
          <span aria-hidden="true">{SIGNS[change]} </span>
        </>
      )}
      {label === "" ? "" : label === text ? label : `${label}: `}
      {change === "changed" && `${before} → `}
      {label !== text && text}
    </span>
  );
}

/** `· 2 of 4 pods`: as far as that is measured, and the edits are compared with what is saved. */
function podsWith(fields: readonly ChangeNode[]): string {
  const isOfCluster = (workloads.value ?? []).length > 0;
  const impact = isOfCluster ? clusterImpact.value : examined.value?.impact;
  if (impact === undefined || base.value !== undefined) return "";
  const keys = fields.map(changeKey);
  const ways = impact.changes.filter((change) => keys.some((key) => change.fields.includes(key)));
  return ways.length === 0 ? "" : `\u00a0· ${say("edits.pods", countPods(impact, ways))}`;
}

function Counts() {
  const all = changeCounts(shownOutcome.value?.changes ?? []);
  if (all.length === 0) return null;
  return (
    <ul class="row chips" aria-label={say("view.changes")}>
      {all.map(({ what, isContainer, counts }) => (
        <li key={what}>
          <Badge tone={counts.removed > 0 ? "bad" : counts.added > 0 ? "good" : "warn"}>
            {!isContainer && what}
            {(["added", "changed", "removed"] as const).map((change) =>
              counts[change] === 0 ? null : (
                <span key={change}>
                  <span aria-hidden="true">{SIGNS[change]}</span>
                  <span class="hidden">{say(`change.${change}`)} </span>
                  {!isContainer && counts[change]}
                </span>
              ),
            )}
            {isContainer && what}
          </Badge>
        </li>
      ))}
    </ul>
  );
}

const COLUMNS = ["hostNetwork", "namespace", "choice", "selectors", "policy"] as const;

/** Nothing for a reason that is not of the table: a Windows pod. */
function DecisionTable({ reason, label }: { readonly reason: string; readonly label: string }) {
  if (!isRow(reason)) return null;
  const cells = COLUMNS.map((column) => sayName("cell", DECISION_ROWS[reason][column]));
  return (
    <details class="decision-row">
      <summary>{say("row.why")}</summary>
      <Table head={COLUMNS.map((column) => say(`row.${column}`, { label }))} rows={[cells]} />
    </details>
  );
}

function isRow(reason: string): reason is keyof typeof DECISION_ROWS {
  return Object.hasOwn(DECISION_ROWS, reason);
}

function BaseChooser() {
  const { channels = {} } = releases.value ?? {};
  return (
    <label class="row one-line last">
      {say("diff.against")}
      <select
        data-testid="base"
        value={base.value ?? ""}
        onChange={({ currentTarget: { value } }) => {
          base.value = value === "" ? undefined : value;
        }}
      >
        <Options
          of={[
            ["", say(workspace.value.kind === "playground" ? "diff.shipped" : "diff.saved")],
            ...Object.entries(channels).map(
              ([name, { release }]) => [name, say("diff.channel", { name, release })] as const,
            ),
            ...changes.value.map(({ release }) => [release, say("diff.release", { release })] as const),
          ]}
        />
      </select>
    </label>
  );
}
