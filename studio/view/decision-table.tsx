// Why a pod is injected or not: the row of the truth table that decides.

import { DECISION_ROWS } from "@outrigger/injector";
import type { Word } from "../text/en.ts";
import { say } from "../text/say.ts";

type DecisionRow = (typeof DECISION_ROWS)[keyof typeof DECISION_ROWS];

const COLUMNS: readonly (readonly [keyof DecisionRow, Word])[] = [
  ["hostNetwork", "row.host-network"],
  ["namespace", "row.namespace"],
  ["choice", "row.choice"],
  ["selectors", "row.selectors"],
  ["policy", "row.policy"],
];

const CELLS: Readonly<Record<DecisionRow[keyof DecisionRow], Word>> = {
  any: "cell.any",
  yes: "cell.yes",
  no: "cell.no",
  system: "cell.system",
  other: "cell.other",
  true: "cell.true",
  false: "cell.false",
  "none or another": "cell.none-or-another",
  "never matches": "cell.never-matches",
  "always matches": "cell.always-matches",
  "none matches": "cell.none-matches",
  unknown: "cell.unknown",
  known: "cell.known",
  enabled: "cell.enabled",
  disabled: "cell.disabled",
};

/** Nothing for a reason that is not of the table: a Windows pod, an error. */
export function DecisionTable({ reason }: { readonly reason: string }) {
  const row = Object.entries(DECISION_ROWS).find(([known]) => known === reason)?.[1];
  if (row === undefined) return null;
  return (
    <details class="decision-row">
      <summary>{say("row.why")}</summary>
      <table class="table">
        <thead>
          <tr>
            {COLUMNS.map(([column, word]) => (
              <th key={column} scope="col">
                {say(word)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            {COLUMNS.map(([column]) => (
              <td key={column} class={row[column] === "any" ? "quiet" : ""}>
                {say(CELLS[row[column]])}
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </details>
  );
}
