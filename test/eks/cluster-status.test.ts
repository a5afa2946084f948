import type { JsonObject } from "@outrigger/base";
import { OutriggerError } from "@outrigger/base";
import type { KubeClient } from "@outrigger/cluster";
import { clusterStatus, registerCluster } from "@outrigger/cluster";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLUSTER, type ClusterLab, openClusterLab, type StatusQuestion } from "./cluster-lab.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const CONFIGURATION = `${GROUP}/mutatingwebhookconfigurations/outrigger-sidecar-injector`;
const BINDING = `${GROUP}/validatingadmissionpolicybindings/outrigger-sidecar-injector-object`;

describe("clusterStatus()", { timeout: 120_000 }, () => {
  let lab: ClusterLab;
  beforeEach(async () => {
    lab = await openClusterLab();
    await registerCluster(lab.request({ phase: "cluster", safetyNet: "deny", tags: ["prod"] }), lab.ports);
  });
  afterEach(() => lab.close());

  const status = (changes: Partial<StatusQuestion> = {}) => clusterStatus(lab.ports.kube, lab.question(changes));
  const places = async (changes: Partial<StatusQuestion> = {}) =>
    (await status(changes)).drift.map(({ place }) => place);
  const edit = (path: string, change: JsonObject) => lab.api.put(path, { ...lab.api.objects.get(path), ...change });

  it("finds no difference when nothing has changed", async () => {
    const tag = { revision: "default", channel: "stable", tags: ["prod"], phase: "cluster" };
    expect(await status()).toEqual({ revisions: [tag], tokens: 1, drift: [], notes: [] });
  });

  const skewOf = async (version: string) => {
    lab.api.put("/apis/apps/v1/namespaces/istio-system/deployments/istiod", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "istiod", namespace: "istio-system", labels: { app: "istiod" } },
      spec: { template: { spec: { containers: [{ name: "discovery", image: `istio/pilot:${version}` }] } } },
    });
    const { drift, notes } = await status({ proxyImageOf: () => "istio/proxyv2:1.30.3" });
    return [...drift.map(({ place, actual }) => `${place}: ${actual}`), ...notes];
  };

  it.each([
    ["1.30.1", undefined],
    ["1.31.0", "revision default: Proxies of Istio 1.30 are one release behind istiod 1.31, which Istio supports"],
    ["1.29.6", "proxies of revision default: Proxies of Istio 1.30 are ahead of istiod 1.29"],
    ["1.32.0", "proxies of revision default: Proxies of Istio 1.30 are 2 releases behind istiod 1.32"],
  ])("compares proxies of 1.30 with an istiod of %s", async (version, said) => {
    expect(await skewOf(version)).toEqual(said === undefined ? [] : [expect.stringContaining(said)]);
  });

  it("says that istiod was not compared where the role does not allow it", async () => {
    const list: KubeClient["list"] = (path, options) => {
      if (path.includes("/apps/")) throw new OutriggerError("cluster-denied", "denied");
      return lab.ports.kube.list(path, options);
    };
    const question = lab.question({ proxyImageOf: () => "istio/proxyv2:1.30.3" });
    const { notes } = await clusterStatus({ ...lab.ports.kube, list }, question);
    expect(notes).toEqual([expect.stringContaining("outrigger print rbac registration")]);
  });

  it("names the record when the cluster is not registered", async () => {
    expect(await places({ record: undefined })).toEqual([
      "record of shop",
      "outrigger-sidecar-injector: token",
      "outrigger-revision-tag-prod: token",
    ]);
  });

  it("names the token when it is not live", async () => {
    const record = { revisions: { default: "stable" }, arn: CLUSTER.arn, kubernetesVersion: "1.33", tokens: [] };
    expect(await places({ record })).toEqual([
      "outrigger-sidecar-injector: token",
      "outrigger-revision-tag-prod: token",
    ]);
  });

  it("names every URL when the deployment has moved, and shows no token", async () => {
    const { drift } = await status({ findUrl: async () => "https://new.test" });
    expect(drift).toHaveLength(4 + 2);
    expect(drift[0]).toMatchObject({ expected: "https://new.test/t/…/inject" });
  });

  it("names what the record says otherwise than the cluster", async () => {
    expect(await places({ arn: "arn:other", kubernetesVersion: "1.34" })).toEqual([
      "record of shop: arn",
      "record of shop: kubernetesVersion",
    ]);
  });

  it("names objects that are missing", async () => {
    lab.api.objects.delete(BINDING);
    expect(await places()).toEqual(["outrigger-sidecar-injector-object"]);
    lab.api.objects.delete(CONFIGURATION);
    expect(await places()).toEqual(["webhook of revision default"]);
  });

  it("names a safety net that does not reject any more", async () => {
    const spec = lab.api.objects.get(BINDING)?.["spec"] as JsonObject;
    edit(BINDING, { spec: { ...spec, validationActions: ["Warn"] } });
    expect(await places()).toEqual(["outrigger-sidecar-injector-object: spec.validationActions"]);
  });

  it("names an annotation that cannot be read", async () => {
    const metadata = lab.api.objects.get(CONFIGURATION)?.["metadata"] as JsonObject;
    edit(CONFIGURATION, { metadata: { ...metadata, annotations: { "outrigger/settings": "{" } } });
    expect(await places()).toEqual(["outrigger-sidecar-injector: annotation outrigger/settings"]);
  });
});
