// Everything that is wrong with the tree, and what an edit changes. A finding leads to its line.

import type { TreeFinding } from "@outrigger/injector";
import { examined, findings, goTo, openPath, shownPage, workspace } from "../model/state.ts";
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
      <FindingsItems findings={all} />
    </section>
  );
}

export function FindingsItems({ findings: shown }: { readonly findings: readonly TreeFinding[] }) {
  return (
    <ul>
      {shown.map(({ severity, path, line, column, message }) => (
        <li key={`${path}:${line}:${column}:${message}`} class={severity}>
          <button
            type="button"
            disabled={path === ""}
            onClick={() => {
              shownPage.value = "edit";
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
  );
}

export function ImpactList() {
  return (
    <section class="impact" aria-label={say("impact")}>
      <h2>{say("impact")}</h2>
      {examined.value !== undefined && examined.value.impact === undefined ? (
        <p class="quiet">{say("impact.unknown")}</p>
      ) : (
        <ImpactViews {...examined.value} />
      )}
    </section>
  );
}

interface ImpactProps {
  /** On the samples; undefined while it is measured. */
  readonly impact?: Impact | undefined;
  /** On what runs in the cluster, if there is one. */
  readonly clusterImpact?: Impact | undefined;
}

export function ImpactViews({ impact, clusterImpact }: ImpactProps) {
  if (clusterImpact === undefined) return <ImpactView impact={impact} />;
  return (
    <>
      <h3>{say("impact.samples")}</h3>
      <ImpactView impact={impact} />
      <h3>{say("impact.cluster", { name: workspace.value.cluster ?? "" })}</h3>
      <ImpactView impact={clusterImpact} />
    </>
  );
}

function ImpactView({ impact }: { readonly impact: Impact | undefined }) {
  if (impact === undefined) return <p class="quiet">{say("waiting")}</p>;
  return (
    <>
      <p>{impact.changes.length === 0 ? say("impact.none") : say("impact.same", { count: impact.unchanged })}</p>
      {impact.changes.map(({ names, pods, diff }) => (
        <details key={names.join()}>
          <summary>{say("impact.change", { count: pods, names: namesOf(names) })}</summary>
          <Scrolling>{diff}</Scrolling>
        </details>
      ))}
    </>
  );
}

const MOST_NAMES = 8;

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(", ");
  return names.length > MOST_NAMES ? `${shown}, ${say("impact.more", { count: names.length - MOST_NAMES })}` : shown;
}
