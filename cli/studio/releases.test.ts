import { layoutOf } from "@outrigger/aws";
import { expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { Deployment } from "../connect/deployment.ts";
import { releasesOf } from "./releases.ts";

const [OLD, SEEN, UNSEEN] = ["000000000001", "000000000002", "000000000003"];

it("carries out what was answered, and not what the channel's record says by then", async () => {
  const layout = layoutOf("/outrigger/dev");
  const asked: unknown[] = [];
  let canary = SEEN;
  let changed = true;
  const effects = [
    { name: "container-gone", example: "samples/web: agent", isHeld: true },
    { name: "image", example: "samples/web: agent:2", isHeld: false },
  ];
  const record = (release: string | undefined) => JSON.stringify({ release, pinned: false, history: [] });
  const parameter = (name: string) => ({
    name,
    type: "String",
    version: 1,
    value: record(name.endsWith("canary") ? canary : OLD),
  });
  const deployment = {
    target: { stage: "dev", layout, publisher: "p" },
    store: {
      getParameters: async ([name = ""]: readonly string[]) => [parameter(name)],
      getParametersByPath: async () => ({
        parameters: ["canary", "stable"].map((name) => parameter(layout.channel(name))),
      }),
    },
    caller: async () => "ann",
    place: async () => "here",
    askPublisher: async (request: unknown) => {
      asked.push(request);
      return { message: "done", channel: "stable", warnings: [], seq: 1, changed, effects };
    },
  } as unknown as Deployment;
  const { ask, confirm } = releasesOf(deployment, async () => ({}), fakeIo({}), undefined);
  const question = await ask({ action: "promote", from: "canary", to: "stable" });
  expect(question).toMatchObject({
    channel: "stable",
    before: { release: OLD },
    after: { release: SEEN },
    compare: { before: OLD, after: SEEN },
    isChange: true,
    effects,
  });
  expect((await ask({ action: "promote", from: "canary", to: "stable" })).id).toBe(question.id);
  canary = UNSEEN;
  await confirm({ id: question.id, message: "why" });
  const exact = { action: "promote", release: SEEN, serving: OLD };
  // What is held was shown, and the reader has accepted it, and nothing else.
  expect(asked.at(-1)).toEqual(expect.objectContaining({ ...exact, accept: ["container-gone"] }));
  expect(asked.slice(0, -1)).toEqual([1, 2].map(() => expect.objectContaining({ ...exact, dryRun: true })));
  changed = false;
  expect(await ask({ action: "promote", from: "canary", to: "stable" })).toMatchObject({
    isChange: false,
    compare: null,
  });
  await expect(confirm({ id: question.id, message: "why" })).rejects.toThrow("review it again");
});
