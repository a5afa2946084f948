// The trees and pods on which every line of a template is checked: the cases of the reference, each example with the pods of
// its tests, and each Istio release with the shipped samples.

import { isObject, OutriggerError } from "@outrigger/base";
import type { InjectRequest, SourceTree } from "@outrigger/injector";
import { decodePod, manifestPods, samplePods } from "@outrigger/injector";
import { ISTIO_RELEASES, isIstioRelease } from "@outrigger/mesh";
import { readExamples } from "@outrigger/publisher";
import { parseYaml } from "@outrigger/yaml";
import { CASE_SETS, readCases } from "../../test/reference/read-reference.ts";
import { type ConformanceCase, namespaceOf, treeOfCase } from "../conformance/conformance-case.ts";
import type { Layers } from "./line-changes.ts";

export interface Setting {
  readonly name: string;
  readonly layers: Layers;
  readonly requests: readonly InjectRequest[];
}

/** @param shipped with its `releases/` */
export async function provenanceSettings(shipped: SourceTree): Promise<readonly Setting[]> {
  const examples = await readExamples("docs/examples");
  return [
    ...examples.map(({ name, tree, files }) => {
      const manifests = Object.entries(files).filter(([path]) => /^tests\/.*\.ya?ml$/.test(path));
      const tested = manifests.flatMap(([path, text]) => podsOf(text, path));
      const requests = [...samplePods([shipped, tree]), ...tested].map(({ request }) => request);
      return { name: `example ${name}`, layers: withIstioRelease(shipped, tree), requests };
    }),
    ...ISTIO_RELEASES.map((release) => {
      const layers = withIstioRelease(shipped, { config: `istio: "${release}"\n` });
      return { name: `Istio ${release}`, layers, requests: samplePods([shipped]).map(({ request }) => request) };
    }),
    ...caseSettings(shipped),
  ];
}

/** The layers with the shipped one as it is for the release that the tree names: texts at the paths that findings name. */
function withIstioRelease(shipped: SourceTree, tree: SourceTree): Layers {
  const config = parseYaml(tree["config"] ?? "{}", "config");
  const named = isObject(config) ? config["istio"] : undefined;
  const release = isIstioRelease(named) ? named : "development";
  const resolved = Object.entries(shipped).filter(([path]) => !path.startsWith("releases/"));
  for (const older of [...ISTIO_RELEASES].reverse().slice(0, ISTIO_RELEASES.length - ISTIO_RELEASES.indexOf(release))) {
    const prefix = `releases/${older}/`;
    for (const [path, text] of Object.entries(shipped)) {
      if (path.startsWith(prefix)) resolved.push([path.slice(prefix.length), text]);
    }
  }
  return [Object.fromEntries(resolved), tree];
}

/** Cases of one configuration together. */
function caseSettings(shipped: SourceTree): readonly Setting[] {
  const settings = new Map<string, ConformanceCase[]>();
  for (const one of CASE_SETS.flatMap(readCases)) {
    const key = JSON.stringify(treeOfCase(one));
    const known = settings.get(key);
    if (known === undefined) settings.set(key, [one]);
    else known.push(one);
  }
  return [...settings.values()].map((cases) => {
    const [first] = cases as [ConformanceCase];
    const layers = withIstioRelease(shipped, treeOfCase(first));
    return { name: `${first.name} and ${cases.length - 1} more`, layers, requests: cases.flatMap(requestsOf) };
  });
}

function requestsOf(one: ConformanceCase): readonly InjectRequest[] {
  const { object, manifest } = one.request;
  const namespace = namespaceOf(one);
  if (manifest !== undefined) {
    return podsOf(manifest, one.name, namespace).map(({ request }) => request);
  }
  return isObject(object) ? [{ pod: decodePod(object, "encoded"), namespace, parameters: {} }] : [];
}

/** None of a manifest that has none. */
function podsOf(text: string, source: string, namespace = "default") {
  try {
    return manifestPods([{ text, source }], { namespace });
  } catch (error) {
    if (error instanceof OutriggerError && error.code === "manifest-invalid") return [];
    throw error;
  }
}
