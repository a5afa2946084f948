// No command leaves a cluster worse than before: undoing, switching off under faults, two operators at once, and enforcing only
// what was proven.

import { type JsonObject, OutriggerError, objectOf } from "@outrigger/base";
import { registerCluster, rotateToken, switchOff, unregisterCluster } from "@outrigger/cluster";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ClusterLab, openClusterLab, withoutLease } from "./cluster-lab.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const CONFIGURATIONS = `${GROUP}/mutatingwebhookconfigurations`;
const CONFIGURATION = `${CONFIGURATIONS}/outrigger-sidecar-injector`;
const OFF = { remove: false, at: "2026-11-22T03:00:00Z" };

describe("nothing is worse after a command", { timeout: 120_000 }, () => {
  let lab: ClusterLab;
  beforeEach(async () => {
    lab = await openClusterLab();
  });
  afterEach(() => lab.close());

  const register = (asked?: Parameters<ClusterLab["request"]>[0]) => registerCluster(lab.request(asked), lab.ports);
  const text = () => JSON.stringify([...lab.api.objects.values()]);
  const policies = () => new Set(text().match(/"failurePolicy":"\w+","matchPolicy"/g));

  /** Everything of ours, without what an API server counts. */
  function state(): unknown {
    const objects = [...lab.api.objects].filter(([path]) => path.startsWith(GROUP));
    return objects.map(([path, { metadata, ...content }]) => {
      const { labels, annotations } = metadata as JsonObject;
      return [path, { labels, annotations: withoutLease(annotations), ...content }];
    });
  }

  /** The self-test passes; from then on, calls fail. */
  function cutOffControlPlane(): void {
    let calls = 0;
    const { tokens } = lab.webhook;
    lab.webhook.tokens = () => (++calls === 1 ? tokens() : []);
  }

  /** Every dry run with what failurePolicy and net were in force, in order. */
  function watchStrictness(): readonly string[] {
    const seen: string[] = [];
    lab.api.after = (method, path) => {
      const strict = text().includes('"failurePolicy":"Fail","matchPolicy":"Equivalent","namespaceSelector":{"matchE');
      const denies = text().includes('"validationActions":["Deny"]');
      seen.push(`${method} ${path.split("/").at(-1)} ${strict ? "Fail" : "Ignore"} ${denies ? "Deny" : "Warn"}`);
    };
    return seen;
  }

  describe("registerCluster() that fails", () => {
    it("leaves a cluster off that was switched off before", async () => {
      await register({ phase: "enforce", safetyNet: "deny", tags: ["prod"] });
      await switchOff(lab.ports.kube, OFF);
      const before = state();
      cutOffControlPlane();
      await expect(register()).rejects.toThrow("does not get an answer");
      expect(state()).toEqual(before);
      expect(text()).not.toContain('"Deny"');
    });

    it("restores what others have added to its objects", async () => {
      await register({ phase: "cluster" });
      lab.api.edit(CONFIGURATION, "kubectl-edit", (object) => ({
        ...object,
        metadata: { ...(object["metadata"] as JsonObject), labels: { ...labelsOf(object), team: "mesh" } },
        webhooks: (object["webhooks"] as JsonObject[]).slice(1),
      }));
      const before = state();
      cutOffControlPlane();
      await expect(register({ phase: "enforce" })).rejects.toThrow();
      expect(state()).toEqual(before);
    });

    it("leaves alone what another command has changed since", async () => {
      await register({ phase: "cluster" });
      cutOffControlPlane();
      let isOff = false;
      const sleep = async (milliseconds: number) => {
        if (!isOff) await switchOff(lab.ports.kube, OFF);
        isOff = true;
        await lab.ports.sleep(milliseconds);
      };
      await expect(
        registerCluster(lab.request({ phase: "enforce", safetyNet: "deny" }), { ...lab.ports, sleep }),
      ).rejects.toThrow();
      const annotations = { "outrigger/off": "2026-11-22T03:00:00Z" };
      expect(lab.api.objects.get(CONFIGURATION)).toMatchObject({ metadata: { annotations } });
      expect(policies()).toEqual(new Set(['"failurePolicy":"Ignore","matchPolicy"']));
    });

    it("keeps a token live that an object may still have", async () => {
      lab.api.faults.push({ method: "DELETE", path: "outrigger-sidecar-injector", status: 403 });
      cutOffControlPlane();
      await expect(register({ phase: "cluster" })).rejects.toThrow("does not get an answer");
      expect(lab.publisher.digests()).toHaveLength(1);
      expect(lab.lines.join("\n")).toContain("The record of shop stays as it is");
    });
  });

  describe("registerCluster() --phase enforce", () => {
    it("rejects no pod before the API server has been seen to call, and proves the selectors that it enforces", async () => {
      await register({ phase: "namespace", namespaces: ["default"] });
      const seen = watchStrictness();
      await register({ phase: "enforce", safetyNet: "deny" });
      const proof = seen.findIndex((line) => line.startsWith("POST pods"));
      expect(proof).toBeGreaterThan(0);
      expect(seen.slice(0, proof + 1).filter((line) => /Fail|Deny/.test(line))).toEqual([]);
      expect(seen.at(-1)).toMatch(/Fail Deny$/);
    });

    it("rejects no pod at any time when the control plane's calls fail", async () => {
      await register({ phase: "cluster" });
      const seen = watchStrictness();
      cutOffControlPlane();
      await expect(register({ phase: "enforce", safetyNet: "deny" })).rejects.toThrow("does not get an answer");
      expect(seen.filter((line) => /Fail|Deny/.test(line))).toEqual([]);
    });

    it("reports every try, and asks an API server whose webhook failed once only", async () => {
      await register({ phase: "enforce" });
      cutOffControlPlane();
      const before = lab.api.calls.length;
      await expect(register({ phase: "enforce" })).rejects.toThrow("The API server cannot use the webhook");
      const tries = lab.api.calls.slice(before).filter((call) => call.startsWith("POST"));
      const lines = lab.lines.filter((line) => line.includes("trying again in"));
      expect([tries.length, lines.length]).toEqual([5, 4]);
    });

    it("is refused when no pod can be tried, and says how to continue", async () => {
      lab.api.faults.push({ method: "POST", path: "/pods", status: 403, message: "no" });
      await expect(register({ phase: "enforce" })).rejects.toThrow("--force");
      expect(state()).toEqual([]);
      const { warnings } = await registerCluster(
        { ...lab.request({ phase: "enforce" }), allowUnproven: true },
        lab.ports,
      );
      expect(warnings[0]).toContain("No pod was tried");
      expect(policies()).toEqual(new Set(['"failurePolicy":"Fail","matchPolicy"']));
    });

    it("is undone when it is stopped at any call", async () => {
      await register({ phase: "cluster" });
      const before = [state(), withoutTimes(lab)];
      let calls = 0;
      lab.api.after = () => void calls++;
      await registerCluster(lab.request({ phase: "enforce", safetyNet: "deny" }), lab.ports);
      const all = calls;
      await register({ phase: "cluster", safetyNet: "off" });
      expect([state(), withoutTimes(lab)]).toEqual(before);
      for (let stopAt = 1; stopAt < all; stopAt += 3) {
        const controller = new AbortController();
        calls = 0;
        lab.api.after = () => {
          if (++calls === stopAt) controller.abort("it was stopped");
        };
        const ports = { ...lab.ports, signal: controller.signal };
        const outcome = await registerCluster(lab.request({ phase: "enforce", safetyNet: "deny" }), ports).catch(
          (error: OutriggerError) => error.code,
        );
        lab.api.after = () => {};
        if (outcome === "interrupted") expect([stopAt, state(), withoutTimes(lab)]).toEqual([stopAt, ...before]);
        else await register({ phase: "cluster", safetyNet: "off" });
      }
    });
  });

  it("leaves a cluster off when its token is rotated", async () => {
    await register({ phase: "enforce", safetyNet: "deny" });
    await switchOff(lab.ports.kube, OFF);
    const [old] = lab.publisher.digests();
    await rotateToken({ ...lab.request(), patience: 0, countCalls: async () => 0 }, lab.ports);
    expect(policies()).toEqual(new Set(['"failurePolicy":"Ignore","matchPolicy"']));
    expect(text()).not.toContain('"Deny"');
    expect(text()).toContain('"outrigger/off"');
    expect(lab.webhook.calls.at(-1)).not.toBe(old);
  });

  describe("two operators at once", () => {
    it("lose no record: the second learns who holds the lease, and succeeds afterwards", async () => {
      const second = { ...lab.request({ revision: "1-30" }), cause: { by: "bob", why: "" } };
      const failing: ClusterLab["ports"] = {
        ...lab.ports,
        selfTest: async () => {
          await expect(registerCluster(second, lab.ports)).rejects.toThrow("operator is changing it");
          throw new OutriggerError("endpoint-unfit", "the webhook is down");
        },
      };
      await expect(registerCluster(lab.request(), failing)).rejects.toThrow("the webhook is down");
      expect([...lab.publisher.records]).toEqual([]);
      await registerCluster(second, lab.ports);
      expect(lab.publisher.records.get("shop")?.revisions).toEqual({ "1-30": "stable" });
    });

    it("lose no record when the winner comes after the loser has read", async () => {
      const second = { ...lab.request({ revision: "1-30" }), cause: { by: "bob", why: "" } };
      let isSecond = false;
      const isCanaryFailing = async () => {
        if (!isSecond) {
          isSecond = true;
          await registerCluster(second, lab.ports);
        }
        return false;
      };
      const first = registerCluster({ ...lab.request({ phase: "cluster" }), isCanaryFailing }, lab.ports);
      await expect(first).rejects.toThrow("changed by another command");
      expect(lab.publisher.records.get("shop")?.revisions).toEqual({ "1-30": "stable" });
      expect(lab.publisher.digests()).toHaveLength(1);
    });

    it("are locked against each other while a token is replaced or a cluster is unregistered", async () => {
      await register({ phase: "cluster" });
      const selfTest = async () => {
        await expect(unregisterCluster(lab.request(), lab.ports, lab.ports.kube)).rejects.toThrow("is changing it");
      };
      const request = { ...lab.request(), patience: 0, countCalls: async () => 0 };
      await rotateToken(request, { ...lab.ports, selfTest });
      expect(lab.publisher.digests()).toHaveLength(2);
      await unregisterCluster(lab.request(), lab.ports, lab.ports.kube);
      expect([...lab.publisher.records]).toEqual([]);
    });

    it("can continue when a command was killed and its lease has ended", async () => {
      const killed = { ...lab.ports, selfTest: () => new Promise<void>(() => {}) };
      void registerCluster(lab.request(), killed);
      while (lab.publisher.records.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await expect(register()).rejects.toThrow("is changing it");
      await lab.ports.sleep(301_000);
      await register();
      expect(lab.publisher.digests()).toHaveLength(1);
    });
  });

  describe("switchOff()", () => {
    const off = () => switchOff(lab.ports.kube, OFF);
    beforeEach(() => register({ phase: "enforce", safetyNet: "deny", tags: ["prod"] }));

    it.each([
      [403, "Not allowed"],
      [404, undefined],
      [504, "cannot answer"],
    ])("switches every webhook off when the policy bindings answer %d", async (status, problem) => {
      const message = status === 404 ? "gone" : "no";
      lab.api.faults.push({ method: "GET", path: "policybindings", status, message });
      lab.api.faults.push({ method: "PATCH", path: "policybindings", status, message });
      const { left } = await off();
      expect(policies()).toEqual(new Set(['"failurePolicy":"Ignore","matchPolicy"']));
      expect(JSON.stringify(left)).toContain(problem ?? "kubectl delete validatingadmissionpolicybinding");
      // The net may still reject: calls are not cut short then.
      expect(JSON.stringify(lab.api.objects.get(CONFIGURATION))).toContain('"timeoutSeconds":10');
    });

    it("continues after a configuration that cannot be changed, and names it with its kubectl line", async () => {
      lab.api.faults.push({ method: "PATCH", path: "outrigger-sidecar-injector", status: 403, message: "no" });
      const { done, left } = await off();
      expect(done.join("\n")).toContain("outrigger-revision-tag-prod ignores failures");
      expect(left.map(({ kubectl }) => kubectl)).toContain(
        "kubectl delete mutatingwebhookconfiguration outrigger-sidecar-injector",
      );
    });

    it("removes no webhook while a safety net that could not be removed rejects pods without a sidecar", async () => {
      lab.api.faults.push({ method: "DELETE", path: "policybindings", status: 403, message: "no" });
      const { left } = await switchOff(lab.ports.kube, { ...OFF, remove: true });
      expect(lab.api.objects.has(CONFIGURATION)).toBe(true);
      expect(left.at(-1)?.problem).toContain("remove the net first");
    });

    it("tries a conflict again", async () => {
      lab.api.faults.push({ method: "PATCH", path: "revision-tag-prod", status: 409, message: "modified", times: 3 });
      expect((await off()).left).toEqual([]);
      expect(policies()).toEqual(new Set(['"failurePolicy":"Ignore","matchPolicy"']));
    });

    it("does not undo what was changed between its read and its write", async () => {
      let isChanged = false;
      lab.api.before = (method, path) => {
        if (method !== "PATCH" || path !== CONFIGURATION || isChanged) return;
        isChanged = true;
        lab.api.edit(CONFIGURATION, "kubectl-edit", (object) => ({
          ...object,
          webhooks: (object["webhooks"] as JsonObject[]).slice(1),
        }));
      };
      expect((await off()).left).toEqual([]);
      expect(lab.api.objects.get(CONFIGURATION)?.["webhooks"]).toHaveLength(3);
    });

    it.each([
      ["by name", "outrigger-sidecar-injector"],
      ["by URL", "renamed"],
    ])("finds a configuration %s when another tool has taken over its label", async (_how, name) => {
      const object = lab.api.objects.get(CONFIGURATION) as JsonObject;
      lab.api.objects.delete(CONFIGURATION);
      const metadata = { name, labels: { "app.kubernetes.io/managed-by": "Helm" } };
      lab.api.put(`${CONFIGURATIONS}/${name}`, { ...object, metadata });
      await off();
      expect(policies()).toEqual(new Set(['"failurePolicy":"Ignore","matchPolicy"']));
    });

    it("needs no permission to list, nor to read", async () => {
      for (const path of ["mutatingwebhookconfigurations", "policybindings"]) {
        lab.api.faults.push({ method: "GET", path, status: 403, message: "no" });
      }
      const { left } = await switchOff(lab.ports.kube, { ...OFF, tags: ["prod"] });
      expect(policies()).toEqual(new Set(['"failurePolicy":"Ignore","matchPolicy"']));
      expect(text()).not.toContain('"Deny"');
      expect(left.map(({ kubectl }) => kubectl)).toEqual([
        "kubectl delete validatingadmissionpolicybinding -l outrigger/revision",
        "kubectl delete mutatingwebhookconfiguration -l outrigger/revision",
      ]);
    });
  });

  describe("whose fault it is", () => {
    it("refuses the tag default together with the revision default", async () => {
      await register();
      await expect(register({ revision: "1-30", tags: ["default"] })).rejects.toThrow("unregister it first");
      await unregisterCluster(lab.request(), lab.ports, lab.ports.kube);
      await register({ revision: "1-30", tags: ["default"] });
      await expect(register()).rejects.toThrow('revision 1-30 has the tag "default"');
    });

    it("registers when another's webhook is broken, and names that one", async () => {
      const message = 'Internal error occurred: failed calling webhook "policy.example.test": Post "https://x": EOF';
      lab.api.faults.push({ method: "POST", path: "/pods", status: 500, message });
      const { warnings } = await register({ phase: "cluster" });
      expect(warnings[0]).toContain('another webhook, "policy.example.test", rejects the pod');
    });

    it("does not ask for istiod's injector by its name: the list that was read says whether it is there", async () => {
      lab.api.faults.push({ method: "GET", path: "istio-sidecar-injector", status: 403, message: "no" });
      const { warnings } = await register({ phase: "cluster" });
      expect(warnings.filter((warning) => warning.includes("istiod"))).toEqual([]);
    });

    it("registers a cluster that does not serve policies, unless a safety net is asked for", async () => {
      lab.api.unserved.add("validatingadmissionpolicies").add("validatingadmissionpolicybindings");
      await register({ phase: "cluster" });
      await expect(register({ phase: "cluster", safetyNet: "warn" })).rejects.toThrow("does not serve");
    });
  });
});

function labelsOf({ metadata }: JsonObject): JsonObject {
  const { labels } = metadata as JsonObject;
  return objectOf(labels);
}

function withoutTimes(lab: ClusterLab): unknown {
  return [...lab.publisher.records].map(([name, { tokens, ...record }]) => [
    name,
    { ...record, tokens: tokens.map(({ sha256 }) => sha256) },
  ]);
}
