// A publisher that stops before its first call, its second, and so on to its last: readers find what was served or what
// will be, and the same request again comes to the same as if nothing had happened.

import type { ParameterStore } from "@outrigger/aws";
import { decorate } from "@outrigger/base";
import type { Snapshot } from "@outrigger/serving";
import { describe, expect, it } from "vitest";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import type { PublisherRequest } from "../request/parse-request.ts";

const HOUR = 60 * 60 * 1000;
const cause = { by: "ann", why: "" };
const sha256 = "ab".repeat(32);
const record = { revisions: { default: "canary" }, arn: "", tokens: [{ sha256, created: "2026-01-01" }] };

const REQUESTS: readonly PublisherRequest[] = [
  { action: "publish", cause },
  { action: "promote", from: "canary", to: "stable", cause },
  { action: "rollback", channel: "stable", release: digestOfTree({ mesh: "a" }), cause },
  { action: "remove-channel", channel: "canary", cause },
  { action: "put-cluster", cluster: "c1", record, cause },
  { action: "repair", cause },
];

describe("runPublisher() when it stops before any call", () => {
  it.each(REQUESTS.map((request) => [request.action, request] as const))(
    "leaves what is served whole, and finishes %s when it is asked again",
    async (_action, request) => {
      const { before, after, calls } = await undisturbed(request);
      expect(calls).toBeGreaterThan(8);
      for (let call = 0; call < calls; call++) {
        const setup = await deployed();
        const { store } = stoppingAt(setup.store, call);
        await expect(setup.run(request, { store })).rejects.toThrow("stopped");
        const between = contentOf(await setup.served());
        expect([before, after]).toContainEqual(between);
        expect(await setup.run(request)).toMatchObject({ ok: true });
        expect(contentOf(await setup.served())).toEqual(after);
        setup.store.forgetCalls();
        await setup.served();
        expect(setup.store.calls()).toEqual({ GetParameters: 1 });
      }
    },
  );
});

/** Two channels, two releases of history, and a tree that is edited. A day later, so that there is garbage to collect. */
async function deployed() {
  const setup = publisherSetup({ seed: false });
  for (const text of ["a", "b"]) {
    await setup.edit("mesh", text);
    await setup.run({ action: "publish" });
  }
  await setup.edit("mesh", "c");
  await setup.run({ action: "publish", channel: "canary" });
  await setup.edit("mesh", "d");
  setup.clock.time += 25 * HOUR;
  return setup;
}

async function undisturbed(request: PublisherRequest) {
  const setup = await deployed();
  const before = contentOf(await setup.served());
  const counting = stoppingAt(setup.store, Number.POSITIVE_INFINITY);
  expect(await setup.run(request, { store: counting.store })).toMatchObject({ ok: true });
  expect(setup.store.values()).toHaveProperty([layout.head]);
  return { before, after: contentOf(await setup.served()), calls: counting.calls() };
}

/** Times are not the same from one run to the next. */
function contentOf({ channels, clusters }: Snapshot) {
  return { channels, clusters };
}

function stoppingAt(store: ParameterStore, last: number) {
  let calls = 0;
  const guarded =
    <Input extends readonly unknown[], Answer>(call: (...input: Input) => Promise<Answer>) =>
    async (...input: Input) => {
      if (calls++ === last) throw new Error("stopped");
      return call(...input);
    };
  const guardedStore: ParameterStore = {
    getParameters: guarded(store.getParameters),
    getParametersByPath: guarded(store.getParametersByPath),
    putParameter: guarded(store.putParameter),
    deleteParameters: guarded(store.deleteParameters),
    objects: decorate(store.objects, (_method, args, call) => guarded(async () => call(...args))()),
  };
  return { store: guardedStore, calls: () => calls };
}
