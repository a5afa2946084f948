import { beforeEach, expect, it } from "vitest";
import { isLost } from "../model/connection.ts";
import type { WorkspaceSource } from "../model/workspace.ts";
import { createSaving } from "./saving.ts";

/** A server that is gone: what fetch throws then. */
const unanswered = () => Promise.reject(new TypeError("Failed to fetch"));
const gone: WorkspaceSource = { load: unanswered, save: unanswered, examples: unanswered, watch: () => {} };

beforeEach(() => {
  isLost.value = false;
});

it("refresh() knows that the server is gone, although it was heard of a moment ago", async () => {
  await createSaving(gone, async () => {}).refresh();
  expect(isLost.value).toBe(true);
  isLost.value = false;
});
