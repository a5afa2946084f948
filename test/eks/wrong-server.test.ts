// Something else than the cluster's API server answers: a proxy, a gateway, another server. Its answer never counts as "there
// is none", so that no command removes a record whose objects are still in the cluster.
import {
  findInstalled,
  kubeClient,
  registerCluster,
  rotateToken,
  switchOff,
  unregisterCluster,
} from "@outrigger/cluster";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLUSTER, type ClusterLab, openClusterLab } from "./cluster-lab.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const AT = "2026-11-22T03:00:00Z";

const answers = [
  ["a proxy's 404", { status: 404, body: "404 page not found\n" }],
  ["a page", { status: 404, body: "<html><h1>Not Found</h1></html>" }],
  ["nothing", { status: 404, body: "" }],
  ["a gateway's 404", { status: 404, body: '{"message":"Not Found"}' }],
  ["another server's success", { status: 200, body: '{"status":"ok"}' }],
  ["a list of something else", { status: 200, body: '{"items":"none"}' }],
] as const;

describe("an answer that is not the API server's", { timeout: 60_000 }, () => {
  let lab: ClusterLab;
  beforeEach(async () => {
    lab = await openClusterLab();
    await registerCluster(lab.request({ phase: "enforce", safetyNet: "deny" }), lab.ports);
  });
  afterEach(() => lab.close());

  const state = () => JSON.stringify([[...lab.api.objects], [...lab.publisher.records]]);
  /** Ports whose API server is answered for, at the paths with this text. */
  const portsWith = (answer: (typeof answers)[number][1], at = "/") => ({
    ...lab.ports,
    kube: kubeClient({
      name: CLUSTER.name,
      sleep: async () => {},
      exchange: async (request) => (request.path.includes(at) ? answer : lab.api.direct(request)),
    }),
  });

  it.each(answers)("%s is not taken for a cluster without objects", async (_what, answer) => {
    const ports = portsWith(answer);
    const before = state();
    await expect(findInstalled(ports.kube)).rejects.toThrow(/cluster shop/i);
    for (const remove of [false, true]) {
      const { done, left } = await switchOff(ports.kube, { remove, at: AT });
      expect(done).toEqual([]);
      const what = left.map(({ what }) => what);
      expect(what).toContain("other ValidatingAdmissionPolicyBindings of Outrigger");
      expect(what).toContain("MutatingWebhookConfiguration outrigger-sidecar-injector");
    }
    await expect(unregisterCluster(lab.request(), ports, ports.kube)).rejects.toThrow();
    await expect(registerCluster(lab.request(), ports)).rejects.toThrow();
    const rotation = { ...lab.request(), patience: 0, countCalls: async () => 0 };
    await expect(rotateToken(rotation, ports)).rejects.toThrow();
    expect(state()).toBe(before);
  });

  it.each(answers)(
    "%s at the policies' paths only is not taken for a cluster without policies",
    async (_what, answer) => {
      const ports = portsWith(answer, "validatingadmissionpol");
      await expect(unregisterCluster(lab.request(), ports, ports.kube)).rejects.toThrow();
      expect((await switchOff(ports.kube, { remove: true, at: AT })).left).not.toEqual([]);
      expect([...lab.api.objects.keys()].filter((path) => path.includes("mutating"))).toEqual([
        expect.stringMatching(/outrigger-sidecar-injector$/),
        expect.stringMatching(/outrigger-off$/),
      ]);
      expect(lab.publisher.records.size).toBe(1);
    },
  );

  it("is distinguished from a version of Kubernetes that serves no policies", async () => {
    for (const path of lab.api.objects.keys()) if (path.includes("validating")) lab.api.objects.delete(path);
    lab.api.unserved.add("validatingadmissionpolicies").add("validatingadmissionpolicybindings");
    const { left } = await switchOff(lab.ports.kube, { remove: false, at: AT });
    expect(left).toEqual([]);
    await unregisterCluster(lab.request(), lab.ports, lab.ports.kube);
    expect([[...lab.api.objects.keys()].filter((path) => path.includes(GROUP)), lab.publisher.records.size]).toEqual([
      [],
      0,
    ]);
  });
});
