// What the docs promise of AWS that no emulator answers: promises.yaml.
import { readTable } from "../support/read-table.ts";

export interface Promised {
  /** The name of the promise in steps.ts. */
  readonly id: string;
  readonly promise: string;
  readonly restsOn: string;
  readonly see: string;
  /** The reason why no step of the acceptance run looks at it. */
  readonly unlooked?: string;
}

export const PROMISES = readTable<readonly Promised[]>("tools/acceptance/promises.yaml", {
  id: "text",
  promise: "text",
  restsOn: "text",
  see: "text",
  unlooked: "text?",
});

/** The lines of the list in docs/contributing/deployment.md. */
export function promiseLines(): readonly string[] {
  return PROMISES.map(({ promise, unlooked }) => `- ${promise}${unlooked === undefined ? "" : " (no step)"}`);
}
