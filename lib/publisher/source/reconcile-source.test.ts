import { OutriggerError } from "@outrigger/base";
import { beforeEach, describe, expect, it } from "vitest";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { manifestText, treeDigest } from "./push-manifest.ts";
import { type Reconciled, reconcileSource } from "./reconcile-source.ts";

const [MINUTE, LATE] = [60_000, Date.parse("2026-01-02T03:34:05Z")];

describe("reconcileSource()", () => {
  let setup: ReturnType<typeof publisherSetup>;
  const reconcile = () => reconcileSource(setup.dependencies);
  const wait = (minutes: number) => {
    setup.clock.time += minutes * MINUTE;
  };
  /** Whole minutes: the clock advances by a millisecond whenever it is looked at. */
  const minutes = ({ age }: Reconciled) => Math.round(age / MINUTE);
  const push = (tree: Readonly<Record<string, string>>) => {
    const at = new Date(setup.clock.time).toISOString();
    const text = manifestText({ state: "pushing", digest: treeDigest(tree), by: "bob", at });
    return setup.put(layout.sourceParameter("manifest"), text);
  };

  beforeEach(async () => {
    setup = publisherSetup();
    setup.clock.time = LATE;
    await setup.edit("mesh", "a");
    await setup.run({ action: "publish" });
    wait(5);
  });

  it("has nothing to do where the channel was made of the source tree", async () => {
    const { result, age } = await reconcile();
    expect(result).toEqual({
      ok: true,
      message: "stable was made of the source tree as it is",
      seq: 0,
      changed: false,
      warnings: [],
    });
    expect(age).toBe(0);
  });

  it("has nothing to do where the channel is pinned", async () => {
    await setup.run({ action: "pin", channel: "stable" });
    await setup.edit("mesh", "b");
    wait(5);
    const { result, age } = await reconcile();
    expect(result).toMatchObject({ changed: false, message: expect.stringContaining("stable is pinned to") });
    expect(age).toBe(0);
  });

  it("publishes an edit that was not published, and says who did it and why", async () => {
    await setup.edit("mesh", "b");
    wait(5);
    const { result, age } = await reconcile();
    expect(result).toMatchObject({ ok: true, changed: true, release: digestOfTree({ mesh: "b" }) });
    expect(age).toBe(0);
    const history = JSON.stringify((await setup.store.getParameters([layout.channel("stable")]))[0]?.value);
    expect(history).toContain("the reconciler");
    expect(history).toContain("an edit that was not published");
  });

  it("publishes what was never published", async () => {
    setup = publisherSetup();
    setup.clock.time = LATE;
    await setup.edit("mesh", "a");
    expect((await reconcile()).result).toMatchObject({ ok: true, changed: true, release: digestOfTree({ mesh: "a" }) });
  });

  it("says of an invalid tree why, and how old the oldest edit is that it holds back", async () => {
    await setup.edit("mesh", "bad");
    wait(3);
    await setup.edit("values/a", "x");
    wait(2);
    const reconciled = await reconcile();
    expect(reconciled.result).toMatchObject({
      ok: false,
      error: { code: "template-invalid", path: "/outrigger/dev/source/mesh" },
    });
    expect(minutes(reconciled)).toBe(5);
  });

  it("waits for a push that is in progress, and says after ten minutes that it was broken off", async () => {
    await push({ mesh: "b", config: "x" });
    await setup.edit("mesh", "b");
    wait(9);
    const waiting = await reconcile();
    expect(waiting.result).toMatchObject({ ok: true, changed: false, message: "A push is in progress" });
    expect(minutes(waiting)).toBe(9);
    wait(1);
    const broken = await reconcile();
    expect(broken.result).toMatchObject({
      ok: false,
      error: { code: "tree-half-pushed", message: expect.stringContaining("a push by bob") },
    });
    expect(minutes(broken)).toBe(10);
  });

  it("publishes a push that lacks only its last mark", async () => {
    await push({ mesh: "b" });
    await setup.edit("mesh", "b");
    expect((await reconcile()).result).toMatchObject({ ok: true, changed: true });
  });

  it("knows only the age of the newest entry where the tree cannot be read", async () => {
    await setup.put(layout.sourceParameter("manifest"), "no manifest");
    wait(7);
    const reconciled = await reconcile();
    expect(reconciled.result).toMatchObject({ ok: false, error: { code: "store-corrupt" } });
    expect(minutes(reconciled)).toBe(7);
  });

  it("knows no age where nothing answers", async () => {
    const getParametersByPath = async () => {
      throw new OutriggerError("store-unavailable", "Cannot read: it does not answer");
    };
    const store = { ...setup.store, getParametersByPath };
    const { result, age } = await reconcileSource({ ...setup.dependencies, store });
    expect(result).toMatchObject({ ok: false, error: { code: "store-unavailable" } });
    expect(age).toBe(0);
  });

  it("takes a fault of its own for no result", async () => {
    const getParametersByPath = async () => {
      throw new TypeError("a fault");
    };
    await expect(
      reconcileSource({ ...setup.dependencies, store: { ...setup.store, getParametersByPath } }),
    ).rejects.toThrow(TypeError);
  });
});
