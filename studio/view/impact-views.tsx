// What an edit or a move changes, grouped by identical change.

import { FailureText } from "../component/controls.tsx";
import { Diff } from "../component/diff.tsx";
import type { PlannedImpact } from "../model/releases.ts";
import { workspace } from "../model/state.ts";
import type { Impact } from "../preview/question.ts";
import { say } from "../text/say.ts";

export interface ImpactProps {
  /** On the samples; undefined while it is measured. */
  readonly impact?: Impact | undefined;
  /** On what runs in the cluster, if there is one. */
  readonly clusterImpact?: Impact | undefined;
}

export function ImpactViews({ impact, clusterImpact }: ImpactProps) {
  if (clusterImpact === undefined) return <ImpactView impact={impact} />;
  return (
    <>
      <h3>{say("impact.cluster", { name: workspace.value.cluster ?? "" })}</h3>
      <ImpactView impact={clusterImpact} />
      <h3>{say("impact.samples")}</h3>
      <ImpactView impact={impact} />
    </>
  );
}

/** The same of a move, which may not be measured. */
export function PlannedImpactView({ impact }: { readonly impact: PlannedImpact }) {
  if (impact === undefined || !("words" in impact)) return <ImpactViews {...impact} />;
  return (
    <p class="banner">
      <FailureText word="move.unknown" failure={impact} />
    </p>
  );
}

function ImpactView({ impact }: { readonly impact: Impact | undefined }) {
  if (impact === undefined) return <p class="quiet">{say("impact.measuring")}</p>;
  const { changes, unchanged } = impact;
  return (
    <div class="impact">
      {changes.length === 0 && <p>{say("impact.none")}</p>}
      {changes.length > 0 && unchanged > 0 && <p>{say("impact.same", { count: unchanged })}</p>}
      {changes.map(({ names, pods, diff }) => (
        <details key={names.join()}>
          <summary>
            {say("impact.change", { count: pods, names: namesOf(names) })}
            {firstLines(diff).map((line) => (
              <code key={line}>{line}</code>
            ))}
          </summary>
          <Diff label={say("impact.change", { count: pods, names: namesOf(names) })} text={diff} />
        </details>
      ))}
    </div>
  );
}

const MOST_LINES = 4;

/** The first lines that differ, to know the change by; the record of the injection, which repeats the others, is left out. */
function firstLines(diff: string): readonly string[] {
  const lines = diff.split("\n").filter((line) => /^[+-](?![+-]{2} )/.test(line));
  const others = lines.filter((line) => !line.includes("sidecar.istio.io/status:"));
  return others.length <= MOST_LINES ? others : [...others.slice(0, MOST_LINES), "…"];
}

const MOST_NAMES = 8;

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(", ");
  return names.length > MOST_NAMES ? `${shown}, ${say("impact.more", { count: names.length - MOST_NAMES })}` : shown;
}
