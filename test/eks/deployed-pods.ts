// Pods of Deployments in a lab's cluster, as the webhook injects them and the API server stores them.
import type { JsonObject } from "@outrigger/base";
import { defaultedPod } from "@outrigger/fake-aws";
import type { Pod } from "@outrigger/pod";
import type { CliLab } from "./cli-lab.ts";

type Metadata = NonNullable<Pod["metadata"]>;

interface Written extends Pick<Metadata, "annotations" | "labels"> {
  readonly namespace?: string;
  readonly spec?: Pod["spec"];
}

/**
 * Returns the function that sends a pod of a Deployment to the webhook, and stores it as running, with a name of its own.
 *
 * @param labOf gets the lab of the test that runs
 */
export function deployedPods(labOf: () => Pick<CliLab, "api">, status: JsonObject = {}) {
  let made = 0;
  return async (name: string, { namespace = "shop", annotations = {}, labels = {}, spec }: Written = {}) => {
    const { api } = labOf();
    const pod: Pod = {
      metadata: {
        generateName: `${name}-5d8f-`,
        namespace,
        labels: { app: name, "pod-template-hash": "5d8f", ...labels },
        annotations,
        ownerReferences: [
          { apiVersion: "apps/v1", kind: "ReplicaSet", name: `${name}-5d8f`, uid: `uid-${name}`, controller: true },
        ],
      },
      spec: { containers: [{ name: "app", image: `${name}:1` }], ...spec },
    };
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const body = JSON.stringify(defaultedPod(pod));
    const sent = { method: "POST", path: `${path}?dryRun=All`, body, contentType: "application/json" };
    const object = JSON.parse((await api.direct(sent)).body) as Pod;
    const full = `${name}-5d8f-bcd${"fghjk"[made % 5]}${"lmnpq"[Math.floor(made++ / 5) % 5]}`;
    const stored = {
      ...object,
      metadata: { ...object.metadata, name: full },
      spec: { ...defaultedPod(object).spec, nodeName: `node-${made}` },
      status: { phase: "Running", ...status },
    };
    api.put(`${path}/${full}`, stored as unknown as JsonObject);
  };
}
