// The channels that follow one another: what each takes next, after how long, and what holds it.

import { Badge, FailureText } from "../../component/controls.tsx";
import { Told } from "../../component/told.tsx";
import { durationOf } from "../../model/clock.tsx";
import { rings } from "../../model/releases.ts";
import { say } from "../../text/say.ts";
import type { RingState } from "../../wire.ts";

export function Rings() {
  const { value } = rings;
  if ("words" in value)
    return (
      <p class="quiet">
        <FailureText word="rings.unknown" failure={value} />
      </p>
    );
  const following = value.filter(({ follows }) => follows !== undefined);
  if (following.length === 0) return null;
  return (
    <ul class="column rings" aria-label={say("rings")}>
      {following.map((ring) => (
        <Ring key={ring.ring} {...ring} />
      ))}
    </ul>
  );
}

function Ring({ ring, follows, verdict }: RingState) {
  if (follows === undefined) return null;
  const isNext = verdict?.kind === "advance";
  const tone = isNext ? "good" : verdict?.stuck === undefined ? "accent" : "bad";
  const { channel, after } = follows;
  return (
    <li class="row">
      <b>{ring}</b> <span class="quiet">{say("rings.follows", { channel, time: durationOf(after) })}</span>
      {verdict !== undefined && (
        <>
          <Badge tone={tone}>
            {say(isNext ? "rings.next" : verdict.stuck === undefined ? "verdict.wait" : "rings.held")}
          </Badge>
          <Told text={verdict.why} />
        </>
      )}
    </li>
  );
}
