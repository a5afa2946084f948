// Pods that default templates with a match are for: where an edit changes who gets what, they show it, as no sample need do.

import { injectionKeys } from "@outrigger/base";
import type { Injector } from "../../injection.ts";
import { admittedRequest } from "./admitted-request.ts";
import type { NamedPod } from "./sample-pods.ts";

type Config = Pick<Injector["config"], "defaultTemplates" | "injectionLabel">;

/**
 * Plain pods for each default template that is for some pods only: one for each value of its labels and each of its namespaces, as an
 * edit may take one of them away.
 */
export function matchingPods({ defaultTemplates, injectionLabel }: Config): readonly NamedPod[] {
  // Where the policy leaves it to pods to ask, what they get is judged too.
  const asks = { [injectionKeys(injectionLabel).inject]: "true" };
  return defaultTemplates.flatMap((entry) => {
    if (typeof entry === "string") return [];
    const { podLabels, namespaces = [ANY] } = entry.match;
    const requirements = podLabels?.requirements ?? [];
    const labels = Object.fromEntries(requirements.map(({ key, values }) => [key, values[0] ?? ""]));
    const [first = ANY, ...others] = namespaces;
    return [
      podWith(labels, first, asks),
      ...others.map((namespace) => podWith(labels, namespace, asks)),
      ...requirements.flatMap(({ key, values }) =>
        values.slice(1).map((value) => podWith({ ...labels, [key]: value }, first, asks)),
      ),
    ];
  });
}

type Labels = Readonly<Record<string, string>>;

const ANY = "shop";

function podWith(labels: Labels, namespace: string, asks: Labels): NamedPod {
  const said = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const pod = {
    metadata: { name: "matched", namespace, labels: { ...labels, ...asks } },
    spec: { containers: [{ name: "app", image: "registry.example/app:1" }] },
  };
  const name = ["a pod", ...(said.length > 0 ? [`with ${said.join(",")}`] : []), `in ${namespace}`].join(" ");
  return { name, request: admittedRequest({ pod, namespace, parameters: {} }) };
}
