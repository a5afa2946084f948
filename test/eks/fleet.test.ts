// The commands that take several clusters at once, through the command line: three clusters in two accounts and two Regions.
import { putWorkload } from "@outrigger/fake-aws";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type CliLab, openCliLab } from "./cli-lab.ts";
import { withControllers } from "./controlled-lab.ts";
import { deployedPods } from "./deployed-pods.ts";

const ROLE = "arn:aws:iam::222233334444:role/fleet";

describe("several clusters at once", { timeout: 180_000 }, () => {
  let lab: CliLab;
  let pay: Awaited<ReturnType<CliLab["addCluster"]>>;
  let us: typeof pay;
  beforeEach(async () => {
    lab = await openCliLab();
    pay = await lab.addCluster("pay", "222233334444/eu-west-1");
    us = await lab.addCluster("us", "111122223333/us-east-1");
    for (const cluster of [lab, pay, us]) cluster.namespace("shop", { "istio-injection": "enabled" });
    expect((await lab.run("publish")).err).toBe("");
    await lab.run("publish", "--channel", "canary");
    const registered = await Promise.all([
      lab.register("--phase", "cluster"),
      lab.register("--phase", "cluster", "--cluster", "pay", "--role-arn", ROLE),
      lab.register("--phase", "cluster", "--cluster", "us", "--cluster-region", "us-east-1", "--as", "shop-us"),
    ]);
    expect(registered.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect((await lab.run("clusters", "set", "shop-us", "revision.default=canary")).code).toBe(0);
    // Each deployment has it, as any cluster's record, and it is no cluster.
    const canary = { revisions: { default: "stable" }, arn: "", tokens: [] };
    await lab.aws.put(lab.aws.layout.cluster("canary"), JSON.stringify(canary));
    for (const { api } of [lab, pay, us]) await deployedPods(() => ({ api }))("web");
    lab.services.eksCallers.length = 0;
  });
  afterEach(() => lab.close());

  const rowsOf = (out: string) =>
    out
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));

  describe("outrigger diff and samples", () => {
    it("compare the workloads of all, or of those of a channel", async () => {
      await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
      const all = await lab.run("diff", "stable", "source", "--clusters", "pay,shop", "--role-name", "fleet");
      expect(all.code, all.err).toBe(1);
      expect(all.out).toContain("2 of 2 pods in 2 workloads: containers[istio-proxy].image");
      expect(all.err).toBe("2 workloads of 2 clusters would come out differently\n");
      const canary = await lab.run("diff", "canary", "source", "--channel", "canary", "-o", "json");
      expect(JSON.parse(canary.out)).toMatchObject({ clusters: [{ cluster: "shop-us", pods: 1 }], leftOut: [] });
    });

    it("leave out one that cannot be reached, and say so", async () => {
      pay.api.before = () => {
        throw new Error("cut");
      };
      const diff = await lab.run("diff", "stable", "source", "--all", "--role-name", "fleet");
      expect(diff.code).toBe(3);
      expect(diff.out).toMatch(/^pay is left out: Cannot reach the API server of cluster pay/m);
      expect(diff.err).toContain("1 of 3 clusters could not be asked: pay");
      const samples = ["samples", "tree", "--all", "--role-name", "fleet"];
      lab.write("tree/config.yaml", "{}\n");
      const dry = await lab.run(...samples, "--dry-run");
      expect(dry.code, dry.err).toBe(3);
      expect(dry.out).toContain("2 pods of shop, shop-us take");
      expect(dry.out).toMatch(/^pay is left out: /m);
      // What no pod of the others needs, one of its pods may.
      const pruned = await lab.run(...samples, "--prune");
      expect([pruned.code, pruned.out]).toEqual([3, ""]);
      expect(pruned.err).toContain("Cannot prune: 1 of 3 clusters could not be asked: pay");
      const none = await lab.run("diff", "stable", "source", "--clusters", "pay", "--role-name", "fleet");
      expect([none.code, none.out]).toEqual([3, ""]);
      expect(none.err).toContain("Cannot reach the API server of cluster pay");
      const twice = await lab.run("diff", "stable", "source", "--all", "--cluster", "shop");
      expect([twice.code, twice.err]).toEqual([2, expect.stringContaining("Cannot use --cluster with --all")]);
    });
  });

  describe("outrigger diff and samples, where the pods of one cannot be read", () => {
    it("ask the others, and say so", async () => {
      await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
      lab.write("tree/config.yaml", "{}\n");
      pay.api.before = (_, path) => {
        if (path.includes("/pods")) throw new Error("cut");
      };
      const diff = await lab.run("diff", "stable", "source", "--all", "--role-name", "fleet");
      expect(diff.code, diff.err).toBe(3);
      expect(diff.out).toContain("1 of 2 pods in 1 workload: containers[istio-proxy].image");
      expect(diff.out).toMatch(/^pay is left out after 0 pods: Cannot reach the API server of cluster pay/m);
      expect(diff.err).toContain("1 of 3 clusters could not be asked: pay");
      const pruned = await lab.run("samples", "tree", "--all", "--role-name", "fleet", "--prune");
      expect([pruned.code, pruned.out]).toEqual([3, ""]);
      expect(pruned.err).toContain("Cannot prune: 1 of 3 clusters could not be asked: pay");
    });
  });

  describe("outrigger pods", () => {
    it("has a row for each, and is well where all are", async () => {
      const { code, out, err } = await lab.run("pods", "--all", "--role-name", "fleet");
      expect([code, err]).toEqual([0, ""]);
      expect(rowsOf(out)).toEqual([
        ["CLUSTER", "PODS", "WORKLOADS", "OUTDATED", "RESULT"],
        ["pay", "1", "1", "0", "1 current"],
        ["shop", "1", "1", "0", "1 current"],
        ["shop-us", "1", "1", "0", "1 current"],
      ]);
      // The role is assumed in the other account alone.
      expect(lab.services.eksCallers.toSorted()).toEqual(["AKIDEXAMPLE", "AKIDEXAMPLE", "ROLEfleet"]);
    });

    it("asks those of a channel, or those that are named, in their order", async () => {
      expect(rowsOf((await lab.run("pods", "--channel", "canary")).out).map(([name]) => name)).toEqual([
        "CLUSTER",
        "shop-us",
      ]);
      const { out } = await lab.run("pods", "--clusters", "shop-us,shop", "-o", "json");
      expect(JSON.parse(out)).toMatchObject([
        { cluster: "shop-us", exitCode: 0, pods: 1 },
        { cluster: "shop", exitCode: 0, pods: 1, states: { current: 1 } },
      ]);
      expect((await lab.run("pods", "--clusters", "shop-us,shop", "-o", "yaml")).out).toMatch(
        /^- changes: \[\]\n {2}cluster: shop-us\n/,
      );
    });

    it("shows what differs, what is unreachable and what is forbidden, each in its row", async () => {
      await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
      expect((await lab.run("publish")).code).toBe(0);
      pay.api.before = () => {
        throw new Error("cut");
      };
      us.api.faults.push({ method: "GET", path: "/pods", status: 403 });
      const { code, out, err } = await lab.run("pods", "--all", "--role-name", "fleet");
      expect(code).toBe(3);
      const rows = rowsOf(out);
      expect(rows[1]?.slice(0, 4)).toEqual(["pay", "-", "-", "-"]);
      expect(rows[1]?.[4]).toContain("Cannot reach the API server of cluster pay");
      expect(rows[2]).toEqual(["shop", "1", "1", "1", "1 outdated"]);
      expect(rows[3]?.[4]).toMatch(/not allow|forbid|denied/i);
      expect(err).toBe("2 could not be asked or changed, 1 has findings, 0 are well\n");
      const only = await lab.run("pods", "--clusters", "shop");
      expect([only.code, only.err]).toEqual([1, "1 has findings, 0 are well\n"]);
    });

    it("has a row for a record that cannot be read", async () => {
      await lab.aws.put(lab.aws.layout.cluster("broken"), "{}");
      const { code, out } = await lab.run("pods", "--channel", "canary");
      expect(code).toBe(1);
      expect(rowsOf(out)[1]?.slice(0, 2)).toEqual(["broken", "-"]);
      expect(out).toContain("register the cluster again");
    });

    it("lists those without a sidecar by cluster", async () => {
      await deployedPods(() => us)("late");
      for (const [path, pod] of us.api.objects) {
        if (!path.includes("/pods/late")) continue;
        us.api.put(path, {
          ...pod,
          spec: { containers: [{ name: "app", image: "late:1" }] },
          metadata: { ...(pod["metadata"] as object), annotations: {} },
        });
      }
      const { code, out } = await lab.run("pods", "--clusters", "shop,shop-us", "--state", "missing");
      expect(code).toBe(1);
      expect(rowsOf(out).map((row) => row.slice(0, 4))).toEqual([
        ["CLUSTER", "PODS", "INJECTED", "MISSING"],
        ["shop", "1", "1", "0"],
        ["shop-us", "2", "1", "1"],
      ]);
    });

    it("reaches them by the contexts of a kubeconfig, by name or by ARN", async () => {
      const byArn = {
        contexts: [{ name: "arn:aws:eks:us-east-1:111122223333:cluster/us", context: { cluster: "u", user: "u" } }],
      };
      const kubeconfig = JSON.parse(
        JSON.stringify({ ...byArn, clusters: [], users: [{ name: "u", user: { token: "t" } }] }),
      );
      kubeconfig.contexts.push({ name: "shop", context: { cluster: "s", user: "u" } });
      for (const [name, { api }] of [
        ["s", lab],
        ["u", us],
      ] as const) {
        kubeconfig.clusters.push({ name, cluster: { server: api.url, "certificate-authority-data": btoa(api.ca) } });
      }
      lab.write("fleet.kubeconfig", JSON.stringify(kubeconfig));
      const { code, out } = await lab.run("pods", "--all", "--kubeconfig", "fleet.kubeconfig");
      expect(code).toBe(3);
      const rows = rowsOf(out);
      expect(rows.slice(2)).toEqual([
        ["shop", "1", "1", "0", "1 current"],
        ["shop-us", "1", "1", "0", "1 current"],
      ]);
      expect(rows[1]?.[4]).toContain('has no context "pay"');
      expect(lab.services.eksCallers).toEqual([]);
    });

    it("begins with none where one that is named is not registered", async () => {
      const { code, err } = await lab.run("pods", "--clusters", "shop,shop-uss");
      expect([code, err]).toEqual([
        3,
        expect.stringContaining('There is no registered cluster shop-uss, did you mean "shop-us"'),
      ]);
      expect(lab.services.eksCallers).toEqual([]);
    });
  });

  describe("outrigger check", () => {
    it("has one verdict, a row for each and the deployment once", async () => {
      const before = lab.services.asked.length;
      const { code, out, err } = await lab.run("check", "--all", "--role-name", "fleet", "-o", "json");
      const items = JSON.parse(out) as readonly {
        cluster: string;
        exitCode: number;
        checks: { id: string; section: string; level: string }[];
      }[];
      expect(items.map(({ cluster }) => cluster)).toEqual(["(deployment dev)", "pay", "shop", "shop-us"]);
      expect([code, err, items.map(({ exitCode }) => exitCode)], out).toEqual([0, "", [0, 0, 0, 0]]);
      expect([...new Set(items[0]?.checks.map(({ section }) => section))]).toEqual(["deployment"]);
      expect(items[1]?.checks.filter(({ section }) => section === "deployment")).toEqual([]);
      // What is of the deployment is read once.
      const alarms = lab.services.asked.slice(before).filter(({ action }) => action === "cloudwatch:DescribeAlarms");
      expect(alarms.length).toBe(1);
      // Each comes to what the check of it alone comes to.
      const alone = JSON.parse((await lab.run("check", "--cluster", "pay", "--role-arn", ROLE, "-o", "json")).out);
      const rest = (checks: readonly { section: string; id: string; level: string }[]) =>
        checks.filter(({ section }) => section !== "deployment").map(({ id, level }) => `${id} ${level}`);
      expect(rest(items[1]?.checks ?? [])).toEqual(rest(alone.checks));
    });

    it("says in each row what is wrong, and goes on where one cannot be reached", async () => {
      pay.api.before = () => {
        throw new Error("cut");
      };
      const { out } = await lab.run("check", "--clusters", "pay,shop", "--role-name", "fleet");
      const rows = rowsOf(out);
      expect(rows[0]).toEqual(["CLUSTER", "OK", "WARNING", "ERROR", "UNKNOWN", "RESULT"]);
      expect(rows[2]?.[5]).toMatch(/: could not be checked: Cannot reach the API server of cluster pay/);
      expect(Number(rows[2]?.[4])).toBeGreaterThan(3);
      expect(rows[3]?.[0]).toBe("shop");
      expect(Number(rows[3]?.[1])).toBeGreaterThan(10);
    });

    it("names a cluster of another account with its role, in what it proposes", async () => {
      const webhooks = [...pay.api.objects.keys()].filter((path) => path.includes("mutatingwebhookconfigurations"));
      for (const path of webhooks) pay.api.objects.delete(path);
      const { out } = await lab.run("check", "--clusters", "pay", "--role-name", "fleet", "-o", "json");
      expect(out).toContain(`--cluster pay --cluster-region eu-west-1 --role-arn ${ROLE}`);
    });

    it("compares each with its registration", async () => {
      const path = [...us.api.objects.keys()].find((one) => one.includes("mutatingwebhookconfigurations")) as string;
      us.api.objects.delete(path);
      const { code, out } = await lab.run("check", "--all", "--role-name", "fleet", "--section", "registration");
      expect(code).toBe(1);
      expect(rowsOf(out).map((row) => row.slice(0, 3))).toEqual([
        ["CLUSTER", "REVISIONS", "DIFFERENCES"],
        ["pay", "default=stable", "0"],
        ["shop", "default=stable", "0"],
        ["shop-us", expect.any(String), expect.stringMatching(/[1-9]/)],
      ]);
    });
  });

  describe("outrigger restart", () => {
    const apis = () => [lab, pay, us];
    /** Every workload would come out differently now. */
    const outdated = async () => {
      vi.useFakeTimers({ toFake: ["Date"] });
      for (const { api } of apis()) {
        for (const path of api.objects.keys()) if (path.includes("/pods/")) api.objects.delete(path);
        for (const name of ["cart", "web"]) putWorkload({ put: (path, object) => api.put(path, object) }, "shop", name);
      }
      await withControllers(lab, [pay.api, us.api]);
      await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
      for (const channel of ["stable", "canary"]) expect((await lab.run("publish", "--channel", channel)).code).toBe(0);
    };
    afterEach(() => void vi.useRealTimers());

    it("takes one cluster after the other, in the order that is given", async () => {
      await outdated();
      const planned = await lab.run("restart", "--all", "--role-name", "fleet", "--dry-run");
      expect([planned.code, rowsOf(planned.out).slice(1)]).toEqual([
        0,
        ["pay", "shop", "shop-us"].map((name) => [name, "0", "0", "would restart 2 workloads"]),
      ]);
      const done = await lab.run("restart", "--clusters", "shop-us,pay,shop", "--role-name", "fleet", "--yes");
      expect([done.code, rowsOf(done.out)]).toEqual([
        0,
        [
          ["CLUSTER", "DONE", "LEFT", "RESULT"],
          ...["shop-us", "pay", "shop"].map((name) => [name, "2", "0", "all are back"]),
        ],
      ]);
      const order = done.err.split("\n").flatMap((line) => /^(\S+): To restart/.exec(line)?.[1] ?? []);
      expect(order).toEqual(["shop-us", "pay", "shop"]);
      expect((await lab.run("pods", "--all", "--role-name", "fleet")).code).toBe(0);
      const status = await lab.run("restart", "status", "--all", "--role-name", "fleet", "-o", "json");
      expect([status.code, JSON.parse(status.out)]).toMatchObject([
        0,
        [{ cluster: "pay", state: "done", done: 2 }, {}, {}],
      ]);
    });

    /** Three rings, in the opposite order of the names of their clusters. */
    const inRings = async () => {
      for (const [ring, leader, cluster] of [
        ["ring-2", "stable", "shop"],
        ["ring-3", "ring-2", "pay"],
      ] as const) {
        expect((await lab.run("promote", "stable", ring)).code).toBe(0);
        expect((await lab.run("channel", "follow", ring, leader)).code).toBe(0);
        expect((await lab.run("clusters", "set", cluster, `revision.default=${ring}`)).code).toBe(0);
      }
      expect((await lab.run("clusters", "set", "shop-us", "revision.default=stable")).code).toBe(0);
    };

    it("takes one ring after the other with --all, also where several are restarted at a time", async () => {
      await outdated();
      await inRings();
      const all = ["restart", "--all", "--role-name", "fleet", "--max-concurrency", "3", "--yes"];
      const done = await lab.run(...all);
      expect([done.code, rowsOf(done.out).map(([name, , , said]) => [name, said])], done.err).toEqual([
        0,
        [["CLUSTER", "RESULT"], ...["shop-us", "shop", "pay"].map((name) => [name, "all are back"])],
      ]);
      const lines = done.err.split("\n").map((line) => line.split(":")[0]);
      const begins = ["shop-us", "shop", "pay"].map((name) => lines.indexOf(name));
      expect(begins).toEqual(begins.toSorted((one, other) => one - other));
      expect(lines.lastIndexOf("shop-us")).toBeLessThan(lines.indexOf("shop"));
      expect(lines.lastIndexOf("shop")).toBeLessThan(lines.indexOf("pay"));
    });

    it("begins no ring behind the one that has a cluster that is not well", async () => {
      await outdated();
      await inRings();
      us.api.before = () => {
        throw new Error("cut");
      };
      const all = ["restart", "--all", "--role-name", "fleet", "--max-concurrency", "3", "--yes"];
      const { code, out, err } = await lab.run(...all);
      expect([code, rowsOf(out).map(([name]) => name)]).toEqual([3, ["CLUSTER", "shop-us", "shop", "pay"]]);
      expect(err).toContain("done: none; failed: shop-us; not begun: shop, pay; see to shop-us, then continue with: ");
      expect(err).toContain(
        "outrigger restart --clusters shop-us,shop,pay --role-name fleet --max-concurrency 3 --yes",
      );
      const written = [lab, pay].flatMap(({ api }) =>
        api.calls.filter((call) => /^PATCH .*\/deployments\//.test(call)),
      );
      expect(written).toEqual([]);
    });

    it("stops at one that is killed in the middle, says what is done, and goes on with what it prints", async () => {
      await outdated();
      const { before: tick } = us.api;
      let writes = 0;
      us.api.before = async (method, path) => {
        if (method === "PATCH" && path.includes("/deployments/")) writes++;
        if (writes > 1) throw new Error("killed");
        await tick(method, path);
      };
      const { code, out, err } = await lab.run(
        "restart",
        "--clusters",
        "pay,shop-us,shop",
        "--role-name",
        "fleet",
        "--yes",
        "--bake",
        "90s",
      );
      expect(code).toBe(3);
      const rows = rowsOf(out);
      expect(rows[1]).toEqual(["pay", "2", "0", "all are back"]);
      expect(rows[2]?.[3]).toContain("Cannot reach the API server of cluster us");
      expect(rows[3]).toEqual(["shop", "-", "-", "not begun"]);
      const [, next = ""] = /continue with: (outrigger .*)\n$/.exec(err) ?? [];
      expect(err).toContain("done: pay; failed: shop-us; not begun: shop; see to shop-us, then continue with: ");
      expect(next).toBe("outrigger restart --clusters shop-us,shop --role-name fleet --bake 1m30s --yes");
      // What the rows say is so.
      us.api.before = tick;
      const pods = rowsOf((await lab.run("pods", "--all", "--role-name", "fleet")).out).slice(1);
      expect(pods.map(([name, , , outdated]) => [name, outdated])).toEqual([
        ["pay", "0"],
        ["shop", "2"],
        ["shop-us", expect.stringMatching(/[12]/)],
      ]);
      await lab.sleep(120_000);
      const again = await lab.run(...next.split(" ").slice(1));
      expect([again.code, again.err]).toEqual([0, expect.stringContaining("shop-us: Continuing the restart that")]);
      expect(rowsOf(again.out).map((row) => row[3])).toEqual(["RESULT", "all are back", "all are back"]);
      expect((await lab.run("pods", "--all", "--role-name", "fleet")).code).toBe(0);
    });

    it("begins no other after one whose workload does not come back", async () => {
      await outdated();
      await lab.aws.edit("values/10-mine", "global: {hub: crashing.example}\n");
      expect((await lab.run("publish")).code).toBe(0);
      const { code, out, err } = await lab.run("restart", "--clusters", "shop,pay", "--role-name", "fleet", "--yes");
      expect([code, rowsOf(out)[2]]).toEqual([1, ["pay", "-", "-", "not begun"]]);
      expect(rowsOf(out)[1]?.[3]).toMatch(/^shop\/Deployment\/\w+ does not come back: /);
      expect(err).toContain("done: none; failed: shop; not begun: pay; see to shop, then continue with: ");
      expect(pay.api.calls.filter((call) => call.startsWith("PATCH") && call.includes("deployments"))).toEqual([]);
    });

    it("begins no other once it is asked to stop", async () => {
      await outdated();
      const { io, ended } = lab.start(["restart", "--clusters", "shop,pay", "--role-name", "fleet", "--yes"]);
      const { before: tick } = lab.api;
      lab.api.before = async (method, path) => {
        if (method === "PATCH" && path.includes("/deployments/")) io.stop();
        await tick(method, path);
      };
      expect(await ended).toBe(1);
      expect(rowsOf(io.out())[2]).toEqual(["pay", "-", "-", "not begun"]);
      expect(io.err().match(/Beginning nothing more/g)?.length).toBe(1);
    });
  });

  describe("outrigger rollout status --rings", () => {
    it("looks at the pods of what a ring takes next, and says of which cluster they are not well", async () => {
      // shop and pay are served stable; us the ring that follows it.
      const conditions = [{ type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() }];
      const ready = deployedPods(() => pay, { conditions });
      const NEW = ["cart", "late", "mail", "news", "pay"];
      const OLD = ["web", "a", "b", "c", "d", "e"];
      for (const name of OLD.slice(1)) await ready(name);
      expect((await lab.run("channel", "follow", "canary", "stable")).code).toBe(0);
      await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
      expect((await lab.run("publish", "--channel", "stable")).code).toBe(0);
      const release = JSON.parse((await lab.run("channel", "-o", "json")).out)["stable"].release as string;
      for (const name of NEW) await ready(name);
      const status = ["rollout", "status", "--rings", "--all", "--role-name", "fleet"];
      const well = await lab.run(...status);
      expect([well.code, well.err]).toEqual([0, ""]);
      expect(rowsOf(well.out.slice(well.out.indexOf("CLUSTER")))).toEqual([
        ["CLUSTER", "CHANNEL", "RELEASE", "PODS"],
        ["pay", "stable", release, "the pods of its 5 workloads are well"],
        ["shop", "stable", release, "no pod has its release"],
      ]);
      for (const [path, pod] of pay.api.objects) {
        if (!NEW.some((name) => path.includes(`/pods/${name}-`))) continue;
        const containerStatuses = [{ name: "istio-proxy", restartCount: 3, state: { running: {} } }];
        pay.api.put(path, { ...pod, status: { ...(pod["status"] as object), containerStatuses } });
      }
      const worse = await lab.run(...status, "-o", "json");
      expect([worse.code, worse.err]).toEqual([
        1,
        `The pods of ${release} in pay are not well: 5 of 5 workloads restarted (0 of 6 others); "outrigger pin stable" holds what follows it\n`,
      ]);
      expect(JSON.parse(worse.out)).toMatchObject([
        {
          ring: "stable",
          pods: [
            { cluster: "pay", verdict: "suspect" },
            { cluster: "shop", verdict: "unknown" },
          ],
        },
        { ring: "canary", pods: [] },
      ]);
      // One other proves nothing, and once all have it, there is none to compare with.
      for (const [gone, compared] of [
        [OLD.slice(1), "too few others (1) have"],
        [OLD, "no other has"],
      ] as const) {
        for (const path of pay.api.objects.keys())
          if (gone.some((name) => path.includes(`/pods/${name}-`))) pay.api.objects.delete(path);
        const few = await lab.run(...status);
        const why = `5 of 5 workloads are not well, and ${compared} another release to compare with`;
        expect([few.code, few.err]).toEqual([1, expect.stringContaining(why)]);
      }
    });

    it("says which clusters could not be asked, and is for rings alone", async () => {
      const follow = ["channel", "follow", "canary", "stable", "--after", "1m", "--abort-on", "errors"];
      expect((await lab.run(...follow)).code).toBe(0);
      await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
      expect((await lab.run("publish", "--channel", "stable")).code).toBe(0);
      pay.api.before = () => {
        throw new Error("cut");
      };
      const status = ["rollout", "status", "--rings", "--all", "--role-name", "fleet"];
      const { code, out, err } = await lab.run(...status);
      expect([code, err]).toEqual([3, "The pods of pay could not be read\n"]);
      // A ring that is held is told too, and hides it not.
      lab.services.alarms.set("outrigger-dev-errors", "ALARM");
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
      const held = await lab.run(...status).finally(() => vi.useRealTimers());
      expect([held.code, held.err]).toEqual([
        3,
        expect.stringMatching(
          /^canary does not move on: .*outrigger-dev-errors.*; The pods of pay could not be read\n$/,
        ),
      ]);
      expect(out).toMatch(/^pay +stable +\S+ +Cannot reach the API server of cluster pay/m);
      expect(await lab.run("rollout", "status", "--all")).toMatchObject({
        code: 2,
        err: "Use --clusters and --all with --rings; of one rollout, name --cluster\n",
      });
    });
  });

  describe("outrigger token rotate", () => {
    it("gives each a new token, and goes on where one cannot be reached", async () => {
      pay.api.before = () => {
        throw new Error("cut");
      };
      const tokens = async () =>
        JSON.parse((await lab.run("clusters", "-o", "json")).out) as Record<string, { tokens: { sha256: string }[] }>;
      const before = await tokens();
      const { code, out } = await lab.run("token", "rotate", "--all", "--role-name", "fleet", "--wait", "0");
      expect(code).toBe(3);
      expect(rowsOf(out).map((row) => row.slice(0, 2))).toEqual([
        ["CLUSTER", "OLD TOKEN"],
        ["pay", "-"],
        ["shop", "still-live"],
        ["shop-us", "still-live"],
      ]);
      const after = await tokens();
      for (const name of ["shop", "shop-us"]) {
        expect(after[name]?.tokens.length).toBe(2);
        expect(after[name]?.tokens[0]).toEqual(before[name]?.tokens[0]);
      }
      expect(after["pay"]).toEqual(before["pay"]);
      expect((await lab.run("check", "--clusters", "shop,shop-us", "--section", "registration")).code).toBe(0);
    });
  });

  describe("outrigger clusters", () => {
    it("shows the versions, the age of the release, and what is behind", async () => {
      lab.aws.deployVersion("1.2.2");
      const eks = lab.services.clusters.get("pay");
      lab.services.clusters.set("pay", { ...eks, version: "1.34" });
      await lab.aws.edit("values/10-mine", "global: {hub: mine}\n");
      expect((await lab.run("publish", "--channel", "canary")).code).toBe(0);
      const { code, out, err } = await lab.run("clusters", "--all", "--role-name", "fleet");
      expect(code).toBe(0);
      expect(err).toMatch(/^The functions of dev are 1\.2\.2, this command \S+: outrigger deploy --stage dev\n$/);
      expect(rowsOf(out).map((row) => [row[0], row[1], row[3]])).toEqual([
        ["CLUSTER", "KUBERNETES", "RESULT"],
        [
          "pay",
          "1.34",
          "its registration says Kubernetes 1.33: run outrigger register again; stable serves an older release than canary",
        ],
        ["shop", "1.33", expect.stringContaining("stable serves an older release than canary")],
        ["shop-us", "1.33", "nothing is behind"],
      ]);
      expect(rowsOf(out)[1]?.[2]).toMatch(/^stable [0-9a-f]{12} \d+s$/);
      const items = JSON.parse(
        (await lab.run("clusters", "--clusters", "pay", "--role-name", "fleet", "-o", "json")).out,
      );
      expect(items).toMatchObject([
        {
          cluster: "pay",
          functionVersion: "1.2.2",
          kubernetes: "1.34",
          served: [{ revision: "default", channel: "stable" }],
        },
      ]);
    });

    it("says that the version of the functions is not known, and which cluster could not be asked", async () => {
      lab.services.clusters.delete("us-east-1/us");
      const { code, out, err } = await lab.run("clusters", "--all", "--role-name", "fleet");
      expect([code, rowsOf(out)[3]?.[3]]).toEqual([
        3,
        expect.stringContaining('There is no cluster "us" in us-east-1'),
      ]);
      expect(err).toContain("The version of the functions of dev is not known");
    });
  });
});

describe("options that select clusters", () => {
  let lab: CliLab;
  beforeAll(async () => {
    lab = await openCliLab();
  });
  afterAll(() => lab.close());

  it.each([
    ["--all --channel stable", "Cannot use both --channel and --all: each selects clusters\n"],
    ["--all --cluster shop", "Cannot use --cluster with --all: it is about one cluster; leave it out\n"],
    [
      `--all --role-arn ${ROLE}`,
      "Cannot use --role-arn with --all: it is about one cluster; use --role-name, whose account is that of each cluster\n",
    ],
    [
      "--cluster shop --role-name fleet",
      "--role-name is about several clusters (--clusters, --channel, --all); of one, name --role-arn\n",
    ],
  ])("are refused to outrigger pods: %s", async (line, message) => {
    expect(await lab.run("pods", ...line.split(" "))).toEqual({ code: 2, out: "", err: message });
  });

  it("are named where outrigger token rotate lacks them", async () => {
    expect(await lab.run("token", "rotate")).toMatchObject({
      code: 2,
      err: "Name the cluster with --cluster, or several with --clusters or --all\n",
    });
  });
});
