// Writing the records that the log is ahead of.
import { recordText } from "@outrigger/aws";
import type { PublisherDependencies } from "../dependencies.ts";
import { entryOf } from "../records/read-records.ts";
import type { State } from "../records/read-state.ts";
import type { PublisherError } from "../request/publisher-request.ts";
import { unlessRefused } from "./commit-snapshot.ts";

/**
 * Writes the records that are behind the log, each as its last change left it. One that Parameter Store refuses stays behind:
 * the log holds it, it is served, and it keeps back no other change.
 *
 * @returns what was refused
 */
export async function writeRecords(
  state: State,
  { store, layout, tier }: PublisherDependencies,
): Promise<readonly PublisherError[]> {
  const refused: PublisherError[] = [];
  const last = new Map(state.behind.map((entry) => [`${entry.change.kind}/${entry.change.name}`, entry]));
  for (const { change, number } of last.values()) {
    const { kind, name } = change;
    const parameter = kind === "channel" ? layout.channel(name) : layout.cluster(name);
    const record = kind === "channel" ? entryOf(state.channels, name) : entryOf(state.clusters, name);
    if (record === undefined) await store.deleteParameters([parameter]);
    else {
      const value = recordText({ ...record, change: number });
      const write = () => store.putParameter({ name: parameter, value, overwrite: true, tier });
      refused.push(...(await unlessRefused(write)));
    }
  }
  return refused;
}
