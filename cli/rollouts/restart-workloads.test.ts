import type { RestartJournal } from "@outrigger/rollouts";
import { describe, expect, it } from "vitest";
import { endText } from "./restart-workloads.ts";

describe("endText()", () => {
  const counted = { done: 1, moving: ["shop/Deployment/web"], waiting: 2, left: [] };
  const journal: RestartJournal = {
    ...{ question: {}, parallel: 1, deployment: "dev", at: "2026-11-23T08:00:00Z", by: "ada", epoch: 1 },
    ...{ state: "running", lease: { id: "a", by: "ada", until: "9999-01-01T00:00:00Z" }, ...counted },
  };

  it("counts workloads once they were counted, and says so until then", () => {
    const began = "The restart that ada began at 2026-11-23T08:00:00Z is under way:";
    expect(endText(journal)).toBe(`${began} 1 done, 1 under way (shop/Deployment/web), 2 not begun\n`);
    const { waiting: _, ...fresh } = { ...journal, done: 0, moving: [] };
    expect(endText(fresh)).toBe(`${began} nothing is begun yet\n`);
  });
});
