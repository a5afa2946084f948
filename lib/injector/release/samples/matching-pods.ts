// Pods that default templates with a match are for: where an edit changes who gets what, they show it, as no sample need do.

import { metadataKeys } from "@outrigger/base";
import type { Injector } from "../../injection.ts";
import { admittedRequest } from "./admitted-request.ts";
import type { NamedPod } from "./sample-pods.ts";

type Config = Pick<Injector["config"], "defaultTemplates">;

/**
 * Plain pods for each default template that is for some pods only: one for each value of its labels and each of its namespaces, as an
 * edit may take one of them away.
 */
export function matchingPods({ defaultTemplates }: Config): readonly NamedPod[] {
  return defaultTemplates.flatMap((entry) => {
    if (typeof entry === "string") return [];
    const { podLabels, namespaces = [ANY] } = entry.match;
    const requirements = podLabels?.requirements ?? [];
    const labels = Object.fromEntries(requirements.map(({ key, values }) => [key, values[0] ?? ""]));
    const [first = ANY, ...others] = namespaces;
    return [
      podWith(labels, first),
      ...others.map((namespace) => podWith(labels, namespace)),
      ...requirements.flatMap(({ key, values }) =>
        values.slice(1).map((value) => podWith({ ...labels, [key]: value }, first)),
      ),
    ];
  });
}

const ANY = "shop";

function podWith(labels: Readonly<Record<string, string>>, namespace: string): NamedPod {
  const said = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const pod = {
    // Where the policy leaves it to pods to ask, what they get is judged too.
    metadata: { name: "matched", namespace, labels: { ...labels, [metadataKeys.inject]: "true" } },
    spec: { containers: [{ name: "app", image: "registry.example/app:1" }] },
  };
  const name = ["a pod", ...(said.length > 0 ? [`with ${said.join(",")}`] : []), `in ${namespace}`].join(" ");
  return { name, request: admittedRequest({ pod, namespace, parameters: {} }) };
}
