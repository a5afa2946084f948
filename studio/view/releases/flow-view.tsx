// The way of a release: from the source tree through the channels, each joined to the next by what promotes it. A channel says what it
// serves and why, how its share goes, what waits, and what may be done: one thing first, the rest in a menu.

import { type ComponentChildren, Fragment, type TargetedFocusEvent, type TargetedKeyboardEvent } from "preact";
import { planning } from "../../actions/moving.ts";
import { Badge, Button, EmptyState } from "../../component/controls.tsx";
import { Told } from "../../component/told.tsx";
import { Ago } from "../../model/clock.tsx";
import { FIRST_SHARE } from "../../model/releases.ts";
import { say, sayName } from "../../text/say.ts";
import { CANARY, type ChannelState, type Move, type NamedRelease, type ReleasesState } from "../../wire.ts";
import { shortName } from "../move-sheet.tsx";
import { LeftPods } from "./left-pods.tsx";
import { RolloutActions, RolloutView } from "./rollout-view.tsx";

export function FlowView({ state }: { readonly state: ReleasesState }) {
  const { flow, channels, publishTo } = state;
  return (
    <div class="flow">
      <SourceCard state={state} />
      {flow.map((name, at) => {
        const before = flow[at - 1];
        return (
          <Fragment key={name}>
            <div class="column flow-arrow">
              {before !== undefined && <Promotion from={before} to={name} channels={channels} />}
              <span aria-hidden="true">→</span>
            </div>
            <ChannelCard name={name} state={state} />
          </Fragment>
        );
      })}
      {flow.length === 1 && publishTo !== CANARY && (
        <EmptyState title={say("flow.straight")}>
          <Button
            onClick={planning({ action: "set-channel", channel: CANARY })}
            text={say("move.create-canary", { channel: CANARY })}
          />
        </EmptyState>
      )}
    </div>
  );
}

interface PromotionProps extends Pick<ReleasesState, "channels"> {
  readonly from: string;
  readonly to: string;
}

/** What was taken back is offered again, and never first. */
export function Promotion({ from, to, channels }: PromotionProps) {
  const { isAhead = false, isTakenBack = false } = channels[from] ?? {};
  const { share } = channels[to] ?? {};
  if (!isAhead) {
    const word = share === undefined ? "promote.same" : "promote.share";
    return <small>{say(word, { channel: to, percent: share?.percent ?? 0 })}</small>;
  }
  const promote = planning({ action: "promote", from, to, share: FIRST_SHARE });
  if (!isTakenBack) return <Button tone="primary" onClick={promote} text={say("move.promote")} />;
  return (
    <>
      <small>{say("promote.taken-back", { channel: to })}</small>
      <Button onClick={promote} text={say("move.promote.again")} />
    </>
  );
}

