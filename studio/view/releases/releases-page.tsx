// A page to keep open: what each channel serves and how it came there, what may be done with it, what pods have.

import { Badge, Button } from "../../component/controls.tsx";
import { Dialog } from "../../component/dialog.tsx";
import { Ago, agoOf, now } from "../../model/clock.tsx";
import { isLost, lookedAt } from "../../model/connection.ts";
import { compared, planned, releases } from "../../model/releases.ts";
import { say } from "../../text/say.ts";
import type { Move, Question, ReleasesState } from "../../wire.ts";
import { FindingsItems } from "../findings-list.tsx";
import { PlannedImpactView } from "../impact-views.tsx";
import { ChannelCard } from "./channel-card.tsx";
import { HistoryList } from "./history-list.tsx";
import { MoveDialog } from "./move-dialog.tsx";
import { RunningPods } from "./running-pods.tsx";

export interface ReleasesPageProps {
  readonly onPlan: (move: Move) => void;
  readonly onMove: (question: Question, why: string) => void;
  readonly onCompare: (before: string, after: string) => void;
}

export function ReleasesPage({ onPlan, onMove, onCompare }: ReleasesPageProps) {
  const state = releases.value;
  if (state === undefined) return <main class="releases quiet">{say("releases.reading")}</main>;
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
          {state.flow.map((name) => (
            <ChannelCard key={name} name={name} state={state} onPlan={onPlan} />
          ))}
        </div>
        <HistoryList state={state} onCompare={onCompare} />
      </div>
      <div class="releases-side">
        <RunningPods />
        <ClustersTable clusters={state.clusters} />
      </div>
      {planned.value !== undefined && (
        <MoveDialog planned={planned.value} state={state} onPlan={onPlan} onMove={onMove} />
      )}
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

function ClustersTable({ clusters }: Pick<ReleasesState, "clusters">) {
  return (
    <section class="card" aria-label={say("clusters")}>
      <h2>{say("clusters")}</h2>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{say("cluster")}</th>
            <th scope="col">{say("revisions")}</th>
            <th scope="col">{say("tokens")}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(clusters).map(([name, { revisions, tokens }]) => (
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
                    <Ago at={at} />
                  </span>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function CompareDialog({ before, after, impact }: NonNullable<typeof compared.value>) {
  const close = () => {
    compared.value = undefined;
  };
  return (
    <Dialog title={say("compare.title", { before, after })} onClose={close}>
      <PlannedImpactView impact={impact} />
      <p class="actions end">
        <Button onClick={close}>{say("close")}</Button>
      </p>
    </Dialog>
  );
}
