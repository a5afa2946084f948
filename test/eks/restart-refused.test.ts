// No pod is taken down whose successor the cluster would not take: each workload's next pod is tried before it is touched.
import { OutriggerError } from "@outrigger/base";
import { planRestart, tryPlan } from "@outrigger/rollouts";
import { describe, expect, it } from "vitest";
import { labOfEachTest } from "./restart-suite.ts";
import { isNew } from "./rollout-lab.ts";

const SECURITY =
  'pods "x" is forbidden: violates PodSecurity "baseline:latest": non-default capabilities (container "side")';
const KINDS = ["Deployment", "StatefulSet", "DaemonSet", "Rollout"] as const;

describe("a restart, before it touches a workload", { timeout: 240_000 }, () => {
  const lab = labOfEachTest();

  const fill = async () => {
    for (const kind of KINDS) lab.put(kind, kind.toLowerCase(), { replicas: 1 });
    await lab.settle();
    lab.state.served = "new";
  };
  const refuse = (message: string) => {
    lab.state.check = (pod) => {
      if (isNew(pod)) throw new OutriggerError("cluster-refused", message);
    };
  };

  it("leaves those whose next pod Pod Security refuses, with the cause and the way out", async () => {
    await fill();
    refuse(SECURITY);
    const journal = await lab.restart();
    expect(journal).toMatchObject({ state: "done", done: 0 });
    expect(journal.left.map(({ workload }) => workload).toSorted()).toEqual([
      "shop/DaemonSet/daemonset",
      "shop/Deployment/deployment",
      "shop/Rollout/rollout",
      "shop/StatefulSet/statefulset",
    ]);
    for (const { why } of journal.left) {
      expect(why).toContain("the API server would not take its next pod");
      expect(why).toContain("violates PodSecurity");
      expect(why).toContain("use Istio's CNI plugin");
    }
    expect([...lab.writes()]).toEqual([]);
  });

  it("shows them as left in the plan, and asks nothing more than dry runs", async () => {
    await fill();
    refuse(SECURITY);
    const ports = lab.portsOf();
    const plan = await tryPlan(ports, await planRestart(ports.kube, ports, {}));
    expect([plan.restart, plan.left.length, plan.untried]).toEqual([[], 4, []]);
    const posts = lab.api.calls.filter((call) => !call.startsWith("GET"));
    expect(posts.every((call) => call.includes("dryRun=All"))).toBe(true);
  });

  const FULL = "exceeded quota: team, requested: pods=1, used: pods=4, limited: pods=4";

  it("restarts in a full quota what gives its place back first, and leaves what needs one more", async () => {
    await fill();
    lab.put("Deployment", "surging", { replicas: 1, strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } });
    lab.put("Deployment", "recreated", { replicas: 1, strategy: { type: "Recreate" } });
    lab.state.served = "old";
    await lab.settle();
    lab.state.served = "new";
    // A dry run counts the pods that are there now; what is made when they are gone has its place.
    const { around } = lab.api;
    lab.api.around = (request, next) => {
      if (request.query.get("dryRun") !== "All") return around(request, next);
      const message = `pods "x" is forbidden: ${FULL}`;
      return Promise.resolve({ code: 403, body: { kind: "Status", status: "Failure", message, code: 403 } });
    };
    const journal = await lab.restart();
    expect(journal.left).toEqual([
      { workload: "shop/Deployment/deployment", why: expect.stringContaining("exceeded quota: team") },
      { workload: "shop/Deployment/surging", why: expect.stringContaining("exceeded quota: team") },
    ]);
    expect([...lab.writes().keys()].toSorted()).toEqual(["daemonset", "recreated", "rollout", "statefulset"]);
  });

  it("says once where it may not try, and restarts as it was asked to", async () => {
    await fill();
    const { authorize } = lab.api;
    lab.api.authorize = (method, path, ...rest) =>
      method === "POST" && path.endsWith("/pods") ? "pods is forbidden" : authorize?.(method, path, ...rest);
    expect(await lab.restart()).toMatchObject({ state: "done", done: 4, left: [] });
    const said = lab.lines.filter((line) => line.startsWith("Next pods are not tried"));
    expect(said).toEqual([
      expect.stringContaining("not allowed to create pods in shop (the roles of outrigger print rbac"),
    ]);
  });

  it("waits where the API server does not answer the dry run", async () => {
    await fill();
    lab.api.faults.push({ method: "POST", path: "/pods", status: 503, times: 20 });
    expect(await lab.restart()).toMatchObject({ state: "done", done: 4, left: [] });
    expect(lab.api.faults[0]?.times).toBe(0);
  });
});
