// The moves of all channels as a timeline, each with what it changed, and any two releases next to each other.

import { useSignal } from "@preact/signals";
import { Button } from "../../component/controls.tsx";
import { Ago } from "../../model/clock.tsx";
import { say } from "../../text/say.ts";
import type { ChannelState, ReleasesState } from "../../wire.ts";

export interface HistoryListProps {
  readonly state: ReleasesState;
  readonly onCompare: (before: string, after: string) => void;
}

type ChannelMove = ChannelState["history"][number];

interface Entry extends ChannelMove {
  readonly channel: string;
}

export function HistoryList({ state: { channels }, onCompare }: HistoryListProps) {
  const shown = useSignal("");
  const entries = Object.entries(channels)
    .filter(([name]) => shown.value === "" || shown.value === name)
    .flatMap(([channel, { history }]) => history.map((move) => ({ ...move, channel })))
    .toSorted((a, b) => (a.at < b.at ? 1 : -1));
  return (
    <section class="card" aria-label={say("history")}>
      <div class="card-head">
        <h2>{say("history")}</h2>
        <select
          aria-label={say("history.channel")}
          value={shown.value}
          onChange={({ currentTarget }) => {
            shown.value = currentTarget.value;
          }}
        >
          <option value="">{say("history.all")}</option>
          {Object.keys(channels).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <Comparison releases={[...new Set(entries.map(({ release }) => release))]} onCompare={onCompare} />
      <ol class="timeline history">
        {entries.map((entry) => (
          <HistoryEntry key={entry.channel + entry.at + entry.action} entry={entry} onCompare={onCompare} />
        ))}
      </ol>
    </section>
  );
}

const TONES: Readonly<Record<string, string>> = { publish: "good", promote: "accent", rollback: "bad" };

interface HistoryEntryProps {
  readonly entry: Entry;
  readonly onCompare: (before: string, after: string) => void;
}

function HistoryEntry({ entry, onCompare }: HistoryEntryProps) {
  const { channel, action, release, by, why, at, edits = [], changed, share } = entry;
  return (
    <li class={TONES[action] ?? ""}>
      <p>
        <b>{actionText(action)}</b> <code>{share?.release ?? release}</code> · {channel}
        {share !== undefined && ` · ${share.percent} %`}
      </p>
      <p class="quiet">
        {by} · <Ago at={at} />
        {why !== "" && ` · ${why}`}
        {edits.length > 0 && ` · ${edits.join(", ")}`}
        {changed !== undefined && (
          <>
            {" · "}
            <Button tone="link" onClick={() => onCompare(changed.before, changed.after)}>
              {say("history.changed")}
            </Button>
          </>
        )}
      </p>
    </li>
  );
}

function actionText(action: string): string {
  return action in ACTIONS ? say(ACTIONS[action as keyof typeof ACTIONS]) : action;
}

const ACTIONS = {
  publish: "did.publish",
  promote: "did.promote",
  rollback: "did.rollback",
  pin: "did.pin",
  unpin: "did.unpin",
} as const;

interface ComparisonProps {
  readonly releases: readonly string[];
  readonly onCompare: (before: string, after: string) => void;
}

function Comparison({ releases, onCompare }: ComparisonProps) {
  const before = useSignal<string | undefined>(undefined);
  const after = useSignal<string | undefined>(undefined);
  if (releases.length < 2) return null;
  const [newest = "", next = ""] = releases;
  const [left, right] = [before.value ?? next, after.value ?? newest];
  return (
    <div class="actions">
      {[
        { label: say("compare.before"), chosen: before, value: left },
        { label: say("compare.after"), chosen: after, value: right },
      ].map(({ label, chosen, value }) => (
        <select
          key={label}
          aria-label={label}
          value={value}
          onChange={({ currentTarget }) => {
            chosen.value = currentTarget.value;
          }}
        >
          {releases.map((release) => (
            <option key={release}>{release}</option>
          ))}
        </select>
      ))}
      <Button disabled={left === right} onClick={() => onCompare(left, right)}>
        {say("compare")}
      </Button>
    </div>
  );
}