/** The edits that are saved and not published, and what keeps them. */
function SourceCard({ state }: { readonly state: ReleasesState }) {
  const { unpublished, difference, edits, editsWait, publishTo: channel } = state;
  // What is held is accepted, and so published, at its channel's card; errors are shown above.
  const isPublishable = edits !== "held" && edits !== "refused" && (unpublished.length > 0 || difference !== null);
  return (
    <section class="column card source" aria-label={say("source")}>
      <div class="row card-head">
        <h3>{say("source")}</h3>
        {editsWait !== null && <Badge tone="warn">{say(`status.${editsWait}`, { channel })}</Badge>}
      </div>
      {edits === "taken-back" && <p class="toned warn">{say("source.taken-back", { channel })}</p>}
      {unpublished.length > 0 ? (
        <div>
          <p>{say("unpublished", { count: unpublished.length })}</p>
          <ul>
            {unpublished.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </div>
      ) : (
        <p class="quiet" lang={difference === null ? undefined : "en"}>
          {difference ?? say("unpublished.none")}
        </p>
      )}
      {isPublishable && (
        <p class="row actions">
          <Button
            {...(edits !== "taken-back" && { tone: "primary" })}
            onClick={planning({ action: "publish" })}
            text={say("move.publish")}
          />
        </p>
      )}
    </section>
  );
}

function ChannelCard({ name, state }: { readonly name: string; readonly state: ReleasesState }) {
  const record = state.channels[name] as ChannelState;
  const { pinned, share, rollout, approval, serves } = record;
  const pin = pinned ? "unpin" : "pin";
  const clusters = Object.values(state.clusters).filter(({ revisions }) => Object.values(revisions).includes(name));
  return (
    <section class="column card channel" aria-label={name}>
      <div class="row card-head">
        <h3>{name}</h3>
        {state.publishTo === name && <Badge tone="accent">{say("channel.edits")}</Badge>}
        {pinned && <Badge tone="warn">{say("pinned")}</Badge>}
        {rollout !== undefined && <Badge tone="accent">{say("channel.rolling")}</Badge>}
        {approval === true && <Badge>{say("channel.approval")}</Badge>}
        <span class="quiet last">{say("channel.clusters", { count: clusters.length })}</span>
        <Menu>
          <Button tone="quiet" onClick={planning({ action: pin, channel: name })} text={say(`move.${pin}`)} />
          {state.publishTo !== name && (
            <Button
              tone="quiet"
              onClick={planning({ action: "set-channel", channel: name })}
              text={say("move.edits-here")}
            />
          )}
        </Menu>
      </div>
      <ReleaseTitle release={serves} />
      <RolloutView name={name} record={record} />
      <RolloutActions name={name} record={record} />
      {clusters.length > 0 && <LeftPods name={name} record={record} />}
      <Waiting name={name} record={record} />
      {share === undefined && <BackButton name={name} record={record} />}
    </section>
  );
}

/** The title of a release: its reason first, then its digest, which is small, and there to be copied. */
function ReleaseTitle({ release: { release, why, by, at } }: { readonly release: NamedRelease }) {
  return (
    <div>
      {why !== "" && <b class="release">{why}</b>}
      <p class="quiet">
        <code>{release}</code>{" "}
        <Button tone="link" onClick={() => void navigator.clipboard?.writeText(release)} text={say("copy")} /> {by}{" "}
        {at !== "" && <Ago at={at} />}
      </p>
    </div>
  );
}

/** A menu of actions that are seldom wanted. */
function Menu({ children }: { readonly children: ComponentChildren }) {
  const close = ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    currentTarget.closest("details")?.removeAttribute("open");
  };
  const closeByKey = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.key !== "Escape" || !event.currentTarget.hasAttribute("open")) return;
    close(event);
    event.currentTarget.querySelector("summary")?.focus();
  };
  const closeBehind = (event: TargetedFocusEvent<HTMLElement>) => {
    const { relatedTarget, currentTarget } = event;
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) close(event);
  };
  return (
    <details class="menu" onKeyDown={closeByKey} onFocusOut={closeBehind}>
      <summary aria-label={say("menu")}>⋯</summary>
      {/* In Safari, a click on a button focuses what is around it: without a tab index, that would be behind the menu. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its buttons are what is clicked; the menu closes with them */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a key on a button is a click */}
      <div class="column" tabIndex={-1} onClick={close}>
        {children}
      </div>
    </details>
  );
}

interface PartProps {
  readonly name: string;
  readonly record: ChannelState;
}

export function BackButton({ name, record: { back } }: PartProps) {
  if (back === undefined) return null;
  return (
    <p class="row actions">
      <Button
        tone="danger"
        title={back.release}
        onClick={planning({ action: "rollback", channel: name })}
        text={say("move.rollback.to", { release: shortName(back.release) })}
      />
      <span class="quiet">
        {back.why} {back.at !== "" && <Ago at={back.at} />}
      </span>
    </p>
  );
}

/** A promotion that another person approves, or an edit that is held. */
function Waiting({ name, record: { proposal } }: PartProps) {
  if (proposal === undefined) return null;
  const { from, release, by, why, at, held } = proposal;
  const isEdit = held !== undefined;
  const move: Move = isEdit ? { action: "publish" } : { action: "promote", from, to: name, approve: true };
  return (
    <div class="column empty">
      <p>
        <Badge tone="warn">{say("waiting.person")}</Badge>{" "}
        {isEdit ? say("waiting.edit") : say("waiting.promotion", { from, release: shortName(release) })}
      </p>
      <p class="quiet">
        {why !== "" && `${why} · `}
        {by} · <Ago at={at} />
      </p>
      {held?.map(({ name: effect, example }) => (
        <p key={effect}>
          {sayName("effect", effect)} <code>{effect}</code>{" "}
          <span class="quiet">
            <Told text={example} />
          </span>
        </p>
      ))}
      <p>
        <Button tone="primary" onClick={planning(move)} text={say(isEdit ? "move.accept" : "move.approve")} />
      </p>
    </div>
  );
}
