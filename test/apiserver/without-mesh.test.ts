// A tree of templates that are for some pods only, without a mesh, on a real API server: no pod that a command makes of its own gets a sidecar.
import { rbacFeatures } from "@outrigger/webhook";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRealLab, type RealLab } from "./support/real-lab.ts";

const CONFIG = `mesh: none
defaultTemplates:
- name: agent
  match:
    podLabels: {logs: "yes"}
`;
const AGENT = `spec:
  initContainers:
  - name: agent
    image: registry.example/agent:1
    restartPolicy: Always
`;

/** Linkerd's webhook by the facts of its chart; what it serves cannot be reached, and it lets every pod in. */
const LINKERDS = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingWebhookConfiguration",
  metadata: { name: "linkerd-proxy-injector-webhook-config" },
  webhooks: [
    {
      name: "linkerd-proxy-injector.linkerd.io",
      namespaceSelector: {
        matchExpressions: [
          { key: "config.linkerd.io/admission-webhooks", operator: "NotIn", values: ["disabled"] },
          { key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["kube-system", "cert-manager"] },
        ],
      },
      objectSelector: {
        matchExpressions: [
          { key: "linkerd.io/control-plane-component", operator: "DoesNotExist" },
          { key: "linkerd.io/cni-resource", operator: "DoesNotExist" },
        ],
      },
      clientConfig: { url: "https://localhost:1/" },
      failurePolicy: "Ignore",
      admissionReviewVersions: ["v1"],
      rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods", "services"] }],
      sideEffects: "None",
    },
  ],
};

describe("a tree without a mesh, on a real API server", () => {
  let lab: RealLab;
  beforeAll(async () => {
    lab = await openRealLab();
    await lab.allow();
    await lab.aws.edit("config", CONFIG);
    await lab.aws.edit("templates/agent", AGENT);
    const published = await lab.run("publish", "--accept", "container-gone,volume-gone,capture-changed,unlisted");
    expect(published, published.err).toMatchObject({ code: 0 });
    await lab.namespace("shop", { "istio-injection": "enabled" });
    const registered = await lab.register("--phase", "cluster");
    expect(registered, registered.err).toMatchObject({ code: 0 });
  });
  afterAll(() => lab?.close());

  it("serves pods by their labels once it is registered, and no other", async () => {
    const made = async (labels: Readonly<Record<string, string>>) => {
      const spec = { containers: [{ name: "app", image: "app:1" }] };
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", labels }, spec };
      return JSON.stringify(await lab.api.admin.createDryRun("/api/v1/namespaces/shop/pods", pod));
    };
    expect(await made({ logs: "yes" })).toContain("registry.example/agent:1");
    expect(await made({ app: "web" })).not.toContain("sidecar.istio.io/status");
  });

  it("is sound for check, which tries no sample of a mesh", async () => {
    const { code, out, err } = await lab.run("check", "--cluster", "shop");
    expect(out.split("\n").filter((line) => /^[✖!?]/.test(line))).toEqual([]);
    expect([code, err]).toEqual([0, ""]);
  });

  it("is registered and checked under the role that has nothing of Istio's, without its namespace", async () => {
    await lab.onlyAllow(rbacFeatures, { istioNamespace: undefined });
    await lab.api.admin.remove("/api/v1/namespaces/istio-system");
    const again = await lab.register("--phase", "cluster");
    expect([again.code, again.err], again.err).toEqual([0, expect.not.stringMatching(/istio/i)]);
    for (const section of [[], ["--section", "registration"], ["--section", "prerequisites"]]) {
      const { code, out, err } = await lab.run("check", "--cluster", "shop", ...section);
      expect([code, out.split("\n").filter((line) => /^[✖!?]/.test(line)), err], out).toEqual([0, [], ""]);
    }
  });

  it("is beside Linkerd, whose webhook nobody is told to delete", async () => {
    await lab.apply(LINKERDS);
    const check = await lab.run("check", "--cluster", "shop");
    expect(check.out).toMatch(
      /^✔ other-injectors +linkerd-proxy-injector-webhook-config also selects pods of .*: pods keep what each adds$/m,
    );
    expect(check.out).not.toContain("kubectl delete");
    const again = await lab.register("--phase", "enforce");
    expect([again.code, again.err], again.err).toEqual([
      0,
      expect.not.stringMatching(/two sidecars|two proxies|delete/),
    ]);
  });
});
