// Sending an event for each change, after it is made: from the log, in its order, each at least once. A change never waits for it, and never fails by
// it: what could not be sent now is sent at the next look.
import { readRecord, recordText } from "@outrigger/aws";
import { isWholeIn, objectOf, unlessOwnError } from "@outrigger/base";
import { AT_WORK, type PublisherDependencies } from "../dependencies.ts";
import { readLog } from "../records/change-log.ts";
import { eventOfEntry } from "./event-of-entry.ts";

/** Events that one call takes: EventBridge's limit. */
const BATCH = 10;

/**
 * Sends the events of the changes that the log has since the last one that was sent. Where none was sent yet, those are all that the log
 * still has. Changes of the last ten seconds are left to the next look: one before them may not be listed yet, and would be passed over.
 *
 * @param lastChange the number of the last change: what was sent up to it is all that there is
 * @returns how many were sent
 * @throws OutriggerError where the log cannot be read, or how far it was sent not be written; what the sending throws
 */
export async function announceChanges(lastChange: number, dependencies: PublisherDependencies): Promise<number> {
  const { sendEvents, layout, now } = dependencies;
  if (sendEvents === undefined) return 0;
  const announced = await readAnnounced(dependencies);
  if (announced >= lastChange) return 0;
  const { entries } = await readLog(dependencies);
  const until = now().getTime() - AT_WORK;
  const changes = entries.filter(({ number, at }) => number > announced && Date.parse(at) <= until);
  const events = changes.flatMap((entry) => eventOfEntry(entry, layout.prefix) ?? []);
  const last = changes.at(-1)?.number ?? announced;
  let sent = 0;
  while (sent < events.length) {
    const batch = events.slice(sent, sent + BATCH);
    const taken = await sendEvents(batch);
    sent += taken;
    // After each batch: what follows may fail, and must not repeat it. The entries behind the last event are of leases.
    const upTo = sent === events.length ? last : events[sent - 1]?.change;
    if (taken > 0 && upTo !== undefined) await writeAnnounced(upTo, dependencies);
    if (taken < batch.length) return sent;
  }
  if (events.length === 0 && last > announced) await writeAnnounced(last, dependencies);
  return sent;
}

async function writeAnnounced(change: number, { store, layout }: PublisherDependencies): Promise<void> {
  const value = recordText({ change });
  await store.putParameter({ name: layout.announced, value, overwrite: true, tier: "Standard" });
}

/** The number of the last change that needs no event any more; 0 where there is none. */
export async function readAnnounced({ store, layout }: Pick<PublisherDependencies, "store" | "layout">) {
  const [found] = await store.getParameters([layout.announced]);
  const { change } = objectOf(found && unlessOwnError(() => readRecord(found)));
  return typeof change === "number" && isWholeIn(change, 0, Number.MAX_SAFE_INTEGER) ? change : 0;
}
