import type { JsonObject } from "@outrigger/base";
import { expect, it } from "vitest";
import { oncePerReplicas } from "./once-per-replicas.ts";

/** Returns a node's name, which does not contain the pod's name, as nodes are named. */
const nodeOf = (name: string) => `ip-10-0-0-${name.charCodeAt(name.length - 1)}`;

function pod(name: string, { uid = "u", spec = {}, ...metadata }: JsonObject = {}): JsonObject {
  const ownerReferences = uid === null ? [] : [{ kind: "ReplicaSet", name: "web-5d8f", uid, controller: true }];
  return {
    metadata: { name, generateName: "web-5d8f-", namespace: "shop", ...metadata, ownerReferences },
    spec: {
      hostname: name,
      nodeName: nodeOf(name),
      containers: [{ name: "web", image: "web:1" }],
      ...(spec as object),
    },
  };
}

function asked(...pods: readonly JsonObject[]): readonly unknown[] {
  const found: unknown[] = [];
  const ask = oncePerReplicas(({ metadata }) => void found.push((metadata as JsonObject)["name"]));
  for (const one of pods)
    ask({ metadata: one["metadata"] as JsonObject, specText: JSON.stringify(one["spec"]), whole: () => one });
  return found;
}

it("oncePerReplicas() asks once for pods that differ in what is generated", () => {
  const [a, b] = ["web-5d8f-aaaaa", "web-5d8f-bbbbb"];
  expect(asked(pod(a), pod(b))).toEqual([a]);
  expect(asked(pod(a, { uid: "u" }), pod(b, { uid: "v" }))).toEqual([a, b]);
  const named = (index: string) => ({ labels: { "apps.kubernetes.io/pod-index": index } });
  expect(asked(pod("db-0", named("0")), pod("db-1", named("1")))).toEqual(["db-0"]);
  const token = (suffix: string) => ({ spec: { volumes: [{ name: `kube-api-access-${suffix}` }] } });
  expect(asked(pod(a, token("x7k2p")), pod(b, token("zz9zz")))).toEqual([a]);
  const bound = (node: string) => ({ spec: { affinity: { values: [nodeOf(node)] } } });
  expect(asked(pod(a, bound(a)), pod(b, bound(b)))).toEqual([a]);
});

it("oncePerReplicas() asks for each pod that differs in anything else, and for each without a controller", () => {
  const [a, b] = ["web-5d8f-aaaaa", "web-5d8f-bbbbb"];
  expect(asked(pod(a), pod(b, { annotations: { x: "y" } }))).toEqual([a, b]);
  expect(asked(pod(a), pod(b, { labels: { x: "y" } }))).toEqual([a, b]);
  expect(asked(pod(a), pod(b, { spec: { containers: [{ name: "web", image: "web:2" }] } }))).toEqual([a, b]);
  expect(asked(pod(a, { uid: null }), pod(b, { uid: null }))).toEqual([a, b]);
});
