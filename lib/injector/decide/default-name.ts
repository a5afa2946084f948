import type { DefaultTemplate } from "../injection.ts";

/** The name of a default template or alias, whichever pods it is for. */
export function defaultName(entry: DefaultTemplate): string {
  return typeof entry === "string" ? entry : entry.name;
}
