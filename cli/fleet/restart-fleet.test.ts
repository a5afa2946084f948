import type { JsonObject, OutriggerError } from "@outrigger/base";
import { kubeClient } from "@outrigger/cluster";
import type { RestartJournal } from "@outrigger/rollouts";
import { describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { endOf } from "../rollouts/restart-workloads.ts";
import { lookAt, lookedAt, restartFleet, rowOf, settingsOf } from "./restart-fleet.ts";

const JOURNAL: RestartJournal = {
  ...{ question: {}, parallel: 1, deployment: "dev", at: "2026-11-23T08:00:00Z", by: "ada", epoch: 1, state: "done" },
  ...{ done: 4, moving: [], waiting: 0, left: [{ workload: "shop/Deployment/web", why: "it is paused" }], unlisted: 2 },
};

describe("restartFleet()", () => {
  type Action = Parameters<typeof restartFleet>[0];
  type Options = Parameters<typeof restartFleet>[1];

  /** Three clusters that no context leads to: `one` and `two` in the second ring, `zero` in the first. */
  async function ran(action: Action, options: Partial<Options> = {}) {
    const aws = fakeAws();
    const put = (name: string, record: JsonObject) => aws.put(name, JSON.stringify(record, null, 1));
    const channel = { release: "aaaaaaaaaaaa", pinned: false, history: [] };
    const follows = { channel: "canary", after: 60, pods: 10, alarms: [] };
    await put(aws.layout.channel("canary"), channel);
    await put(aws.layout.channel("stable"), { ...channel, follows });
    for (const [name, served] of Object.entries({ one: "stable", two: "stable", zero: "canary" })) {
      const record = { arn: "", revisions: { default: served }, tokens: [], settings: { default: {} } };
      await put(aws.layout.cluster(name), record);
    }
    const io = fakeIo({ connect: aws.connect, env: { KUBECONFIG: "no-file" }, isTerminal: true });
    const command = (clusters: readonly string[]) => `outrigger restart --clusters ${clusters.join(",")}`;
    const given = { deployment: "dev", parallel: 1, maxConcurrency: 1, ...options };
    const thrown = await restartFleet(action, given, command, io).catch((error: OutriggerError) => error);
    const rows = io.out().trimEnd().split("\n");
    const seen = rows.slice(1).map((row) => `${row.split(" ")[0]}${row.endsWith("not begun") ? " is not begun" : ""}`);
    return { seen, heading: rows[0]?.split(/ +/), message: thrown?.message ?? "", err: io.err() };
  }

  it("restarts ring by ring, and begins nothing more after a cluster that is not well", async () => {
    const { seen, heading, message, err } = await ran(undefined, { all: true });
    expect(heading).toEqual(["CLUSTER", "DONE", "LEFT", "RESULT"]);
    expect(seen).toEqual(["zero", "one is not begun", "two is not begun"]);
    expect(message).toContain("continue with: outrigger restart --clusters zero,one,two");
    // The restart of each says itself what it does.
    expect(err).toBe("");
    expect((await ran("resume", { all: true })).seen).toEqual(seen);
  });

  it("takes clusters that are named in their order, ring after ring where rings stand next to one another", async () => {
    expect((await ran(undefined, { clusters: ["two", "zero"] })).seen).toEqual(["two", "zero is not begun"]);
  });

  it("plans for all of them in a dry run, and names no command", async () => {
    const { seen, message } = await ran(undefined, { all: true, dryRun: true });
    expect(seen).toEqual(["zero", "one", "two"]);
    expect(message).toBe("3 could not be asked or changed, 0 are well");
  });

  it.each(["status", "stop"] as const)("asks all of them for %s, by their names, and counts them", async (action) => {
    const { seen, message, err } = await ran(action, { all: true });
    expect(seen).toEqual(["one", "two", "zero"]);
    expect(message).toBe("3 could not be asked or changed, 0 are well");
    expect(err).toContain("3 of 3 clusters");
  });
});

describe("rowOf()", () => {
  it("counts what is done and left, and keeps what is found", () => {
    expect(rowOf(endOf(JOURNAL))).toMatchObject({
      value: JOURNAL,
      cells: ["4", "3"],
      said: "3 workloads were left as they are",
      finding: { code: "findings" },
      isHarmless: true,
    });
    const { unlisted: _, ...well } = { ...JOURNAL, left: [] };
    expect(rowOf(endOf(well))).toEqual({ value: well, cells: ["4", "0"], said: "all are back", isHarmless: true });
    const failure = { workload: "shop/Deployment/web", why: "it crashes" };
    expect(rowOf(endOf({ ...JOURNAL, state: "failed", failure }))).toMatchObject({ isHarmless: false });
  });

  it("says where there is no restart to continue", () => {
    expect(rowOf(undefined)).toEqual({ value: {}, cells: ["0", "0"], said: "there is no restart to continue" });
  });
});

describe("lookedAt()", () => {
  it("has a finding where a restart is not well, and none where it was stopped", () => {
    expect(lookedAt("status", endOf(JOURNAL)).finding?.message).toBe("3 workloads were left as they are");
    expect(lookedAt("stop", endOf(JOURNAL)).finding).toBeUndefined();
    expect(lookedAt("stop", endOf(JOURNAL)).said).toBe("3 workloads were left as they are");
  });
});

describe("lookAt()", () => {
  const clusterWith = (journal?: RestartJournal) => {
    const asked: string[] = [];
    const exchange: Parameters<typeof kubeClient>[0]["exchange"] = async ({ method, path }) => {
      asked.push(`${method} ${path}`);
      if (journal === undefined) return { status: 404, body: JSON.stringify({ kind: "Status" }) };
      const metadata = { name: "outrigger-restart", resourceVersion: "1" };
      return { status: 200, body: JSON.stringify({ metadata, data: { restart: JSON.stringify(journal) } }) };
    };
    return { asked, cluster: { name: "shop", kube: kubeClient({ name: "shop", sleep: async () => {}, exchange }) } };
  };

  it("says how a restart ended, and writes nothing", async () => {
    const { cluster, asked } = clusterWith(JOURNAL);
    expect(await lookAt("status", cluster)).toMatchObject({ value: JOURNAL, done: 4, left: 3 });
    expect(asked).toEqual([expect.stringMatching(/^GET /)]);
  });

  it.each(["status", "stop"] as const)("refuses %s where nothing was restarted yet", async (action) => {
    await expect(lookAt(action, clusterWith().cluster)).rejects.toMatchObject({
      code: "cluster-unknown",
      message: "Nothing was restarted in shop yet",
    });
  });
});

describe("settingsOf()", () => {
  const options = { parallel: 2, maxConcurrency: 1 };

  it("asks which workloads are restarted, and whether their pods are changed where they run", () => {
    expect(settingsOf(undefined, options)).toEqual({ ...options, question: {}, isResumed: false });
    const asked = { ...options, namespace: "shop", selector: "app=web", inPlace: true as const };
    expect(settingsOf("resume", asked)).toMatchObject({
      question: { namespace: "shop", selector: "app=web", inPlace: [] },
      isResumed: true,
    });
    expect(settingsOf(undefined, { ...asked, container: ["log"] }).question).toMatchObject({ inPlace: ["log"] });
  });
});
