import { OutriggerError } from "@outrigger/base";
import { registerCluster, rotateToken } from "@outrigger/cluster";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ClusterLab, openClusterLab } from "./cluster-lab.ts";

const MINUTE = 60_000;

type RotationRequest = Parameters<typeof rotateToken>[0];

describe("rotateToken()", { timeout: 120_000 }, () => {
  let lab: ClusterLab;
  beforeEach(async () => {
    lab = await openClusterLab();
    await registerCluster(lab.request({ phase: "cluster", tags: ["prod"] }), lab.ports);
    await registerCluster(lab.request({ phase: "cluster", revision: "1-30" }), lab.ports);
  });
  afterEach(() => lab.close());

  /** Calls by slot, as CloudWatch would count them; by default, all come with the new token. */
  const rotate = (changes: Partial<RotationRequest> = {}, ports = lab.ports) =>
    rotateToken(
      {
        ...lab.request(),
        patience: 15 * MINUTE,
        countCalls: async (slot) => (slot === 2 ? 1 : 0),
        ...changes,
      },
      ports,
    );
  const live = () => lab.publisher.digests();
  const urls = () => {
    const text = JSON.stringify([...lab.api.objects.values()]);
    return new Set([...text.matchAll(/\/t\/([\w-]{43})\//g)].map(([, token]) => token));
  };

  it("puts a new token into every webhook and retires the old one when calls use it", async () => {
    const [old] = live();
    const [oldUrl] = urls();
    expect(await rotate()).toBe("retired");
    expect(live()).toHaveLength(1);
    expect(live()).not.toContain(old);
    expect(urls().size).toBe(1);
    expect(urls()).not.toContain(oldUrl);
    const actions = lab.publisher.requests.slice(-4).map(({ action }) => action);
    // The lease is looked at once more, and released before waiting.
    expect(actions).toEqual(["add-token", "put-cluster", "put-cluster", "retire-token"]);
    expect(lab.publisher.records.get("shop")?.lease).toBeUndefined();
    // Tested from here, and by the API server, with the new token.
    expect(lab.webhook.calls.slice(-2)).toEqual([live()[0], live()[0]]);
  });

  it("keeps the old token while calls still come with it", async () => {
    const start = lab.ports.now();
    const lateUntil = start + 6 * MINUTE;
    const counted: (readonly [number, number])[] = [];
    const countCalls: RotationRequest["countCalls"] = async (slot, since) => {
      counted.push([slot, since]);
      if (slot === 1) return since < lateUntil ? 1 : 0;
      return 5;
    };
    expect(await rotate({ countCalls })).toBe("retired");
    expect(lab.ports.now()).toBeGreaterThanOrEqual(lateUntil + 3 * MINUTE);
  });

  it("leaves both live when no call comes with the new one, and continues when it is run again", async () => {
    const [old] = live();
    expect(await rotate({ countCalls: async () => 0 })).toBe("still-live");
    expect(live()).toEqual([old, expect.any(String)]);
    const [url] = urls();
    expect(await rotate()).toBe("retired");
    expect(live()).not.toContain(old);
    // It continued with the token of the first time.
    expect([...urls()]).toEqual([url]);
  });

  it("says each step as it begins it, and what an earlier rotation has done already", async () => {
    lab.lines.length = 0;
    await rotate({ countCalls: async () => 0 });
    expect(lab.lines).toEqual([
      "Registering a second token",
      "Testing the webhook with it",
      "Waiting 15 s: by then every container knows it, or looks it up",
      "Writing it to the webhooks",
      "Waiting until calls come with the new token",
    ]);
    lab.lines.length = 0;
    await rotate();
    expect(lab.lines).toEqual([
      "An earlier rotation has written the new token to the webhooks",
      "Waiting until calls come with the new token",
    ]);
    lab.lines.length = 0;
    await rotate({ withSelfTest: false, patience: 0 });
    expect(lab.lines).not.toContain("Testing the webhook with it");
    expect(lab.lines.at(-1)).toBe("Writing it to the webhooks");
  });

  it("begins again when no webhook has the second token", async () => {
    const [old] = live();
    await lab.publisher.ask({
      action: "add-token",
      cause: { by: "", why: "" },
      cluster: "shop",
      sha256: "b".repeat(64),
    });
    expect(await rotate()).toBe("retired");
    expect(live()).toHaveLength(1);
    expect(live()).not.toContain(old);
    expect(live()).not.toContain("b".repeat(64));
  });

  it("puts the old token back when the webhook does not take the new one", async () => {
    const before = live();
    const [url] = urls();
    lab.webhook.tokens = () => before;
    await expect(rotate()).rejects.toThrow("it does not know the token");
    expect([live(), [...urls()]]).toEqual([before, [url]]);
  });

  it("puts the old token back when the webhooks cannot be changed", async () => {
    const before = live();
    const [url] = urls();
    lab.api.faults.push({ method: "PATCH", path: "revision-tag", status: 403, times: 1 });
    await expect(rotate()).rejects.toThrow("Not allowed in cluster shop");
    expect([live(), [...urls()]]).toEqual([before, [url]]);
  });

  it.each([
    ["the webhooks are put back", "nothing", 1, "The old token stays; the new one is retired"],
    ["one keeps the new token", "PUT", 2, "Both tokens stay live: run outrigger token rotate again"],
    [
      "the record cannot be changed",
      "retire-token",
      2,
      "The old token stays; the new one could not be retired: the next rotation retires it",
    ],
  ])("says which tokens are live after a rotation that failed where %s", async (_, refused, count, last) => {
    const report = (line: string) => {
      lab.ports.report(line);
      if (line !== "Writing it to the webhooks") return;
      lab.api.faults.push({ method: "PATCH", path: "revision-tag", status: 403, times: 1 });
      if (refused === "PUT") lab.api.faults.push({ method: "PUT", path: "outrigger-sidecar-injector", status: 403 });
    };
    const ask: typeof lab.ports.ask = async (request) => {
      if (request.action === refused) throw new OutriggerError("cluster-denied", "no");
      return lab.ports.ask(request);
    };
    await expect(rotate({}, { ...lab.ports, report, ask })).rejects.toThrow("Not allowed in cluster shop");
    expect(live()).toHaveLength(count);
    expect(urls().size).toBe(refused === "PUT" ? 2 : 1);
    expect(lab.lines.at(-1)).toBe(last);
  });

  it("says what to do when the cluster is not registered, or no webhook has a live token", async () => {
    const { record } = { record: lab.publisher.records.get("shop") };
    lab.publisher.records.set("shop", { ...(record as NonNullable<typeof record>), tokens: [] });
    await expect(rotate()).rejects.toThrow("outrigger register --cluster shop");
    lab.publisher.records.clear();
    await expect(rotate()).rejects.toThrow("shop is not registered");
  });
});
