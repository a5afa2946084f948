// Channels with their history, clusters with what they are served from, and what can be done with a channel.

import { useSignal } from "@preact/signals";
import { planned, releases } from "../model/releases.ts";
import { say } from "../text/say.ts";
import type { ChannelState, Move } from "../wire.ts";
import { FindingsItems } from "./findings-list.tsx";
import { MoveDialog } from "./move-dialog.tsx";

export interface ReleasesPageProps {
  readonly onPlan: (move: Move) => void;
  readonly onMove: (move: Move, message: string) => void;
}

export function ReleasesPage({ onPlan, onMove }: ReleasesPageProps) {
  const state = releases.value;
  if (state === undefined) return <main class="releases quiet">{say("waiting")}</main>;
  const channels = Object.entries(state.channels);
  return (
    <main class="releases" aria-label={say("page.releases")}>
      <p>
        <button type="button" class="primary" onClick={() => onPlan({ action: "publish" })}>
          {say("move.publish")}
        </button>{" "}
        {state.difference !== null && <span class="warning">{state.difference}</span>}
      </p>
      {state.refused.length > 0 && (
        <section class="findings" aria-label={say("releases.refused")}>
          <p>{say("releases.refused")}</p>
          <FindingsItems findings={state.refused} />
        </section>
      )}
      {channels.map(([name, record]) => (
        <Channel key={name} name={name} record={record} names={channels.map(([one]) => one)} onPlan={onPlan} />
      ))}
      <h2>{say("clusters")}</h2>
      <table>
        <thead>
          <tr>
            <th>{say("cluster")}</th>
            <th>{say("revisions")}</th>
            <th>{say("tokens")}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(state.clusters).map(([name, { revisions, tokens }]) => (
            <tr key={name}>
              <td>{name}</td>
              <td>
                {Object.entries(revisions)
                  .map(([revision, channel]) => `${revision} → ${channel}`)
                  .join(", ")}
              </td>
              <td>
                {tokens.map((at, index) => (
                  <span key={at}>
                    {index > 0 && ", "}
                    <time dateTime={at} title={dateOf(at)}>
                      {agoOf(at)}
                    </time>
                  </span>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {planned.value !== undefined && <MoveDialog move={planned.value} onMove={onMove} />}
    </main>
  );
}

interface ChannelProps {
  readonly name: string;
  readonly record: ChannelState;
  readonly names: readonly string[];
  readonly onPlan: (move: Move) => void;
}

function Channel({ name, record: { release, pinned, share, history }, names, onPlan }: ChannelProps) {
  const others = names.filter((other) => other !== name);
  const target = useSignal(others[0] ?? "");
  const earlier = history.find((move) => move.release !== release);
  return (
    <section class="channel" aria-label={name}>
      <h2>
        {name} <code>{release}</code> {pinned && <span class="badge warnings">{say("pinned")}</span>}
        {share !== undefined && <span class="badge warnings">{say("share.of", share)}</span>}
      </h2>
      <p class="buttons">
        {earlier !== undefined && (
          <button type="button" onClick={() => onPlan({ action: "rollback", channel: name, release: earlier.release })}>
            {say("move.rollback", { release: earlier.release })}
          </button>
        )}
        {pinned ? (
          <button type="button" onClick={() => onPlan({ action: "unpin", channel: name })}>
            {say("move.unpin")}
          </button>
        ) : (
          <button type="button" onClick={() => onPlan({ action: "pin", channel: name, release })}>
            {say("move.pin")}
          </button>
        )}
        {others.length > 0 && (
          <>
            <select
              aria-label={say("move.target")}
              value={target.value}
              onChange={({ currentTarget }) => {
                target.value = currentTarget.value;
              }}
            >
              {others.map((other) => (
                <option key={other}>{other}</option>
              ))}
            </select>
            <button type="button" onClick={() => onPlan({ action: "promote", from: name, to: target.value })}>
              {say("move.promote")}
            </button>
          </>
        )}
      </p>
      <ol class="history">
        {history.map(({ at, action, release: moved, by, why, edits }) => (
          <li key={at + action + moved}>
            <time dateTime={at}>{dateOf(at)}</time> {action} <code>{moved}</code> <span class="quiet">{by}</span> {why}
            {edits !== undefined && edits.length > 0 && <span class="quiet"> ({edits.join(", ")})</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

const DAY = 86_400_000;

/** `3 days ago`, `today`. */
function agoOf(at: string): string {
  const days = Math.floor((Date.now() - Date.parse(at)) / DAY);
  return new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" }).format(-days, "day");
}

function dateOf(at: string): string {
  return new Date(at).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
}
