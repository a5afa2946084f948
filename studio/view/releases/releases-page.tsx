// A page to keep open: what each channel serves and how it came there, what may be done with it, what pods have.

import { Badge, setting, Table } from "../../component/controls.tsx";
import { Sheet } from "../../component/sheet.tsx";
import { Ago, agoOf, now } from "../../model/clock.tsx";
import { isLost, lookedAt } from "../../model/connection.ts";
import { compared, releases } from "../../model/releases.ts";
import { say } from "../../text/say.ts";
import type { ReleasesState } from "../../wire.ts";
import { FindingsItems, PlannedImpactView } from "../findings-and-impact.tsx";
import { shortName } from "../move-sheet.tsx";
import { FlowView } from "./flow-view.tsx";
import { HistoryList } from "./history-list.tsx";
import { RunningPods } from "./running-pods.tsx";

export function ReleasesPage() {
  const state = releases.value;
  if (state === undefined) return <main class="releases quiet">{say("releases.reading")}</main>;
  return (
    <main class="releases">
      <div class="column">
        <div class="row">
          <h2 tabIndex={-1}>{say("channels")}</h2>
          <Age />
        </div>
        {state.refused.length > 0 && (
          <section class="banner bad" aria-label={say("releases.refused")}>
            <p>{say("releases.refused")}</p>
            <FindingsItems findings={state.refused} />
          </section>
        )}
        <FlowView state={state} />
      </div>
      <HistoryList channels={state.channels} />
      <div class="column releases-side">
        <RunningPods />
        <ClustersTable clusters={state.clusters} />
      </div>
      {compared.value !== undefined && <CompareSheet {...compared.value} />}
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
    <section class="column card" aria-label={say("clusters")}>
      <h2>{say("clusters")}</h2>
      <Table
        head={[say("cluster"), say("revisions"), say("tokens")]}
        rows={Object.entries(clusters).map(([name, { revisions, tokens }]) => [
          name,
          Object.entries(revisions)
            .map(([revision, channel]) => `${revision} → ${channel}`)
            .join(", "),
          tokens.map((at) => (
            <p key={at}>
              <Ago at={at} />
            </p>
          )),
        ])}
      />
    </section>
  );
}

function CompareSheet({ before, after, impact }: NonNullable<typeof compared.value>) {
  const title = say("compare.title", { before: shortName(before), after: shortName(after) });
  return (
    <Sheet title={title} onClose={setting(compared, undefined)}>
      <PlannedImpactView impact={impact} />
    </Sheet>
  );
}
