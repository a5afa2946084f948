// A page to keep open: what each channel serves and how it came there, what may be done with it, and what pods have: a release is live
// within seconds for new pods, and never for those that run.

import { Badge, Bar, EmptyState, FailureText, Table } from "../../component/controls.tsx";
import { Ago, agoOf, now } from "../../model/clock.tsx";
import { isLost, lookedAt } from "../../model/connection.ts";
import { releases, running } from "../../model/releases.ts";
import { workspace } from "../../model/state.ts";
import { say, sayName } from "../../text/say.ts";
import type { ReleasesState, RunningState } from "../../wire.ts";
import { FindingsItems } from "../findings-and-impact.tsx";
import { FlowView } from "./flow-view.tsx";
import { HistoryList } from "./history-list.tsx";
import { Rings } from "./rings.tsx";

export function ReleasesPage() {
  const state = releases.value;
  if (state === undefined) return <main class="releases quiet">{say("releases.reading")}</main>;
  return (
    <main class="releases">
      <div class="column">
        <div class="row">
          <h2 tabIndex={-1}>{say("channels")}</h2>
          <Age />
        </div>
        {state.refused.length > 0 && (
          <section class="banner bad" aria-label={say("releases.refused")}>
            <p>{say("releases.refused")}</p>
            <FindingsItems findings={state.refused} />
          </section>
        )}
        <FlowView state={state} />
        <Rings />
      </div>
      <HistoryList flow={state.flow} />
      <div class="column releases-side">
        <RunningPods />
        <ClustersTable clusters={state.clusters} />
      </div>
    </main>
  );
}

/** Milliseconds after which a page is not live any more: the server looks every 3 seconds, and says so every 5. */
const OLD = 20_000;

function Age() {
  const isOld = isLost.value || now.value - lookedAt.value > OLD;
  const ago = agoOf(Math.min(lookedAt.value, now.value));
  return <Badge tone={isOld ? "warn" : "good"}>{say(isOld ? "age.old" : "age.live", { ago })}</Badge>;
}

function ClustersTable({ clusters }: Pick<ReleasesState, "clusters">) {
  return (
    <section class="column card" aria-label={say("clusters")}>
      <h2>{say("clusters")}</h2>
      <Table
        head={[say("cluster"), say("revisions"), say("tokens")]}
        rows={Object.entries(clusters).map(([name, { revisions, tokens }]) => [
          name,
          Object.entries(revisions)
            .map(([revision, channel]) => `${revision} → ${channel}`)
            .join(", "),
          tokens.map((at) => (
            <p key={at}>
              <Ago at={at} />
            </p>
          )),
        ])}
      />
    </section>
  );
}

function RunningPods() {
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
      <RunningContent />
    </section>
  );
}

function RunningContent() {
  const { value } = running;
  return value === undefined || "words" in value ? <RunningUnknown /> : <RunningCounts running={value} />;
}

/** The reason why it is not known what pods have. */
export function RunningUnknown() {
  const { value } = running;
  if (workspace.value.cluster === null) {
    return (
      <EmptyState title={say("running.none")}>
        <code>outrigger studio --deployment … --context …</code>
      </EmptyState>
    );
  }
  if (value === undefined || !("words" in value)) return <p class="quiet">{say("running.reading")}</p>;
  return (
    <p class="banner">
      <FailureText word="running.unknown" failure={value} />
    </p>
  );
}

function RunningCounts({ running }: { readonly running: RunningState }) {
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
