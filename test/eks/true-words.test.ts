// What commands say, and with which exit code, where something is missing, hangs or was left half done.
import { Agent } from "node:http";
import { OutriggerError } from "@outrigger/base";
import { openKube, registerCluster, unregisterCluster } from "@outrigger/cluster";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliLab, openCliLab } from "./cli-lab.ts";
import { type ClusterLab, openClusterLab } from "./cluster-lab.ts";

const KUBECONFIG = ["--kubeconfig", "kubeconfig", "--context", "eks"];

describe("the words of commands", { timeout: 120_000 }, () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openCliLab();
    expect((await lab.run("publish")).err).toBe("");
  });
  afterEach(() => lab.close());

  it("off ends with 3, and names the cause once, where the cluster cannot be reached", async () => {
    const kubeconfig = JSON.stringify({
      "current-context": "x",
      contexts: [{ name: "x", context: { cluster: "x", user: "x" } }],
      clusters: [{ name: "x", cluster: { server: "https://127.0.0.1:1" } }],
      users: [{ name: "x", user: { token: "t" } }],
    });
    lab.write("nowhere", kubeconfig);
    const { code, err } = await lab.run("off", "--kubeconfig", "nowhere");
    expect([code, err.match(/Cannot reach the API server/g)?.length]).toEqual([3, 1]);
    expect(err).toContain("127.0.0.1:1");
  });

  it("unregister names the revisions where there is none of that name", async () => {
    await lab.register("--phase", "cluster");
    const { code, err } = await lab.run("unregister", "--yes", "--cluster", "shop", "--revision", "nope");
    expect(code).not.toBe(0);
    expect(err).toContain("shop has no revision nope: name one of default with --revision");
    expect((await lab.run("unregister", "--yes", "--cluster", "shop", "--revision", "default")).code).toBe(0);
  });

  it.each([
    ["--phase", "enforce"],
    ["--phase", "cluster", "--safety-net", "deny"],
  ])("clusters remove does not leave webhooks that reject pods: %s %s %s %s", async (...asked) => {
    await lab.register(...asked.filter((word) => word !== undefined));
    const { code, err } = await lab.run("clusters", "remove", "shop");
    expect(code).not.toBe(0);
    expect(err).toContain("outrigger unregister --cluster shop takes them away first");
    expect((await lab.run("clusters", "remove", "shop", "--force")).code).toBe(0);
  });

  it("clusters remove forgets a cluster whose webhooks ignore failures", async () => {
    await lab.register("--phase", "cluster");
    expect((await lab.run("clusters", "remove", "shop")).code).toBe(0);
  });

  it("explain says that a kind is not installed", async () => {
    lab.api.faults.push({ method: "GET", path: "/rollouts/web", status: 404, message: "404 page not found" });
    const { code, err } = await lab.run("explain", "rollout/web", ...KUBECONFIG);
    expect(code).toBe(3);
    expect(err).toContain("Cluster eks has no kind Rollout (argoproj.io): install what brings it");
    expect(err).not.toContain("newer version of Kubernetes");
  });

  it("register names the options of rbac where the role does not have the tag", async () => {
    lab.api.authorize = (method, path) =>
      method === "PATCH" && path.includes("revision-tag-prod")
        ? 'mutatingwebhookconfigurations "outrigger-revision-tag-prod" is forbidden: User "ann" cannot patch resource "mutatingwebhookconfigurations"'
        : undefined;
    const { err } = await lab.register("--phase", "cluster", "--tag", "prod");
    expect(err).toContain(
      "outrigger print rbac prints to the principal, with --revision and --tag for every revision and tag",
    );
  });

  it("restart names its own role, which is in none that is printed by default", async () => {
    await lab.register("--phase", "cluster");
    lab.api.authorize = (_, path) =>
      path.includes("/configmaps/outrigger-restart") ? 'configmaps "outrigger-restart" is forbidden' : undefined;
    const { code, err } = await lab.run("restart", "--cluster", "shop", "--yes");
    expect([code, err]).toEqual([3, expect.stringContaining("to the principal (outrigger print rbac restart)")]);
  });

  it("check says that a policy is missing, and not that its bindings are sound", async () => {
    await lab.register("--phase", "cluster", "--safety-net", "deny");
    for (const path of lab.api.objects.keys())
      if (path.includes("validatingadmissionpolicies/")) lab.api.objects.delete(path);
    const { out } = await lab.run("check", "--cluster", "shop");
    expect(out).toContain("the policy outrigger-sidecar-injector is missing");
    expect(out).toMatch(/✖ drift +outrigger-sidecar-injector is missing/);
  });
});

