// `outrigger check` on a real API server: a healthy cluster is sound under each printed role, and what a role cannot is not tried.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRealLab, type RealLab } from "./support/real-lab.ts";

describe("outrigger check, on a real API server", () => {
  let lab: RealLab;
  beforeAll(async () => {
    lab = await openRealLab();
    await lab.allow();
    expect((await lab.run("publish")).code).toBe(0);
    await lab.namespace("shop", { "istio-injection": "enabled" });
    const registered = await lab.register("--phase", "cluster");
    expect(registered, registered.err).toMatchObject({ code: 0 });
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "app", image: "app:1" }] } };
    await lab.apply({
      ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "shop" } },
      spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template },
    });
    await lab.until("two pods are there", async () => (await lab.pods("shop")).length === 2);
  });
  afterAll(() => lab?.close());

  it("is sound with the roles that are printed by default", async () => {
    const { code, out, err } = await lab.run("check", "--cluster", "shop");
    expect(out.split("\n").filter((line) => /^[✖!?]/.test(line))).toEqual([]);
    expect(out).toContain("✔ dry-run");
    // The namespace was not named with --namespace: nothing is tried in it.
    expect(out).toMatch(/^– workloads +0 workloads tried/m);
    expect([code, err]).toEqual([0, ""]);
  });

  it("tries a workload where the role names the namespace", async () => {
    await lab.allow(["check"], { probeNamespaces: ["outrigger-probe", "shop"] });
    const { code, out } = await lab.run("check", "--cluster", "shop");
    expect(out).toMatch(/^✔ workloads +1 workload tried/m);
    expect(code).toBe(0);
  });

  it("proposes nothing for the sidecar where the application itself violates the namespace's level", async () => {
    const enabled = { "istio-injection": "enabled" };
    await lab.namespace("shop", { ...enabled, "pod-security.kubernetes.io/enforce": "restricted" });
    const { code, out } = await lab.run("check", "--cluster", "shop");
    await lab.namespace("shop", enabled);
    const [line = ""] = out.split("\n").filter((one) => / workloads /.test(one));
    expect(line).toMatch(
      /violates PodSecurity "restricted.*the pod is rejected without a sidecar, too: correct the workload/,
    );
    expect(line).not.toContain("CNI");
    expect(code).toBe(1);
  });

  it("is sound with the role of the checks alone, and says which others are missing", async () => {
    await lab.onlyAllow(["check"]);
    const { code, out, err } = await lab.run("check", "--cluster", "shop");
    expect(out.split("\n").filter((line) => /^[✖!?]/.test(line))).toEqual([]);
    expect(out).toMatch(/^✔ permissions +those to check are granted; not those of register,/m);
    expect([code, err]).toEqual([0, ""]);
  });

  it("names what is missing for registering before that is tried", async () => {
    const { code, out } = await lab.run("check", "--cluster", "shop", "--section", "prerequisites");
    expect(out).toMatch(/^✖ permissions +not allowed: .*Fix: outrigger print rbac register \| kubectl apply -f -/m);
    expect(code).toBe(1);
  });
});
