// The runbooks of all alarms: a section for each, under its name.
import { readdirSync, readFileSync } from "node:fs";

const pages = ["docs/operations.md", ...readdirSync("docs/runbooks").map((file) => `docs/runbooks/${file}`)];
const texts = pages.map((page) => [page, readFileSync(page, "utf8")] as const);

/** The pages with the runbooks of the alarms, by subject. */
export const RUNBOOK_PAGES: readonly (readonly [page: string, text: string])[] = texts.slice(1);

/** All pages in one text. */
export const RUNBOOKS = texts.map(([, text]) => text).join("\n");

/** The place of an alarm's section, as the alarm's description names it; undefined if there is none. */
export function placeOfRunbook(alarm: string): string | undefined {
  const [page] = texts.find(([, text]) => new RegExp(`^## ${alarm}$`, "m").test(text)) ?? [];
  return page && `${page}#${alarm}`;
}
