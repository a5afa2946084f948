// The registered clusters: what their revisions are served, and how old their tokens are.

import { say } from "../../text/say.ts";
import type { ReleasesState } from "../../wire.ts";
import { Ago } from "./ago.tsx";

export function ClustersTable({ clusters }: Pick<ReleasesState, "clusters">) {
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
