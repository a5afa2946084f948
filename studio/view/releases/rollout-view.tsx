// A share of a channel: how many workloads get which release, which share is next and when, and what the numbers say.

import { Badge, Bar, FailureText, type Tone } from "../../component/controls.tsx";
import { agoOf } from "../../model/clock.tsx";
import { rollouts } from "../../model/releases.ts";
import { say } from "../../text/say.ts";
import type { ChannelState, RolloutState } from "../../wire.ts";

export interface RolloutViewProps {
  readonly name: string;
  readonly record: ChannelState;
  readonly share: NonNullable<ChannelState["share"]>;
}

export function RolloutView({
  name,
  record: { release, rollout },
  share: { release: other, percent },
}: RolloutViewProps) {
  const evidence = rollouts.value[name];
  return (
    <div class="rollout">
      <Bar
        parts={[
          { tone: "accent", percent },
          { tone: "good", percent: 100 - percent },
        ]}
      />
      <p class="shares">
        <span>
          <b>{percent} %</b> <code>{other}</code>
        </span>
        <span>
          <b>{100 - percent} %</b> <code>{release}</code>
        </span>
      </p>
      {rollout !== undefined && (
        <p>
          <Badge tone="accent">{percent} %</Badge>
          {rollout.next.map((next) => (
            <span key={next}>
              {" → "}
              <Badge>{next} %</Badge>
            </span>
          ))}{" "}
          <span class="quiet">{nextText(rollout)}</span>
        </p>
      )}
      {evidence === undefined ? (
        <p class="quiet">{say("rollout.reading")}</p>
      ) : "words" in evidence ? (
        <p class="quiet">
          <FailureText word="rollout.unknown" failure={evidence} />
        </p>
      ) : (
        <Evidence evidence={evidence} />
      )}
    </div>
  );
}

/** When the next share begins. */
function nextText({ bake, since }: NonNullable<ChannelState["rollout"]>): string {
  if (bake === undefined) return say("rollout.person");
  return say("rollout.next", { when: agoOf(Date.parse(since) + bake * 1000) });
}

const VERDICTS: Readonly<Record<string, Tone>> = { abort: "bad", advance: "good", wait: "accent" };
const SIGNALS: Readonly<Record<string, Tone>> = { worse: "bad", suspect: "warn", fine: "good" };

function Evidence({ evidence: { verdict, signals, counts } }: { readonly evidence: RolloutState }) {
  const releases = Object.keys(counts);
  const names = [...new Set(Object.values(counts).flatMap((count) => Object.keys(count)))];
  return (
    <>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">{say("rollout.count")}</span>
            </th>
            {releases.map((release) => (
              <th key={release} scope="col" class="number">
                <code>{release.slice(0, 8)}</code>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">{countName(name)}</th>
              {releases.map((release) => (
                <td key={release} class="number">
                  {counts[release]?.[name] ?? 0}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {signals.map(({ name, verdict: judged, why }) => (
        <p key={name}>
          <Badge tone={SIGNALS[judged]}>{signalText(judged)}</Badge> <span lang="en">{why}</span>
        </p>
      ))}
      {verdict !== undefined && (
        <p>
          <Badge tone={VERDICTS[verdict.kind]} strong>
            {say(`verdict.${verdict.kind}`)}
          </Badge>{" "}
          <span lang="en">{verdict.why}</span>
        </p>
      )}
    </>
  );
}

function countName(name: string): string {
  return name in COUNTS ? say(COUNTS[name as keyof typeof COUNTS]) : name;
}

const COUNTS = {
  injected: "count.injected",
  denied: "count.denied",
  failed: "count.failed",
  late: "count.late",
  regressed: "count.regressed",
} as const;

function signalText(verdict: string): string {
  return verdict === "worse" || verdict === "suspect" || verdict === "fine"
    ? say(`signal.${verdict}`)
    : say("signal.unknown");
}
