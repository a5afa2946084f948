// A page per change, with an address that can be passed on: why it was made and by whom, what it edits and does to pods, its way through
// the channels, how it does, where it runs, and what can be done about it.

import { useEffect } from "preact/hooks";
import { loadHistory } from "../../actions/loading.ts";
import { planning, readEffect } from "../../actions/moving.ts";
import { Bar, Button, EmptyState } from "../../component/controls.tsx";
import { addressOf } from "../../model/address.ts";
import { Ago } from "../../model/clock.tsx";
import { reportFailure } from "../../model/notice.ts";
import { changes, releases, running, shownChange, shownEffect, wholeHistory } from "../../model/releases.ts";
import { say, sayName } from "../../text/say.ts";
import type { ChangePlace, ReleaseChange, ReleasesState } from "../../wire.ts";
import { PlannedImpactView } from "../findings-and-impact.tsx";
import { BackButton, Promotion } from "../releases/flow-view.tsx";
import { Journey, titleOf } from "../releases/journey.tsx";
import { LeftPods, RestartHint } from "../releases/left-pods.tsx";
import { RunningUnknown } from "../releases/releases-page.tsx";
import { Rings } from "../releases/rings.tsx";
import { RolloutActions, RolloutView } from "../releases/rollout-view.tsx";
import { SourceTexts } from "../source-texts.tsx";

export function ChangePage() {
  const state = releases.value;
  const change = new Map(changes.value.map((one) => [one.release, one])).get(shownChange.value);
  const isSought = change === undefined && wholeHistory.value === undefined;
  useEffect(() => {
    // An older one is looked for among all that are kept.
    if (state !== undefined && isSought) void loadHistory().catch(reportFailure);
  }, [state !== undefined && isSought]);
  return (
    <main class="releases change">
      <nav class="row" aria-label={say("change.place")}>
        <a href={addressOf({ page: "releases" })}>{say("change.all")}</a>
      </nav>
      {state === undefined || isSought ? (
        <p class="quiet">{say("releases.reading")}</p>
      ) : change === undefined ? (
        <EmptyState title={say("change.unknown", { release: shownChange.value })} />
      ) : (
        <ChangeView key={change.release} change={change} state={state} />
      )}
    </main>
  );
}

interface ChangeProps {
  readonly change: ReleaseChange;
  readonly state: ReleasesState;
}

function ChangeView({ change, state }: ChangeProps) {
  const { release, by, at, changed } = change;
  const pair = changed === undefined ? "" : `${changed.before} ${changed.after}`;
  useEffect(() => {
    if (changed !== undefined) void readEffect(changed);
  }, [pair]);
  return (
    <>
      <section class="column card" aria-label={say("change")}>
        <div class="row card-head">
          <h2 tabIndex={-1}>{titleOf(change)}</h2>
          <Actions change={change} state={state} />
        </div>
        <p class="quiet about">
          <code>{release}</code>{" "}
          <Button tone="link" onClick={() => void navigator.clipboard?.writeText(release)} text={say("copy")} /> {by}{" "}
          {at !== "" && <Ago at={at} />}
        </p>
        <Journey change={change} flow={state.flow} isWhole />
        <Rings />
        {recordsOf(change.places.filter(isShared), state).map(([channel, record]) => (
          <RolloutView key={channel} name={channel} record={record} />
        ))}
      </section>
      <WhatItChanges change={change} />
      <div class="column">
        <WhereItRuns change={change} state={state} />
        <Steps change={change} />
      </div>
    </>
  );
}

function isShared({ isShare }: ChangePlace): boolean {
  return isShare;
}

/** The channels of places, each with what is known of it. */
function recordsOf(places: readonly ChangePlace[], { channels }: Pick<ReleasesState, "channels">) {
  return places.flatMap(({ channel }) => {
    const record = channels[channel];
    return record === undefined ? [] : [[channel, record] as const];
  });
}

/** What can be done: the next step of its share, or for what a channel serves, the way back, or to serve it again. */
function Actions({ change: { release, places }, state }: ChangeProps) {
  const { flow, channels } = state;
  const last = flow.at(-1);
  const whole = places.filter(({ isShare }) => !isShare).map(({ channel }) => channel);
  const ahead = whole.filter((channel) => channels[channel]?.isAhead === true).at(-1);
  const to = ahead === undefined ? undefined : flow[flow.indexOf(ahead) + 1];
  const served = last !== undefined && whole.includes(last) ? channels[last] : undefined;
  return (
    <div class="row actions last">
      {recordsOf(places.filter(isShared), state).map(([channel, record]) => (
        <RolloutActions key={channel} name={channel} record={record} />
      ))}
      {last !== undefined && served !== undefined && served.share === undefined && (
        <BackButton name={last} record={served} />
      )}
      {ahead !== undefined && to !== undefined && channels[to]?.share === undefined && (
        <Promotion from={ahead} to={to} channels={channels} />
      )}
      {places.length === 0 && last !== undefined && (
        <Button onClick={planning({ action: "rollback", channel: last, release })} text={say("change.again")} />
      )}
    </div>
  );
}

function WhatItChanges({ change: { changed, edits } }: Pick<ChangeProps, "change">) {
  const { texts, impact } = shownEffect.value;
  return (
    <section class="column card" aria-label={say("change.what")}>
      <div class="row card-head">
        <h2>{say("change.what")}</h2>
        <span class="quiet last mono">{edits.join(", ")}</span>
      </div>
      {changed === undefined ? (
        <p class="quiet">{say("change.first")}</p>
      ) : (
        <>
          {texts === null && <p class="quiet">{say("change.texts.none")}</p>}
          {texts != null && <SourceTexts title={say("change.texts")} texts={texts} />}
          <h3>{say("effects")}</h3>
          <PlannedImpactView impact={impact} />
        </>
      )}
    </section>
  );
}

function WhereItRuns({ change: { release, places }, state }: ChangeProps) {
  const { value } = running;
  const known = value === undefined || "words" in value ? undefined : value;
  const counts = new Map(known?.releases.map((one) => [one.release, one.pods]));
  const count = counts.get(release) ?? 0;
  return (
    <section class="column card" aria-label={say("change.where")}>
      <h2>{say("change.where")}</h2>
      {known === undefined ? (
        <RunningUnknown />
      ) : (
        <>
          <p>{say("change.where.pods", { count, all: known.pods, name: known.cluster })}</p>
          <Bar parts={[["accent", (100 * count) / Math.max(1, known.pods)]]} />
          {places.length === 0 && count > 0 && (
            <RestartHint text={say("change.where.left", { count })} command={known.restart} />
          )}
        </>
      )}
      {recordsOf(places, state).map(([channel, record]) => (
        <LeftPods key={channel} name={channel} record={record} />
      ))}
    </section>
  );
}

/** What was done about it: the latest first. */
function Steps({ change: { steps } }: Pick<ChangeProps, "change">) {
  return (
    <section class="column card" aria-label={say("change.steps")}>
      <h2>{say("change.steps")}</h2>
      <ol class="timeline">
        {steps.toReversed().map(({ channel, action, by, why, at, percent }) => (
          <li key={channel + action + at} class={TONES[action] ?? ""}>
            <p>
              <b>{sayName("did", action)}</b> {channel}
              {percent !== undefined && ` · ${percent} %`}
            </p>
            <p class="quiet">
              {by} · <Ago at={at} />
              {why !== "" && ` · ${why}`}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

const TONES: Readonly<Record<string, string>> = { publish: "good", promote: "accent", "take-back": "bad" };
