// The moves of all channels by day, each with what it changed; two of them next to each other.

import { type Signal, useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { loadHistory } from "../../actions/loading.ts";
import { compareReleases } from "../../actions/moving.ts";
import { Button, Options } from "../../component/controls.tsx";
import { Ago, dayOf } from "../../model/clock.tsx";
import { reportFailure } from "../../model/notice.ts";
import { wholeHistory } from "../../model/releases.ts";
import { say, sayName } from "../../text/say.ts";
import type { ChannelState, ReleasesState } from "../../wire.ts";
import { shortName } from "../move-sheet.tsx";

interface Entry extends Pick<ChannelState, "release"> {
  readonly id: string;
  readonly channel: string;
  readonly move: ChannelState["history"][number];
}

const FILTERS = ["channel", "by", "action"] as const;

const NO_FILTERS: Readonly<Record<(typeof FILTERS)[number], string>> = { channel: "", by: "", action: "" };

export function HistoryList({ channels }: Pick<ReleasesState, "channels">) {
  const filters = useSignal(NO_FILTERS);
  const chosen = useSignal<readonly Entry[]>([]);
  const all = Object.entries(channels)
    .flatMap(([channel, { history }]) =>
      movesOf(history, wholeHistory.value[channel]).map((move): Entry => {
        return { id: channel + move.at + move.action, channel, move, release: move.share?.release ?? move.release };
      }),
    )
    .toSorted(latestFirst);
  const shown = all.filter((entry) =>
    FILTERS.every((name) => ["", fieldOf(entry, name)].includes(filters.value[name])),
  );
  const valuesOf = (name: (typeof FILTERS)[number]) => [...new Set(all.map((entry) => fieldOf(entry, name)))];
  const [newer, older] = chosen.value.toSorted(latestFirst);
  return (
    <section class="column card" aria-label={say("history")}>
      <div class="row card-head">
        <h2>{say("history")}</h2>
        <div class="row last">
          {FILTERS.map((name) => (
            <select
              key={name}
              aria-label={say(`history.${name}`)}
              value={filters.value[name]}
              onChange={({ currentTarget: { value } }) => {
                filters.value = { ...filters.value, [name]: value };
              }}
            >
              <option value="">{say(`history.${name}.all`)}</option>
              <Options of={valuesOf(name).map((value) => [value, name === "action" ? sayName("did", value) : value])} />
            </select>
          ))}
          <Button
            disabled={newer === undefined || older === undefined}
            title={say("compare.how")}
            onClick={() => newer && older && void compareReleases({ before: older.release, after: newer.release })}
            text={say("compare")}
          />
        </div>
      </div>
      <ol class="timeline history">
        {shown.map((entry, at) => {
          const day = dayOf(entry.move.at);
          const before = shown[at - 1];
          return (
            <Fragment key={entry.id}>
              {(before === undefined || dayOf(before.move.at) !== day) && (
                <li class="day">
                  <b>{day}</b>
                </li>
              )}
              <HistoryEntry entry={entry} chosen={chosen} />
            </Fragment>
          );
        })}
      </ol>
      {Object.keys(wholeHistory.value).length === 0 && (
        <Button tone="link" onClick={() => void loadHistory().catch(reportFailure)} text={say("history.older")} />
      )}
    </section>
  );
}

function latestFirst(one: Entry, other: Entry): number {
  return one.move.at < other.move.at ? 1 : -1;
}

/** What was read once, and the moves since. */
function movesOf(latest: ChannelState["history"], whole: ChannelState["history"] = []): ChannelState["history"] {
  const [newest] = whole;
  return newest === undefined ? latest : [...latest.filter(({ at }) => at > newest.at), ...whole];
}

function fieldOf({ channel, move }: Entry, name: (typeof FILTERS)[number]): string {
  return name === "channel" ? channel : move[name];
}

const TONES: Readonly<Record<string, string>> = { publish: "good", promote: "accent", abort: "bad", rollback: "bad" };

function HistoryEntry({ entry, chosen }: { readonly entry: Entry; readonly chosen: Signal<readonly Entry[]> }) {
  const { id, channel, release, move } = entry;
  const { action, by, why, at, edits = [], changed, share } = move;
  return (
    <li class={TONES[action] ?? ""}>
      <p>
        <label>
          <input
            type="checkbox"
            aria-label={say("compare.choose", { release: shortName(release) })}
            checked={chosen.value.some((one) => one.id === id)}
            onChange={({ currentTarget }) => {
              const others = chosen.value.filter((one) => one.id !== id);
              // The third takes the place of the first.
              chosen.value = currentTarget.checked ? [...others.slice(-1), entry] : others;
            }}
          />
        </label>{" "}
        <b>{sayName("did", action)}</b> <code title={release}>{shortName(release)}</code> · {channel}
        {share !== undefined && ` · ${share.percent} %`}
      </p>
      <p class="quiet">
        {by} · <Ago at={at} />
        {why !== "" && ` · ${why}`}
        {edits.length > 0 && ` · ${edits.join(", ")}`}
        {changed !== undefined && (
          <>
            {" · "}
            <Button tone="link" onClick={() => void compareReleases(changed)} text={say("history.changed")} />
          </>
        )}
      </p>
    </li>
  );
}
