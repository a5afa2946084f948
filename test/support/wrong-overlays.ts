// Overlays that any API server rejects.
import { readTable } from "../../tools/support/read-table.ts";

/** The mistakes by name, with the text of the template. "#!" ends the line that is to blame. */
export const MISTAKEN_OVERLAYS = Object.entries(
  readTable<Readonly<Record<string, string>>>("test/support/mistaken-overlays.yaml", "text"),
);

export const REJECTED_OVERLAYS = readTable<
  readonly { readonly what: string; readonly overlay: string; readonly line: number; readonly says: string }[]
>("test/support/rejected-overlays.yaml", { what: "text", overlay: "text", line: "number", says: "text" });
