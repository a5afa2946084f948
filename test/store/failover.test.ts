// A failover between two Regions: two stores, two publishers and two inject functions. The name of the webhook moves from one to
// the other, and pods get the same patch with the same token, whatever happens to the first.
import { layoutOf } from "@outrigger/aws";
import { fakeParameterStore } from "@outrigger/fake-aws";
import { type PublisherDependencies, type PublisherRequest, runPublisher } from "@outrigger/publisher";
import { serveStore } from "@outrigger/serving";
import { beforeEach, describe, expect, it } from "vitest";
import { handlerOf } from "../../functions/inject/api-gateway.ts";
import { SHIPPED } from "../cli/fake-aws.ts";
import { eventOf } from "../support/gateway-event.ts";
import { sha256Of, tokenOf } from "../support/tokens.ts";

const TOKEN = tokenOf("shop-");
const EVENT = eventOf({
  object: {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web" },
    spec: { containers: [{ name: "a", image: "a" }] },
  },
  namespace: "shop",
  path: `/t/${TOKEN}/inject`,
});
const CAUSE = { by: "ann", why: "" };

type Request<Of = PublisherRequest> = Of extends unknown ? Omit<Of, "cause"> : never;

/** A deployment of its own: a Region's store, publisher and function. */
function region(prefix: string, primary?: PublisherDependencies["primary"]) {
  let isDown = false;
  const store = fakeParameterStore({
    fault: () => (isDown ? { kind: "error", name: "InternalServerError", status: 500 } : undefined),
  });
  const layout = layoutOf(prefix);
  const dependencies: PublisherDependencies = {
    store,
    layout,
    tier: "Standard",
    bucket: "releases",
    shipped: SHIPPED,
    now: () => new Date(),
    sleep: async () => {},
    ...(primary === undefined ? {} : { primary }),
  };
  const ask = (request: Request) => runPublisher({ ...request, cause: CAUSE } as PublisherRequest, dependencies);
  return {
    store,
    layout,
    ask,
    fail: (down: boolean) => {
      isDown = down;
    },
    edit: (path: string, value: string) =>
      store.putParameter({ name: layout.sourceParameter(path), value, overwrite: true, tier: "Standard" }),
    /** A call that reaches a new container of the function. */
    call: async () => {
      const settings = { prefix, reader: store, ttl: 10_000, bundled: undefined };
      const { find, live } = serveStore({ ...settings, random: Math.random, report: () => {} });
      live.start();
      const { statusCode, body } = await handlerOf({ find, now: () => performance.now() }, () => {})(EVENT);
      if (statusCode !== 200) return statusCode;
      return atob(JSON.parse(body).response.patch);
    },
  };
}

describe("a failover between two Regions", () => {
  let first: ReturnType<typeof region>;
  let second: ReturnType<typeof region>;
  beforeEach(async () => {
    first = region("/outrigger/prod");
    second = region("/outrigger/prod-b", { store: first.store, layout: first.layout, name: "eu-west-1" });
    expect(await first.ask({ action: "publish" })).toMatchObject({ ok: true });
    const tokens = [{ sha256: sha256Of(TOKEN), created: "2026-01-01" }];
    const record = { revisions: { default: "stable" }, arn: "", tokens };
    expect(await first.ask({ action: "put-cluster", cluster: "shop", record })).toMatchObject({ ok: true });
    expect(await second.ask({ action: "replicate" })).toMatchObject({ ok: true, changed: true });
  });

  it("gives the same patch with the same token, also while the first Region is down", async () => {
    const patch = await first.call();
    expect(patch).toContain("registry.example/shipped/proxyv2");
    expect(await second.call()).toBe(patch);
    first.fail(true);
    expect(await second.ask({ action: "replicate" })).toMatchObject({ ok: false });
    expect(await second.call()).toBe(patch);
  });

  it("serves an edit in both once the replica has followed, and the token of an unregistered cluster in neither", async () => {
    await first.edit("values/10-mine", "global: {hub: mine}\n");
    expect(await first.ask({ action: "publish" })).toMatchObject({ ok: true });
    expect(await second.call()).toContain("shipped/proxyv2");
    await second.ask({ action: "replicate" });
    expect(await second.call()).toBe(await first.call());
    expect(await second.call()).toContain("mine/proxyv2");
    await first.ask({ action: "remove-cluster", cluster: "shop" });
    await second.ask({ action: "replicate" });
    expect([await first.call(), await second.call()]).toEqual([404, 404]);
  });

  it("keeps a rollback that was made in the replica while the first Region was down", async () => {
    const before = await first.call();
    await first.edit("values/10-mine", "global: {hub: broken}\n");
    await first.ask({ action: "publish" });
    await second.ask({ action: "replicate" });
    first.fail(true);
    const rolledBack = await second.ask({ action: "rollback", channel: "stable" });
    expect(rolledBack).toMatchObject({ ok: true, message: expect.stringContaining("pinned") });
    expect(await second.call()).toBe(before);
    first.fail(false);
    expect(await second.ask({ action: "replicate" })).toMatchObject({ problems: [{ code: "channel-moved" }] });
    expect(await second.call()).toBe(before);
    // The same move in the primary, and the two are one again.
    await first.ask({ action: "rollback", channel: "stable" });
    expect(await second.ask({ action: "replicate", force: true })).not.toHaveProperty("problems");
    expect([await first.call(), await second.call()]).toEqual([before, before]);
  });
});
