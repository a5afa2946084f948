import { type JsonObject, objectOf } from "@outrigger/base";
import { startFakeCluster } from "@outrigger/fake-aws";
import { expect, it, onTestFinished } from "vitest";
import { labCertificate } from "./lab-certificate.ts";

it("startFakeCluster() has istiod inject the pods of its namespaces, and no service that does not exist", async () => {
  const inject = (pod: JsonObject, namespace: string) => ({ ...pod, injected: namespace });
  const cluster = { name: "shop", arn: "arn:aws:eks:eu-west-1:111122223333:cluster/shop" };
  const { api, close } = await startFakeCluster(await labCertificate(), cluster, "direct", { values: {}, inject });
  onTestFinished(close);
  const create = async (namespace: string) => {
    const body = JSON.stringify({ metadata: { name: "a" }, spec: { containers: [{ name: "app", image: "app:1" }] } });
    const reply = await api.direct({ method: "POST", path: `/api/v1/namespaces/${namespace}/pods?dryRun=All`, body });
    return { code: reply.status, ...objectOf(JSON.parse(reply.body)) };
  };
  expect(await create("shop")).toMatchObject({ code: 201, injected: "shop" });
  expect(await create("checkout")).not.toHaveProperty("injected");
  api.edit("/api/v1/namespaces/checkout", "test", (namespace) => {
    const metadata = objectOf(namespace["metadata"]);
    return { ...namespace, metadata: { ...metadata, labels: { ...objectOf(metadata["labels"]), other: "yes" } } };
  });
  api.put("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/other", {
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "other" },
    webhooks: [
      {
        name: "other.example",
        clientConfig: { service: { namespace: "istio-system", name: "other" } },
        namespaceSelector: { matchLabels: { other: "yes" } },
        failurePolicy: "Fail",
      },
    ],
  });
  expect(await create("checkout")).toMatchObject({
    code: 500,
    message: expect.stringContaining('service "other" not found'),
  });
});

it.each([
  ["without a mesh", undefined, ["kubernetes.io/metadata.name", "sidecars.example.com/inject"]],
  [
    "beside istiod",
    { values: {}, inject: (pod: JsonObject) => pod },
    ["istio-injection", "kubernetes.io/metadata.name", "sidecars.example.com/inject"],
  ],
])("startFakeCluster() labels its namespaces by a label of one's own, %s", async (_, istiod, expected) => {
  const cluster = { name: "shop", arn: "arn:aws:eks:eu-west-1:111122223333:cluster/shop" };
  const asking = { "sidecars.example.com/inject": "true" };
  const { api, close } = await startFakeCluster(await labCertificate(), cluster, "direct", istiod, asking);
  onTestFinished(close);
  const labelsOf = async (name: string) => {
    const reply = await api.direct({ method: "GET", path: `/api/v1/namespaces/${name}` });
    return objectOf(objectOf(objectOf(JSON.parse(reply.body))["metadata"])["labels"]);
  };
  for (const name of ["shop", "staging"]) {
    expect(await labelsOf(name)).toMatchObject(asking);
    expect(Object.keys(await labelsOf(name)).toSorted()).toEqual(expected);
  }
  expect(Object.keys(await labelsOf("checkout"))).toEqual(["kubernetes.io/metadata.name"]);
});
