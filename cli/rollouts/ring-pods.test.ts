import type { ChannelRecord } from "@outrigger/publisher";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CliLab } from "../../test/eks/cli-lab.ts";
import { deployedPods } from "../../test/eks/deployed-pods.ts";
import { openRegisteredLab } from "../../test/eks/registered-lab.ts";
import { readRingPods } from "./ring-pods.ts";

const CONDITIONS = [{ type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() }];
const NEW = ["cart", "late", "mail", "news"];
const OLD = ["web", "a", "b", "c", "d"];

describe("readRingPods()", { timeout: 180_000 }, () => {
  let lab: CliLab;
  let record: ChannelRecord;
  beforeAll(async () => {
    lab = await openRegisteredLab();
    const run = deployedPods(() => lab, { conditions: CONDITIONS });
    for (const name of OLD) await run(name);
    await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
    expect((await lab.run("publish")).code).toBe(0);
    record = JSON.parse(lab.aws.store.values()[lab.aws.layout.channel("stable")] as string);
  });
  afterAll(() => lab.close());

  const ask = async (followed: Readonly<Record<string, ChannelRecord>> = { stable: record }) => {
    const io = lab.ioOf({ cwd: lab.cwd, env: {}, input: [] });
    const pods = await readRingPods(followed, { deployment: "dev", all: true, maxConcurrency: 5 } as never, io);
    return { pods, err: io.err() };
  };
  /** Restarts the sidecar of every pod of these workloads again and again. */
  const trouble = (names: readonly string[], restartCount: number) => {
    for (const [path, pod] of lab.api.objects) {
      if (!names.some((name) => path.includes(`/pods/${name}-`))) continue;
      const containerStatuses = [{ name: "istio-proxy", restartCount, state: { running: {} } }];
      lab.api.put(path, { ...pod, status: { ...(pod["status"] as object), containerStatuses } });
    }
  };
  const remove = (names: readonly string[]) => {
    for (const path of [...lab.api.objects.keys()])
      if (names.some((name) => path.includes(`/pods/${name}-`))) lab.api.objects.delete(path);
  };

  it("asks only clusters that a channel of these serves", async () => {
    expect((await ask({})).pods).toEqual([]);
    expect((await ask({ canary: record })).pods).toEqual([]);
  });

  it("knows nothing where no pod has the release", async () => {
    expect((await ask()).pods).toEqual([
      {
        cluster: "shop",
        channel: "stable",
        release: record.release,
        verdict: "unknown",
        why: "no pod has its release",
      },
    ]);
  });

  it("is fine where its pods are, suspects those that restart, and compares them with others", async () => {
    const run = deployedPods(() => lab, { conditions: CONDITIONS });
    for (const name of NEW) await run(name);
    const verdict = async () => {
      const { pods } = await ask();
      return [pods[0]?.verdict, pods[0]?.why];
    };
    expect(await verdict()).toEqual(["fine", "the pods of its 4 workloads are well"]);
    trouble(NEW, 3);
    expect(await verdict()).toEqual([
      expect.stringMatching(/^(worse|suspect)$/),
      expect.stringContaining("4 of 4 workloads restarted"),
    ]);
    // What others suffer as well says nothing of the release.
    trouble(OLD, 3);
    expect((await verdict())[0]).not.toBe("worse");
    trouble(OLD, 0);
    remove(OLD.slice(1));
    expect(await verdict()).toEqual([
      "suspect",
      "4 of 4 workloads are not well, and too few others (1) have another release to compare with",
    ]);
    remove(OLD);
    expect(await verdict()).toEqual([
      "suspect",
      "4 of 4 workloads are not well, and no other has another release to compare with",
    ]);
    // Two are too few to say so.
    trouble(NEW.slice(2), 0);
    expect((await verdict())[1]).not.toContain("to compare with");
  });

  it("says why a cluster could not be asked, and asks the others", async () => {
    const pay = await lab.addCluster("pay");
    expect((await lab.run("register", "--cluster", "pay", "--ca-file", "ca.pem", "--phase", "cluster")).code).toBe(0);
    pay.api.before = () => {
      throw new Error("cut");
    };
    const { pods } = await ask();
    expect(pods.map(({ cluster, verdict }) => [cluster, verdict === "unread"])).toEqual([
      ["pay", true],
      ["shop", false],
    ]);
    expect(pods[0]?.why).toMatch(/^Cannot reach /);
    await lab.aws.put(lab.aws.layout.cluster("pay"), "damaged");
    const damaged = await ask();
    expect(damaged.pods.map(({ cluster }) => cluster)).toEqual(["shop"]);
    expect(damaged.err).toMatch(/^Warning: .*pay/);
  });
});
