// Whether the pod is injected and why: in a sentence, and on request as the row of the truth table. Below, what it adds.

import { DECISION_ROWS } from "@outrigger/injector";
import { Badge } from "../component/badge.tsx";
import { changes, shownView } from "../model/state.ts";
import { changeCounts } from "../preview/change-counts.ts";
import type { Outcome } from "../preview/question.ts";
import { say } from "../text/say.ts";
import { BaseChooser } from "./base-chooser.tsx";
import { DecisionTable } from "./decision-table.tsx";

export interface DecisionProps {
  readonly outcome: Outcome;
  /** The tree has errors: this is the last good preview of the pod. */
  readonly isStale: boolean;
}

const TONES = { injected: "good", skipped: "warn", refused: "bad" } as const;

export function Decision({ outcome, isStale }: DecisionProps) {
  return (
    <div class="decision">
      {isStale && (
        <p>
          <Badge tone="warn">{say("stale")}</Badge>
        </p>
      )}
      <div role="status">
        <Badge tone={TONES[outcome.decision]} strong>
          {say(`decision.${outcome.decision}`)}
        </Badge>
        <Why outcome={outcome} />
        {outcome.decision === "injected" && (
          <span class="quiet">{say("templates", { names: outcome.templates.join(", ") })}</span>
        )}
      </div>
      <Counts />
      <div class="decision-foot">
        <DecisionTable reason={outcome.reason} />
        {shownView.value === "changes" && <BaseChooser />}
      </div>
      {outcome.decision === "injected" &&
        outcome.warnings.map((warning) => (
          <p key={warning}>
            <Badge tone="warn">{say("warning")}</Badge> <span lang="en">{warning}</span>
          </p>
        ))}
    </div>
  );
}

/** The table's rows are said in the reader's language; what else keeps a pod from being injected, as the injector says it. */
function Why({ outcome }: { readonly outcome: Outcome }) {
  const row = Object.keys(DECISION_ROWS).find((known) => known === outcome.reason);
  if (row !== undefined) return <span>{say(`reason.${row as keyof typeof DECISION_ROWS}`)}</span>;
  return <span lang="en">{outcome.decision === "injected" ? outcome.reason : outcome.message}</span>;
}

const SIGNS = { added: "+", changed: "~", removed: "−" } as const;

function Counts() {
  const all = changeCounts(changes.value ?? []);
  if (all.length === 0) return null;
  return (
    <ul class="chips" aria-label={say("view.changes")}>
      {all.map(({ what, isContainer, counts }) => (
        <li key={what}>
          <Badge tone={counts.removed > 0 ? "bad" : counts.added > 0 ? "good" : "warn"}>
            {!isContainer && what}
            {(["added", "changed", "removed"] as const).map((change) =>
              counts[change] === 0 ? null : (
                <span key={change}>
                  <span aria-hidden="true">
                    &nbsp;{SIGNS[change]}
                    {isContainer ? "\u00a0" : counts[change]}
                  </span>
                  <span class="hidden">
                    {" "}
                    {say(`change.${change}`)}
                    {isContainer ? "" : ` ${counts[change]}`}
                  </span>
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
