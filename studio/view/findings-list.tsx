// Everything that is wrong with the tree, and what an edit changes. A finding leads to its line.

import { examined, findings, goTo, openPath } from "../model/state.ts";
import type { Impact } from "../preview/question.ts";
import { say } from "../text/say.ts";
import { Scrolling } from "./scrolling.tsx";

export function FindingsList() {
  const all = findings.value;
  const errors = all.filter(({ severity }) => severity === "error").length;
  return (
    <section class="findings" aria-label={say("findings")}>
      <h2>
        {say("findings")}:{" "}
        {all.length === 0 ? say("findings.none") : say("findings.count", { errors, warnings: all.length - errors })}
      </h2>
      <ul>
        {all.map(({ severity, path, line, column, message }) => (
          <li key={`${path}:${line}:${column}:${message}`} class={severity}>
            <button
              type="button"
              disabled={path === ""}
              onClick={() => {
                openPath.value = path;
                goTo.value = { line: line ?? 1, column: column ?? 1 };
              }}
            >
              {path}
              {line === undefined ? "" : `, ${say("line", { line })}`}
            </button>{" "}
            {message}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function ImpactList() {
  return (
    <section class="impact" aria-label={say("impact")}>
      <h2>{say("impact")}</h2>
      {examined.value !== undefined && examined.value.impact === undefined ? (
        <p class="quiet">{say("impact.unknown")}</p>
      ) : (
        <ImpactView impact={examined.value?.impact} />
      )}
    </section>
  );
}

/** @param impact undefined while it is measured */
export function ImpactView({ impact }: { readonly impact: Impact | undefined }) {
  if (impact === undefined) return <p class="quiet">{say("waiting")}</p>;
  return (
    <>
      <p>{impact.changes.length === 0 ? say("impact.none") : say("impact.same", { count: impact.unchanged.length })}</p>
      {impact.changes.map(({ pods, diff }) => (
        <details key={pods.join()}>
          <summary>{say("impact.change", { count: pods.length, names: pods.join(", ") })}</summary>
          <Scrolling>{diff}</Scrolling>
        </details>
      ))}
    </>
  );
}
