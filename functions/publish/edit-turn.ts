// That one call at a time waits for edits to stop: the others end at once, and leave the function to people.
import { OutriggerError } from "@outrigger/base";
import type { PublisherDependencies } from "@outrigger/publisher";

export interface EditTurn {
  readonly release: () => Promise<void>;
}

/** Milliseconds after which a turn is taken over: its call was stopped. Longer than a call waits and publishes. */
const LONGEST = 60_000;

/** The turn, or undefined where another call has it. */
export async function takeEditTurn({
  store,
  layout,
  now,
}: Pick<PublisherDependencies, "store" | "layout" | "now">): Promise<EditTurn | undefined> {
  const name = layout.editTurn;
  const put = (overwrite: boolean) => {
    return store.putParameter({ name, value: now().toISOString(), overwrite, tier: "Standard" });
  };
  const turn = { release: () => store.deleteParameters([name]) };
  try {
    await put(false);
    return turn;
  } catch (error) {
    if (!(error instanceof OutriggerError) || error.code !== "parameter-exists") throw error;
  }
  const [held] = await store.getParameters([name]);
  const since = held === undefined ? now().getTime() : Date.parse(held.value);
  if (now().getTime() - since < LONGEST) return undefined;
  await put(true);
  return turn;
}
