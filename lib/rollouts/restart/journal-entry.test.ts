import { expect, it } from "vitest";
import { interruptedSince, type RestartJournal } from "./journal-entry.ts";

const AT = "2026-11-20T10:00:00Z";
const UNTIL = "2026-11-20T10:05:00Z";

it.each([
  ["running", undefined, AT],
  ["stopping", UNTIL, UNTIL],
  ["running", "2026-11-20T10:06:01Z", undefined],
  ["stopped", undefined, undefined],
  ["failed", undefined, undefined],
  ["done", UNTIL, undefined],
] as const)("interruptedSince() of a restart that is %s, held until %s, is %s", (state, until, since) => {
  const lease = until && { id: "a", by: "ann", until };
  const journal = { state, at: AT, ...(lease && { lease }) } as RestartJournal;
  expect(interruptedSince(journal, Date.parse("2026-11-20T10:06:00Z"))).toBe(since);
});
