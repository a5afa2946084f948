// The way of a change through the channels: which serve it, to how many of their workloads, and which have taken it back.

import { Badge, type Tone } from "../../component/controls.tsx";
import { say } from "../../text/say.ts";
import type { ReleaseChange } from "../../wire.ts";

/** A channel as a change sees it. */
interface Station {
  readonly channel: string;
  readonly state: "all" | "part" | "taken-back" | "left" | "none";
  readonly percent: number;
}

/** Returns the channels in the order in which a release goes through them. */
export function stationsOf({ places, steps }: ReleaseChange, flow: readonly string[]): readonly Station[] {
  return flow.map((channel) => {
    const place = places.find((one) => one.channel === channel);
    const last = steps.findLast((one) => one.channel === channel);
    const percent = place?.percent ?? 0;
    if (place !== undefined) return { channel, percent, state: percent === 100 ? "all" : "part" };
    return {
      channel,
      percent,
      state: last === undefined ? "none" : last.action === "take-back" ? "taken-back" : "left",
    };
  });
}

const TONES: Readonly<Record<Station["state"], Tone | undefined>> = {
  all: "good",
  part: "accent",
  "taken-back": "bad",
  left: undefined,
  none: undefined,
};

interface JourneyProps {
  readonly change: ReleaseChange;
  readonly flow: readonly string[];
  /** Whether the channels are shown that it has not reached. */
  readonly isWhole?: boolean;
}

export function Journey({ change, flow, isWhole = false }: JourneyProps) {
  const stations = stationsOf(change, flow).filter(({ state }) => isWhole || state !== "none");
  return (
    <ol class="row journey" aria-label={say("journey")}>
      {stations.map(({ channel, state, percent }) => (
        <li key={channel} class="row one-line">
          <span>{channel}</span> <Badge tone={TONES[state]}>{say(`journey.${state}`, { percent })}</Badge>
        </li>
      ))}
    </ol>
  );
}

/** Why people made it; without a reason, what they edited, or its digest. */
export function titleOf({ why, edits, release }: ReleaseChange): string {
  return why || edits.join(", ") || release;
}
