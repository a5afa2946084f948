// The way of a release: from the source tree through the channels, each joined to the next by what promotes it.

import { Fragment } from "preact";
import { planning } from "../../actions/moving.ts";
import { Badge, Button, EmptyState } from "../../component/controls.tsx";
import { FIRST_SHARE } from "../../model/releases.ts";
import { say } from "../../text/say.ts";
import type { ReleasesState } from "../../wire.ts";
import { ChannelCard } from "./channel-card.tsx";

/** A channel between the edits and the pods. */
const CANARY = "canary";

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
              {before !== undefined &&
                (channels[before]?.isAhead === true ? (
                  <Button
                    tone="primary"
                    onClick={planning({ action: "promote", from: before, to: name, share: FIRST_SHARE })}
                    text={say("move.promote")}
                  />
                ) : (
                  <small>{say("promote.same", { channel: name })}</small>
                ))}
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

/** What is saved and not published, and what keeps it. */
function SourceCard({ state }: { readonly state: ReleasesState }) {
  const { unpublished, difference, edits, editsWait, publishTo: channel } = state;
  // What is held is accepted, and so published, at its channel's card; errors are shown above.
  const isPublishable = !["held", "refused"].includes(edits) && (unpublished.length > 0 || difference !== null);
  return (
    <section class="column card source" aria-label={say("source")}>
      <div class="row card-head">
        <h3>{say("source")}</h3>
        {editsWait !== null && <Badge tone="warn">{say(`status.${editsWait}`, { channel })}</Badge>}
      </div>
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
          <Button tone="primary" onClick={planning({ action: "publish" })} text={say("move.publish")} />
        </p>
      )}
    </section>
  );
}
