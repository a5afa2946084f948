// The pods on which releases are tried and compared: samples of trees, and pods of manifests that the user names.

import {
  type InjectionKeys,
  injectionKeys,
  isObject,
  memoizeJson,
  OutriggerError,
  ownError,
  unlessOwnError,
} from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { formatYaml, parseYaml } from "@outrigger/yaml";
import { decodePod } from "../../decode-pod.ts";
import { injectPod } from "../../inject-pod.ts";
import type { Injector, InjectRequest } from "../../injection.ts";
import { editManifest, type ManifestPod, type ManifestSource } from "../../manifest/edit-manifest.ts";
import { requestOf } from "../../manifest/inject-manifest.ts";
import { leftOfShipped } from "../istio-layers.ts";
import { folderEntries, type SourceTree } from "../source-tree.ts";
import { admittedRequest } from "./admitted-request.ts";

/** A pod with the name that people know it by, ready to inject. */
export interface NamedPod {
  /** The name, such as `samples/plain-pod`, or the file and the number of the pod in it. */
  readonly name: string;
  readonly request: InjectRequest;
}

/**
 * The samples of layers of trees, in the form in which an API server sends such pods, in the namespace that each names; of those of one
 * name, the last. Where a tree has no mesh, those that are shipped for one are left out, and so is a sample that is not a pod: lint reports
 * it.
 *
 * @param layers the lowest first; the shipped tree, where it is among them, is the lowest
 * @param asked templates and aliases that a plain pod asks for, each its own: what no sample chooses may be chosen by any pod
 * @param injectionLabel of the config that these pods are for
 */
export function samplePods(
  layers: readonly SourceTree[],
  asked: readonly string[] = [],
  injectionLabel?: string,
): readonly NamedPod[] {
  const samples = new Map(leftOfShipped(layers).flatMap((layer) => folderEntries(layer, "samples")));
  const written = [...samples].flatMap(([name, text]) => {
    const pod = podOf(text, `samples/${name}`);
    return pod === undefined ? [] : [named(`samples/${name}`, pod)];
  });
  const keys = injectionKeys(injectionLabel);
  return [
    ...written,
    ...[...new Set(asked)].map((name) => named(`a pod that asks for ${name}`, askingPod(name, keys))),
  ];
}

function named(name: string, pod: Pod): NamedPod {
  return { name, request: requestFor(pod) };
}

/** The same request for each use of a sample: what is found out of it is found out once. */
const requestFor = memoizeJson(
  (pod: Pod): InjectRequest => {
    const namespace = pod.metadata?.namespace || "default";
    return admittedRequest({ pod, namespace, parameters: {} });
  },
  { longest: 100_000 },
);

/** Another namespace than that of most samples: what a template does for one of them shows. */
const ASKING_NAMESPACE = "shop";

function askingPod(template: string, keys: InjectionKeys): Pod {
  const labels = { [keys.inject]: "true" };
  const annotations = { [keys.templates]: template };
  const app = { name: "app", image: "registry.example/app:1" };
  return {
    metadata: { name: "asking", namespace: ASKING_NAMESPACE, labels, annotations },
    spec: { containers: [app] },
  };
}

/** A manifest's text, and its name in errors: a file name. */
export interface Manifest {
  readonly text: string;
  readonly source: string;
}

type Options = Omit<ManifestSource, "verb" | "source">;

export interface DocumentPod extends NamedPod, Pick<ManifestPod, "document"> {}

/**
 * The pods of manifests, whatever kind of workload they are in.
 *
 * @throws OutriggerError `manifest-invalid` where there is none in any of them, `yaml-invalid`
 * @example
 * ```ts
 * manifestPods([{ text: "{kind: Pod, apiVersion: v1, spec: {containers: [{name: web}]}}", source: "pod.yaml" }])[0]?.name // => "pod.yaml"
 * ```
 */
export function manifestPods(manifests: readonly Manifest[], options: Options = {}): readonly DocumentPod[] {
  const found = manifests.flatMap((manifest) => podsOf(manifest, options));
  if (found.length > 0) return found;
  const source = manifests.map((manifest) => manifest.source).join(", ");
  const message = `Cannot find a pod in ${source}: give it a Pod, or a workload that has one`;
  throw new OutriggerError("manifest-invalid", message, { path: source });
}

function podsOf({ text, source }: Manifest, options: Options): readonly DocumentPod[] {
  const found: ManifestPod[] = [];
  editManifest(text, { ...options, source, verb: "inject" }, (pod) => {
    found.push(pod);
    return { warnings: [] };
  });
  return found.map((each, index) => ({
    name: found.length === 1 ? source : `${source}, pod ${index + 1}`,
    request: requestOf(each, options.isReference),
    document: each.document,
  }));
}

/** The pod as it comes out, as YAML; where it is not injected, a line that says why. */
export function injectedText(injector: Injector, request: InjectRequest): string {
  try {
    const result = injectPod(injector, request);
    return result.injected ? formatYaml(result.pod) : `# not injected (${result.reason}): ${result.message}\n`;
  } catch (error) {
    const { code, message } = ownError(error);
    return `# refused (${code}): ${message}\n`;
  }
}

function podOf(text: string, path: string): Pod | undefined {
  return unlessOwnError(() => {
    const pod = parseYaml(text, path);
    return isObject(pod) ? decodePod(pod, "written") : undefined;
  });
}
