import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import type { Deployment } from "../connect/deployment.ts";
import { planRestore, requireEmpty, restoreSteps, restoreWarnings } from "./plan-restore.ts";

const token = (at: number) => ({ sha256: String(at).repeat(64), created: "2026-01-01T00:00:00Z" });
const record = (tokens: number) => ({
  revisions: { default: "stable" },
  arn: "arn:aws:eks:eu-west-1:111122223333:cluster/shop",
  tokens: Array.from({ length: tokens }, (_, at) => token(at + 1)),
});
const NOTHING: Parameters<typeof restoreSteps>[0] = {
  releases: [],
  channels: [],
  clusters: [],
  isBlind: false,
  hasChannels: true,
  hasClusters: true,
};
const [FIRST, SECOND] = ["000000000001", "000000000002"] as const;

describe("planRestore()", () => {
  async function deployment() {
    const aws = fakeAws();
    const { askPublisher } = await aws.connect({ layout: aws.layout } as never);
    await askPublisher({ action: "publish", cause: { by: "ann", why: "" } });
    const opened = { store: aws.store, target: { layout: aws.layout } } as unknown as Deployment;
    return { aws, opened, askPublisher, plan: () => planRestore(opened) };
  }

  it("finds nothing to restore in a deployment that is whole", async () => {
    const { plan } = await deployment();
    expect(await plan()).toEqual({ ...NOTHING, hasClusters: false });
  });

  it("puts back a channel whose record is gone or damaged, with its release, and pinned if it was", async () => {
    const { aws, plan, askPublisher } = await deployment();
    const name = aws.layout.channel("stable");
    const kept = aws.store.values()[name] as string;
    const { release } = JSON.parse(kept);
    await aws.store.deleteParameters([name]);
    const lost = { channel: "stable", release, isPinned: false };
    expect(await plan()).toMatchObject({ channels: [lost], hasChannels: false, isBlind: false });
    await aws.put(name, "damaged");
    expect(await plan()).toMatchObject({ channels: [lost], hasChannels: true });
    await aws.put(name, kept);
    await askPublisher({ action: "pin", channel: "stable", release, cause: { by: "ann", why: "" } });
    await aws.store.deleteParameters([name]);
    expect(await plan()).toMatchObject({ channels: [{ ...lost, isPinned: true }] });
  });

  it("puts back a cluster whose record is gone, as it is served", async () => {
    const { aws, plan, askPublisher } = await deployment();
    const cause = { by: "ann", why: "" };
    await askPublisher({ action: "put-cluster", cluster: "shop", record: record(1), cause });
    expect(await plan()).toMatchObject({ clusters: [], hasClusters: true });
    await aws.store.deleteParameters([aws.layout.cluster("shop")]);
    expect(await plan()).toMatchObject({
      clusters: [{ cluster: "shop", record: expect.objectContaining({ tokens: record(1).tokens }) }],
      hasClusters: false,
    });
    await aws.put(aws.layout.cluster("shop"), "damaged");
    expect(await plan()).toMatchObject({ clusters: [{ cluster: "shop" }], hasClusters: true });
  });

  it("rebuilds a release that is served and not kept, and fails where that cannot be found out", async () => {
    const { aws, opened, plan } = await deployment();
    const { release } = JSON.parse(aws.store.values()[aws.layout.channel("stable")] as string);
    const object = aws.layout.release(release);
    await aws.store.objects.deleteObject(object);
    expect(await plan()).toMatchObject({ releases: [release], channels: [] });
    const getObject = async () => {
      throw new OutriggerError("store-unavailable", "try again");
    };
    const store = { ...aws.store, objects: { ...aws.store.objects, getObject } };
    await expect(planRestore({ ...opened, store } as Deployment)).rejects.toThrow("try again");
  });

  it("is blind where nothing is served", async () => {
    const opened = { store: fakeAws().store, target: { layout: fakeAws().layout } } as unknown as Deployment;
    expect(await planRestore(opened)).toEqual({ ...NOTHING, isBlind: true, hasChannels: false, hasClusters: false });
  });
});

