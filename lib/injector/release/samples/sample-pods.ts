// The pods on which releases are tried and compared: samples of trees, and pods of manifests that the user names.

import { isObject, type JsonValue, OutriggerError } from "@outrigger/base";
import { formatYaml, parseYaml } from "@outrigger/yaml";
import { decodePod } from "../../decode-pod.ts";
import { injectPod } from "../../inject-pod.ts";
import type { InjectRequest } from "../../inject-request.ts";
import type { Injector } from "../../injector.ts";
import { injectManifest, type ManifestOptions } from "../../manifest/inject-manifest.ts";
import { folderEntries, type SourceTree } from "../source-tree.ts";

export interface NamedPod {
  /** `samples/plain-pod`, or the file and the number of the pod in it. */
  readonly name: string;
  readonly request: InjectRequest;
}

/** The samples of layers of trees; of those of one name, the last. A sample that is not a pod is left out: lint reports it. */
export function samplePods(layers: readonly SourceTree[]): readonly NamedPod[] {
  const samples = new Map(layers.flatMap((layer) => folderEntries(layer, "samples")));
  return [...samples].flatMap(([name, text]) => {
    const pod = podOf(text, `samples/${name}`);
    return pod === undefined
      ? []
      : [{ name: `samples/${name}`, request: { pod, namespace: "default", parameters: {} } }];
  });
}

/** The pods of a manifest, whatever kind of workload they are in. */
export function manifestPods(
  text: string,
  source: string,
  options: Omit<ManifestOptions, "inject" | "source"> = {},
): readonly NamedPod[] {
  const requests: InjectRequest[] = [];
  injectManifest(text, {
    source,
    inject: (request) => {
      requests.push(request);
      return { injected: false, reason: "opted-out", message: "" };
    },
    ...options,
  });
  return requests.map((request, index) => ({
    name: requests.length === 1 ? source : `${source}, pod ${index + 1}`,
    request,
  }));
}

/** Of manifests that are asked about and have no pod. */
export function noPod(source: string): OutriggerError {
  return new OutriggerError(
    "manifest-invalid",
    `Cannot find a pod in ${source}: give it a Pod, or a workload that has one`,
    { path: source },
  );
}

/** The pod as it comes out, as YAML; where it is not injected, a line that says why. */
export function injectedText(injector: Injector, request: InjectRequest): string {
  try {
    const result = injectPod(injector, request);
    return result.injected ? formatYaml(result.pod) : `# not injected (${result.reason}): ${result.message}\n`;
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    return `# refused (${error.code}): ${error.message}\n`;
  }
}

function podOf(text: string, path: string) {
  try {
    const pod: JsonValue = parseYaml(text, path);
    return isObject(pod) ? decodePod(pod, "written") : undefined;
  } catch (error) {
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}
