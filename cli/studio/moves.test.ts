import { layoutOf } from "@outrigger/aws";
import { expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { Deployment } from "../connect/deployment.ts";
import { moves } from "./moves.ts";

const [OLD, SEEN, UNSEEN] = ["000000000001", "000000000002", "000000000003"];

it("carries out what was answered, and not what the channel's record says by then", async () => {
  const layout = layoutOf("/outrigger/dev");
  const asked: unknown[] = [];
  let canary = SEEN;
  const record = (release: string | undefined) => JSON.stringify({ release, pinned: false, history: [] });
  const deployment = {
    target: { stage: "dev", layout, publisher: "p" },
    store: {
      getParameters: async ([name = ""]: readonly string[]) => [
        { name, type: "String", version: 1, value: record(name.endsWith("canary") ? canary : OLD) },
      ],
    },
    caller: async () => "ann",
    place: async () => "here",
    askPublisher: async (request: unknown) => {
      asked.push(request);
      return { message: "done", channel: "stable", warnings: [], seq: 1, changed: true };
    },
  } as unknown as Deployment;
  const { ask, confirm } = moves(deployment, fakeIo({}));
  const question = await ask({ action: "promote", from: "canary", to: "stable" });
  expect(question).toMatchObject({ channel: "stable", before: OLD, after: SEEN });
  canary = UNSEEN;
  await confirm(question.id, "why");
  const exact = { action: "promote", release: SEEN, serving: OLD };
  expect(asked).toEqual([expect.objectContaining({ ...exact, dryRun: true }), expect.objectContaining(exact)]);
  await expect(confirm(question.id, "why")).rejects.toThrow("review the move again");
});