describe("requireEmpty()", () => {
  const tree = { config: "a: 1\n", mesh: "b: 2\n" };

  it("takes a place that is empty, or has nothing but a part of the tree", () => {
    expect(() => requireEmpty({}, tree, "/source")).not.toThrow();
    expect(() => requireEmpty({ config: tree.config }, tree, "/source")).not.toThrow();
  });

  it("refuses another tree, and names five of its entries at most", () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`values/${at}`, ""]));
    const message = (there: Record<string, string>) => {
      try {
        requireEmpty(there, tree, "/source");
      } catch (error) {
        return (error as OutriggerError).message;
      }
      return undefined;
    };
    expect(message({ config: tree.config, mesh: "other" })).toContain("it is not empty (config, mesh);");
    expect(message(many(5))).toContain("(values/0, values/1, values/2, values/3, values/4);");
    expect(message(many(6))).toContain("values/4, …); push instead, or overwrite it with --force");
  });
});

describe("restoreSteps()", () => {
  it("rebuilds releases first, then channels, clusters and the tree", () => {
    const steps = restoreSteps(
      {
        ...NOTHING,
        releases: [FIRST],
        channels: [
          { channel: "canary", release: FIRST, isPinned: true },
          { channel: "stable", release: SECOND, isPinned: false },
        ],
        clusters: [
          { cluster: "shop", record: record(1) },
          { cluster: "till", record: record(2) },
        ],
      },
      true,
    );
    expect(steps).toEqual([
      { what: `releases/${FIRST}: rebuilt from what is served`, requests: [] },
      {
        what: `channels/canary: back to release ${FIRST}, pinned`,
        requests: [{ action: "pin", channel: "canary", release: FIRST }],
      },
      {
        what: `channels/stable: back to release ${SECOND}`,
        requests: [
          { action: "pin", channel: "stable", release: SECOND },
          { action: "unpin", channel: "stable" },
        ],
      },
      {
        what: "clusters/shop: as it is served, with its token",
        requests: [{ action: "put-cluster", cluster: "shop", record: record(1) }],
      },
      {
        what: "clusters/till: as it is served, with its 2 tokens",
        requests: [{ action: "put-cluster", cluster: "till", record: record(2) }],
      },
      { what: "serve/: published", requests: [{ action: "publish" }] },
    ]);
  });

  it("publishes no tree where none is put back", () => {
    expect(restoreSteps(NOTHING, false)).toEqual([]);
  });
});

describe("restoreWarnings()", () => {
  const blind = { ...NOTHING, isBlind: true, hasChannels: false, hasClusters: false };

  it("says what stays lost, and who has it", () => {
    expect(restoreWarnings(NOTHING, undefined)).toEqual([]);
    expect(restoreWarnings(NOTHING, { lost: [] })).toEqual([]);
    expect(restoreWarnings(NOTHING, { lost: ["templates/a", "config"] })).toEqual([
      "Cannot be put back from a release: templates/a, config; take them from where you keep them, and push",
    ]);
  });

  it("says what is not known where nothing is served", () => {
    const [channels, clusters] = restoreWarnings(blind, undefined);
    expect(channels).toMatch(/^Nothing is served, and there are no channels to serve: .*outrigger publish/);
    expect(clusters).toMatch(/^Nothing is served, so the clusters are unknown: .*outrigger register/);
    expect(restoreWarnings({ ...blind, hasChannels: true }, undefined)).toEqual([clusters]);
    expect(restoreWarnings({ ...blind, hasClusters: true }, undefined)).toEqual([channels]);
    expect(restoreWarnings(blind, { lost: [] })).toEqual([clusters]);
    expect(restoreWarnings({ ...blind, isBlind: false }, undefined)).toEqual([]);
  });
});
