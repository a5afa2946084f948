// Whether the pod is injected and why: in a sentence, and on request as the row of the truth table. Below, what it adds.

import { DECISION_ROWS } from "@outrigger/injector";
import { Badge } from "../component/badge.tsx";
import { changes } from "../model/state.ts";
import { changeCounts } from "../preview/change-tree.ts";
import type { Outcome } from "../preview/question.ts";
import { say } from "../text/say.ts";
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
        <span>{whyOf(outcome)}</span>
        {outcome.decision === "injected" && (
          <span class="quiet">{say("templates", { names: outcome.templates.join(", ") })}</span>
        )}
      </div>
      <Counts />
      <DecisionTable reason={outcome.reason} />
      {outcome.decision === "injected" &&
        outcome.warnings.map((warning) => (
          <p key={warning}>
            <Badge tone="warn">{say("warning")}</Badge> {warning}
          </p>
        ))}
    </div>
  );
}

/** The table's rows are said in the reader's language; what else keeps a pod from being injected, as the injector says it. */
function whyOf(outcome: Outcome): string {
  const row = Object.keys(DECISION_ROWS).find((known) => known === outcome.reason);
  if (row !== undefined) return say(`reason.${row as keyof typeof DECISION_ROWS}`);
  return outcome.decision === "injected" ? outcome.reason : outcome.message;
}

const SIGNS = { added: "+", removed: "−", changed: "~" } as const;
const COUNTED = { added: undefined, removed: "bad", changed: "warn" } as const;

function Counts() {
  const counts = changeCounts(changes.value ?? []);
  if (counts.length === 0) return null;
  return (
    <ul class="chips" aria-label={say("view.changes")}>
      {counts.map(({ change, what, count }) => (
        <li key={change + what}>
          <Badge tone={COUNTED[change]}>
            <span aria-hidden="true">{SIGNS[change]}&nbsp;</span>
            <span class="hidden">{say(`change.${change}`)} </span>
            {count === undefined ? what : `${count} ${what}`}
          </Badge>
        </li>
      ))}
    </ul>
  );
}
