// A share of a channel: how many workloads get which release, which share is next and when, and what the numbers say.

import { planning } from "../../actions/moving.ts";
import { Badge, Bar, Button, FailureText, Table, type Tone } from "../../component/controls.tsx";
import { Told } from "../../component/told.tsx";
import { agoOf } from "../../model/clock.tsx";
import { rollouts } from "../../model/releases.ts";
import { say, sayName } from "../../text/say.ts";
import type { ChannelState, RolloutState } from "../../wire.ts";
import { shortName } from "../move-sheet.tsx";

interface RolloutProps {
  /** The name of the channel. */
  readonly name: string;
  readonly record: ChannelState;
}

export function RolloutView({ name, record }: RolloutProps) {
  const { release, rollout, share, shares } = record;
  if (share === undefined) return null;
  const { release: other, percent } = share;
  const evidence = rollouts.value[name];
  return (
    <div class="column rollout">
      <Bar
        parts={[
          ["accent", percent],
          ["good", 100 - percent],
        ]}
      />
      <p class="row apart">
        <span title={other}>
          <b class="toned accent">{percent} %</b> <code>{shortName(other)}</code> {shares?.why}
        </span>
        <span title={release}>
          <b class="toned good">{100 - percent} %</b> <code>{shortName(release)}</code>
        </span>
      </p>
      <ol class="steps" aria-label={say("channel.rolling")}>
        <li class="accent" aria-current="step">
          {percent} %
        </li>
        {rollout?.next.map((each) => (
          <li key={each}>{each} %</li>
        ))}
      </ol>
      <p class="quiet">{nextText(rollout)}</p>
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

/** Back to the channel's own release, or on to the next share. */
export function RolloutActions({ name, record: { share, rollout } }: RolloutProps) {
  if (share === undefined) return null;
  const [next] = rollout?.next ?? [];
  const step = (direction: "next" | "back") => planning({ action: "step-rollout", channel: name, direction });
  return (
    <p class="row actions end">
      <Button tone="danger" onClick={step("back")} text={say("move.back")} />
      {next !== undefined && (
        <Button tone="primary" onClick={step("next")} text={say("move.do.next", { percent: next })} />
      )}
    </p>
  );
}

function nextText(rollout: ChannelState["rollout"]): string {
  if (rollout?.bake === undefined) return say("rollout.person");
  return say("rollout.next", { when: agoOf(Date.parse(rollout.since) + rollout.bake * 1000) });
}

const VERDICTS: Readonly<Record<string, Tone>> = { abort: "bad", advance: "good", wait: "accent" };
const SIGNALS: Readonly<Record<string, Tone>> = { worse: "bad", suspect: "warn", fine: "good" };

function Evidence({ evidence: { verdict, signals, counts, pods } }: { readonly evidence: RolloutState }) {
  const all = Object.values(counts);
  const names = [...new Set(all.flatMap((count) => Object.keys(count)))];
  const isCounted = all.some((count) => Object.values(count).some((number) => number > 0));
  const health = Object.keys(counts).map((release) => pods?.[release] ?? { pods: 0, ready: 0, restarting: 0 });
  return (
    <>
      <Table
        isOfNumbers
        head={[say("rollout.count"), ...Object.keys(counts).map(shortName), say("rollout.delta")]}
        rows={names
          .map((name) => [sayName("count", name), ...all.map((count) => count[name] ?? 0), deltaOf(name, all)])
          .concat(
            pods === undefined
              ? []
              : [
                  [
                    say("count.ready"),
                    ...health.map((one) => say("count.of", { ready: one.ready, all: one.pods })),
                    "",
                  ],
                  [say("count.restarting"), ...health.map(({ restarting }) => restarting), ""],
                ],
          )}
      />
      {!isCounted && <p class="quiet">{say("rollout.uncounted")}</p>}
      {signals.map(({ name, verdict: judged, why }) => (
        <p key={name}>
          <Badge tone={SIGNALS[judged]}>{sayName("signal", judged)}</Badge> <Told text={why} />
        </p>
      ))}
      {verdict !== undefined && (
        <p>
          <Badge tone={VERDICTS[verdict.kind]} strong>
            {say(`verdict.${verdict.kind}`)}
          </Badge>{" "}
          <Told text={verdict.why} />
        </p>
      )}
    </>
  );
}

type Count = Readonly<Record<string, number>>;

/** The difference between two counts, in pods of a hundred. */
function deltaOf(name: string, [own, ofShare]: readonly Count[]): string {
  const rate = (count: Count | undefined) => (100 * (count?.[name] ?? 0)) / (count?.["injected"] ?? 0);
  const delta = rate(ofShare) - rate(own);
  if (name === "injected" || !Number.isFinite(delta)) return "";
  return Math.abs(delta) < 0.05 ? "±0" : `${delta < 0 ? "−" : "+"}${Math.abs(delta).toFixed(1)} %`;
}