describe("registering", { timeout: 120_000 }, () => {
  let lab: ClusterLab;
  beforeEach(async () => {
    lab = await openClusterLab();
  });
  afterEach(() => lab.close());

  const openDirect = () =>
    openKube(
      { name: "shop", url: lab.api.url, ca: lab.api.ca, token: async () => "t", remediation: "look" },
      async () => {},
    );

  it("says that no pod is at risk where it cannot be undone, and failures are ignored", async () => {
    await registerCluster(lab.request({ phase: "cluster" }), lab.ports);
    lab.webhook.instead = { status: 500, body: "" };
    let writes = 0;
    lab.api.before = (method, path) => {
      if (method === "PATCH" && path.includes("mutating")) writes++;
      // Undoing is an update.
      if (writes > 0 && method === "PUT") throw new Error("cut");
    };
    const request = { ...lab.request({ timeoutSeconds: 7 }), withSelfTest: false };
    await expect(registerCluster(request, { ...lab.ports, kube: openDirect() })).rejects.toThrow();
    expect(lab.lines.filter((line) => line.startsWith("Not restored"))).toHaveLength(1);
    expect(lab.lines.join("\n")).toContain("No pod is rejected by what is left");
  });

  it("says that pods may be rejected where a strict webhook cannot be undone", async () => {
    let writes = 0;
    lab.api.before = (method, path) => {
      if (method === "PATCH" && path.includes("mutating")) writes++;
      if (method === "DELETE") throw new Error("cut");
    };
    const readRecord = async (cluster: string) => {
      if (writes === 2) throw new OutriggerError("store-unavailable", "no answer");
      return lab.ports.readRecord(cluster);
    };
    const ports = { ...lab.ports, readRecord, kube: openDirect() };
    await expect(registerCluster(lab.request({ phase: "enforce" }), ports)).rejects.toThrow();
    expect(lab.lines.join("\n")).toContain(
      "Pods may be rejected by what is left: if they are, outrigger off admits them",
    );
  });

  it("leaves no listener of a signal behind", async () => {
    const controller = new AbortController();
    const added: unknown[] = [];
    const { signal } = controller;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      added.push(args[1]);
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      const at = added.indexOf(args[1]);
      if (at !== -1) added.splice(at, 1);
      remove(...args);
    };
    await registerCluster(lab.request({ phase: "enforce" }), { ...lab.ports, signal });
    expect(added).toEqual([]);
    await unregisterCluster(lab.request(), lab.ports, lab.ports.kube);
  });

  it("does not blame the network for a webhook that hangs", async () => {
    const agent = new Agent();
    Object.assign(agent, {
      addRequest: () => {
        throw Object.assign(new Error("timed out"), { name: "TimeoutError" });
      },
    });
    const access = { name: "shop", url: "http://127.0.0.1:1", remediation: "check publicAccessCidrs" };
    const kube = openKube({ ...access, agentFor: () => agent }, async () => {});
    await expect(kube.get("/version")).rejects.toThrow("check publicAccessCidrs");
    const dryRun = kube.createDryRun("/api/v1/namespaces/shop/pods", { metadata: {} });
    await expect(dryRun).rejects.toThrow("a webhook for pods hangs");
    await expect(dryRun).rejects.not.toThrow("publicAccessCidrs");
  });
});
