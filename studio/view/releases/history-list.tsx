// The changes of all channels by day, each with its way; found by words, and by when something was last done about them.

import { Fragment } from "preact";
import { loadHistory } from "../../actions/loading.ts";
import { Button, EmptyState, fieldOf, setting } from "../../component/controls.tsx";
import { addressOf } from "../../model/address.ts";
import { Ago, dayOf, now } from "../../model/clock.tsx";
import { reportFailure } from "../../model/notice.ts";
import {
  changes,
  HISTORY_RANGES,
  type HistoryRange,
  historyRange,
  historyWords,
  wholeHistory,
} from "../../model/releases.ts";
import { say, sayName } from "../../text/say.ts";
import type { ReleaseChange } from "../../wire.ts";
import { Journey, stationsOf, titleOf } from "./journey.tsx";

/** Milliseconds. */
const HOUR = 3_600_000;

export function HistoryList({ flow }: { readonly flow: readonly string[] }) {
  const words = historyWords.value.toLowerCase().split(/\s+/);
  const since = now.value - HISTORY_RANGES[historyRange.value] * HOUR;
  const shown = changes.value.filter((change) => {
    const text = textsOf(change).join("\n").toLowerCase();
    return Date.parse(latestOf(change)) >= since && words.every((word) => text.includes(word));
  });
  return (
    <section class="column card" aria-label={say("history")}>
      <div class="row card-head">
        <h2>{say("history")}</h2>
        <div class="row last">
          <input
            type="search"
            aria-label={say("history.find")}
            placeholder={say("history.find")}
            {...fieldOf(historyWords)}
          />
          <fieldset class="row ranges" aria-label={say("history.range")}>
            {(Object.keys(HISTORY_RANGES) as HistoryRange[]).map((name) => (
              <Button
                key={name}
                tone="quiet"
                aria-pressed={historyRange.value === name}
                onClick={setting(historyRange, name)}
                text={say(`history.range.${name}`)}
              />
            ))}
          </fieldset>
        </div>
      </div>
      {shown.length === 0 && <EmptyState title={say("history.none")} />}
      <ol class="timeline history">
        {shown.map((change, at) => {
          const day = dayOf(latestOf(change));
          const before = shown[at - 1];
          return (
            <Fragment key={change.release}>
              {(before === undefined || dayOf(latestOf(before)) !== day) && (
                <li class="day">
                  <b>{day}</b>
                </li>
              )}
              <ChangeEntry change={change} flow={flow} />
            </Fragment>
          );
        })}
      </ol>
      {wholeHistory.value === undefined && (
        <Button tone="link" onClick={() => void loadHistory().catch(reportFailure)} text={say("history.older")} />
      )}
    </section>
  );
}

function latestOf({ at, steps }: ReleaseChange): string {
  return steps.at(-1)?.at ?? at;
}

function textsOf({ release, edits, steps }: ReleaseChange): readonly string[] {
  return [
    release,
    ...edits,
    ...steps.flatMap(({ why, by, channel, action }) => [why, by, channel, sayName("did", action)]),
  ];
}

interface ChangeEntryProps {
  readonly change: ReleaseChange;
  readonly flow: readonly string[];
}

function ChangeEntry({ change, flow }: ChangeEntryProps) {
  const { release, by, edits, steps } = change;
  const last = steps.at(-1);
  const states = stationsOf(change, flow).map(({ state }) => state);
  const tone = states.includes("taken-back") ? "bad" : states.some((state) => state === "all" || state === "part");
  return (
    <li class={tone === true ? "good" : tone === false ? "" : tone}>
      <p class="row">
        <a href={addressOf({ page: "change", change: release })}>
          <b>{titleOf(change)}</b>
        </a>
        <Journey change={change} flow={flow} />
      </p>
      <p class="quiet">
        {by}
        {edits.length > 0 && ` · ${edits.join(", ")}`}
        {last !== undefined && (
          <>
            {" · "}
            {sayName("did", last.action)} {last.channel} <Ago at={last.at} />
          </>
        )}
      </p>
    </li>
  );
}
