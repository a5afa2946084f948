// One channel: what it serves and to how many, how its share goes, what waits, and what may be done.

import { Badge, Button } from "../../component/controls.tsx";
import { Ago } from "../../model/clock.tsx";
import { say } from "../../text/say.ts";
import type { ChannelState, Move, ReleasesState } from "../../wire.ts";
import { RolloutView } from "./rollout-view.tsx";

export interface ChannelCardProps {
  readonly name: string;
  readonly state: ReleasesState;
  readonly onPlan: (move: Move) => void;
}

export function ChannelCard({ name, state, onPlan }: ChannelCardProps) {
  const record = state.channels[name] as ChannelState;
  const { release, pinned, share, rollout, approval, history } = record;
  const takesEdits = state.publishTo === name;
  const [last] = history;
  const clusters = Object.values(state.clusters).filter(({ revisions }) => Object.values(revisions).includes(name));
  return (
    <section class="card channel" aria-label={name}>
      <div class="card-head">
        <h3>{name}</h3>
        {takesEdits && <Badge tone="accent">{say("channel.edits")}</Badge>}
        {pinned && <Badge tone="warn">{say("pinned")}</Badge>}
        {rollout !== undefined && <Badge tone="accent">{say("channel.rolling")}</Badge>}
        {approval === true && <Badge>{say("channel.approval")}</Badge>}
        <span class="quiet">{say("channel.clusters", { count: clusters.length })}</span>
      </div>
      <div>
        <p class="release mono">{release}</p>
        {last !== undefined && (
          <p class="quiet">
            {last.why !== "" && `${last.why} · `}
            {last.by} · <Ago at={last.at} />
          </p>
        )}
      </div>
      {share !== undefined && <RolloutView name={name} record={record} share={share} />}
      <Waiting name={name} record={record} onPlan={onPlan} />
      {takesEdits && <Unpublished state={state} record={record} />}
      <Actions name={name} state={state} record={record} onPlan={onPlan} />
    </section>
  );
}

interface PartProps {
  readonly name: string;
  readonly record: ChannelState;
  readonly onPlan: (move: Move) => void;
}

/** A promotion that another person approves, or an edit that is held. */
function Waiting({ name, record: { proposal }, onPlan }: PartProps) {
  if (proposal === undefined) return null;
  const { from, release, by, why, at, held } = proposal;
  return (
    <div class="waiting">
      <p>
        <Badge tone="warn">{say("waiting.person")}</Badge>{" "}
        {held === undefined ? say("waiting.promotion", { from, release }) : say("waiting.edit")}
      </p>
      <p class="quiet">
        {why !== "" && `${why} · `}
        {by} · <Ago at={at} />
      </p>
      {held?.map(({ name: effect, example }) => (
        <p key={effect}>
          <code>{effect}</code> <span class="quiet">{example}</span>
        </p>
      ))}
      <Button
        onClick={() =>
          onPlan(
            held === undefined
              ? { action: "promote", from, to: name, approve: true }
              : { action: "publish", accept: held.map((effect) => effect.name) },
          )
        }
      >
        {say(held === undefined ? "move.approve" : "move.accept")}
      </Button>
    </div>
  );
}

/** What is saved and not published. */
function Unpublished({ state, record }: { readonly state: ReleasesState; readonly record: ChannelState }) {
  const { unpublished, difference } = state;
  if (unpublished.length === 0) {
    return difference === null ? (
      <p class="quiet">{say("unpublished.none")}</p>
    ) : (
      <p class="quiet" lang="en">
        {difference}
      </p>
    );
  }
  return (
    <div>
      <p>
        {say("unpublished", { count: unpublished.length })}
        {record.pinned && ` ${say("unpublished.pinned")}`}
      </p>
      <ul class="paths">
        {unpublished.map((path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Percent of the workloads: all at once is chosen, never given. */
const FIRST_SHARE = 5;

interface ActionsProps extends PartProps {
  readonly state: ReleasesState;
}

function Actions({ name, state, record, onPlan }: ActionsProps) {
  const { pinned, share, rollout, back } = record;
  const next = state.flow[state.flow.indexOf(name) + 1];
  const isPublished = state.unpublished.length === 0 && state.difference === null;
  return (
    <div class="actions end">
      {share !== undefined && (
        <Button tone="danger" onClick={() => onPlan({ action: "step-rollout", channel: name, direction: "back" })}>
          {say("move.back")}
        </Button>
      )}
      {rollout !== undefined && (
        <Button onClick={() => onPlan({ action: "step-rollout", channel: name, direction: "next" })}>
          {say("move.next")}
        </Button>
      )}
      {back !== undefined && share === undefined && (
        <Button tone="danger" title={back.release} onClick={() => onPlan({ action: "rollback", channel: name })}>
          {say("move.rollback")}
        </Button>
      )}
      {pinned ? (
        <Button onClick={() => onPlan({ action: "unpin", channel: name })}>{say("move.unpin")}</Button>
      ) : (
        <Button onClick={() => onPlan({ action: "pin", channel: name })}>{say("move.pin")}</Button>
      )}
      {next !== undefined && (
        <Button onClick={() => onPlan({ action: "promote", from: name, to: next, share: FIRST_SHARE })}>
          {say("move.promote")}
        </Button>
      )}
      {state.publishTo === name && (
        <Button
          tone="primary"
          disabled={isPublished || state.refused.length > 0}
          title={isPublished ? say("unpublished.none") : undefined}
          onClick={() => onPlan({ action: "publish" })}
        >
          {say("move.publish")}
        </Button>
      )}
    </div>
  );
}
