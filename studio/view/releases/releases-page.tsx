// A page to keep open: what each channel serves and how it came there, what may be done with it, what pods have.

import { Badge } from "../../component/badge.tsx";
import { agoOf, now } from "../../model/clock.ts";
import { isLost, lookedAt } from "../../model/connection.ts";
import { compared, planned, releases } from "../../model/releases.ts";
import { say } from "../../text/say.ts";
import type { Move } from "../../wire.ts";
import { FindingsItems } from "../findings-list.tsx";
import { ChannelCard } from "./channel-card.tsx";
import { ClustersTable } from "./clusters-table.tsx";
import { CompareDialog } from "./compare-dialog.tsx";
import { HistoryList } from "./history-list.tsx";
import { MoveDialog } from "./move-dialog.tsx";
import { RunningPods } from "./running-pods.tsx";

export interface ReleasesPageProps {
  readonly onPlan: (move: Move) => void;
  readonly onMove: (move: Move, message: string) => void;
  readonly onCompare: (before: string, after: string) => void;
}

export function ReleasesPage({ onPlan, onMove, onCompare }: ReleasesPageProps) {
  const state = releases.value;
  if (state === undefined) return <main class="releases quiet">{say("releases.reading")}</main>;
  const channels = Object.entries(state.channels);
  return (
    <main class="releases">
      <div class="releases-main">
        <div class="releases-head">
          <h2 tabIndex={-1}>{say("channels")}</h2>
          <Age />
        </div>
        {state.refused.length > 0 && (
          <section class="banner bad" aria-label={say("releases.refused")}>
            <p>{say("releases.refused")}</p>
            <FindingsItems findings={state.refused} />
          </section>
        )}
        <div class="channels">
          {channels.map(([name]) => (
            <ChannelCard key={name} name={name} state={state} onPlan={onPlan} />
          ))}
        </div>
        <HistoryList state={state} onCompare={onCompare} />
      </div>
      <div class="releases-side">
        <RunningPods state={state} />
        <ClustersTable clusters={state.clusters} />
      </div>
      {planned.value !== undefined && <MoveDialog move={planned.value} state={state} onPlan={onPlan} onMove={onMove} />}
      {compared.value !== undefined && <CompareDialog {...compared.value} />}
    </main>
  );
}

/** Milliseconds after which a page is not live any more: the server looks every 3 seconds, and says so every 5. */
const OLD = 20_000;

function Age() {
  const isOld = isLost.value || now.value - lookedAt.value > OLD;
  const ago = agoOf(Math.min(lookedAt.value, now.value));
  return <Badge tone={isOld ? "warn" : "good"}>{say(isOld ? "age.old" : "age.live", { ago })}</Badge>;
}
