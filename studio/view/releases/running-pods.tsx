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
          <span class="quiet last">
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

function Counts({ running }: { readonly running: RunningState }) {
  const { pods, releases, states, outdated, outdatedWorkloads } = running;
  const older = releases.reduce((sum, { channel, pods: count }) => (channel === undefined ? sum + count : sum), 0);
  const rows = [
    ...releases.flatMap(({ release, channel, pods: count }) =>
      channel === undefined ? [] : [[release, channel, count, "accent"] as const],
    ),
    [say("running.older"), "", older, "neutral"] as const,
    [say("running.missing"), "", states["missing"] ?? 0, "bad"] as const,
    [say("running.outdated"), "", states["outdated"] ?? 0, "warn"] as const,
  ];
  return (
    <>
      <ul class="column">
        {rows.map(
          ([name, about, count, tone]) =>
            count > 0 && (
              <li key={name}>
                <p class="row apart">
                  <span>
                    <span class={about === "" ? "" : "mono"}>{name}</span> <span class="quiet">{about}</span>
                  </span>
                  <b>{count}</b>
                </p>
                <Bar parts={[[tone, (100 * count) / pods]]} />
              </li>
            ),
        )}
      </ul>
      {outdated.length === 0 ? (
        <p>
          <Badge tone="good">{say("running.current", { count: pods })}</Badge>
        </p>
      ) : (
        <details>
          <summary>{say("running.differ", { count: outdatedWorkloads })}</summary>
          <ul class="column">
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
