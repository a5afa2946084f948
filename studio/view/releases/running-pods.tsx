// What the pods of a cluster have, by release: a release is live within seconds for new pods, and never for those that run.

import { Badge, Bar, EmptyState, FailureText } from "../../component/controls.tsx";
import { Ago } from "../../model/clock.tsx";
import { running } from "../../model/releases.ts";
import { workspace } from "../../model/state.ts";
import { say, sayName } from "../../text/say.ts";
import type { RunningState } from "../../wire.ts";

export function RunningPods() {
  return (
    <section class="column card" aria-label={say("running")}>
      <div class="row card-head">
        <h2>{say("running")}</h2>
        {running.value !== undefined && "pods" in running.value && (
          <span class="quiet">
            {running.value.cluster} · <Ago at={running.value.at} />
          </span>
        )}
      </div>
      <Content />
    </section>
  );
}

function Content() {
  const { value } = running;
  if (workspace.value.cluster === null) {
    return (
      <EmptyState title={say("running.none")}>
        <code>outrigger studio --deployment … --context …</code>
      </EmptyState>
    );
  }
  if (value === undefined) return <p class="quiet">{say("running.reading")}</p>;
  if ("words" in value) {
    return (
      <p class="banner">
        <FailureText word="running.unknown" failure={value} />
      </p>
    );
  }
  return <Counts running={value} />;
}

function Counts({
  running: { pods, releases, states, outdated, outdatedWorkloads },
}: {
  readonly running: RunningState;
}) {
  const older = releases.reduce((sum, { pods: count, channel }) => (channel === undefined ? sum + count : sum), 0);
  const rows = [
    ...releases.flatMap(({ release, pods: count, channel }) =>
      channel === undefined ? [] : { name: release, about: channel, count, tone: "accent" as const },
    ),
    { name: say("running.older"), about: undefined, count: older, tone: "neutral" as const },
    { name: say("running.missing"), about: undefined, count: states["missing"] ?? 0, tone: "bad" as const },
    { name: say("running.outdated"), about: undefined, count: states["outdated"] ?? 0, tone: "warn" as const },
  ];
  return (
    <>
      <ul class="column">
        {rows
          .filter(({ count }) => count > 0)
          .map(({ name, about, count, tone }) => (
            <li key={name}>
              <p class="row apart shares">
                <span>
                  <span class={about === undefined ? "" : "mono"}>{name}</span> <span class="quiet">{about}</span>
                </span>
                <b>{count}</b>
              </p>
              <Bar parts={[{ tone, percent: pods === 0 ? 0 : (100 * count) / pods }]} />
            </li>
          ))}
      </ul>
      {outdated.length === 0 ? (
        <p>
          <Badge tone="good">{say("running.current", { count: pods })}</Badge>
        </p>
      ) : (
        <details>
          <summary>{say("running.differ", { count: outdatedWorkloads })}</summary>
          <ul class="paths">
            {outdated.map(({ namespace, name, pods: count, state: verdict, fields }) => (
              <li key={namespace + name}>
                <b>
                  {namespace}/{name}
                </b>{" "}
                <span class="quiet">
                  {say("running.pods", { count })} · {sayName("state", verdict)}
                  {fields.length > 0 && ` · ${fields.slice(0, MOST_FIELDS).join(", ")}`}
                </span>
              </li>
            ))}
          </ul>
          <p class="quiet">{say("running.restart")}</p>
        </details>
      )}
    </>
  );
}

const MOST_FIELDS = 3;
