// Examines a whole tree with its samples, as publishing does, and measures what an edit, or the move of a channel, changes on
// them.

import { isObject, type JsonValue, OutriggerError } from "@outrigger/base";
import type { Injector, Release, SourceTree } from "@outrigger/injector";
import {
  admittedRequest,
  lintSource,
  loadRelease,
  manifestPods,
  samplePods,
  traceValues,
  valuesSchema,
} from "@outrigger/injector";
import { meshFields } from "@outrigger/mesh";
import { TEMPLATE_ROOTS } from "@outrigger/template";
import { type CountedPod, measureImpact, orNone, runningPods } from "./measure-impact.ts";
import { measureReach } from "./measure-reach.ts";
import { isSameTree } from "./preview.ts";
import {
  type CompareAnswer,
  type CompareQuestion,
  type ExamineAnswer,
  type ExamineQuestion,
  MANIFEST_NAME,
  type TemplateNames,
} from "./question.ts";

export function examine(question: ExamineQuestion): ExamineAnswer {
  const { shipped, own, saved, manifests } = question;
  const { findings, release: after } = lintSource([shipped, own]);
  const names = after && templateNames(after, [shipped, own]);
  const injector = after && loadRelease(after);
  const before = injector && (isSameTree(own, saved) ? injector : loaded(lintSource([shipped, saved]).release));
  const impact = injector && before && measureImpact(testPods([shipped, own], manifests), before, injector);
  const reach = injector && measureReach(testPods([shipped, own], []), injector);
  return { findings, names, impact, reach };
}

function loaded(release: Release | undefined): Injector | undefined {
  return release && loadRelease(release);
}

/** @throws OutriggerError `release-unsupported`, or `tree-invalid` where the trees have errors */
export function compare({ shipped, own, manifests, workloads, ...releases }: CompareQuestion): CompareAnswer {
  const edited = releases.after ?? lintSource([shipped, own]).release;
  if (edited === undefined) throw new OutriggerError("tree-invalid", "The files have errors");
  const [before, after] = [loadRelease(releases.before), loadRelease(edited)];
  return {
    impact: measureImpact(testPods([shipped, own], manifests), before, after),
    clusterImpact: workloads.length === 0 ? undefined : measureImpact(runningPods(workloads), before, after),
  };
}

/** The samples of trees, and the pods of manifests. */
function testPods(layers: readonly SourceTree[], manifests: readonly string[]): readonly CountedPod[] {
  const brought = manifests.flatMap((text) => orNone(() => manifestPods([{ text, source: MANIFEST_NAME }])));
  const admitted = brought.map(({ name, request }) => ({ name, request: admittedRequest(request) }));
  return [...samplePods(layers), ...admitted].map((pod) => ({ ...pod, pods: 1 }));
}

/** Fields of the pod and its workload that templates read most; lib/injector/render/template-data.ts makes them. */
const POD_FIELDS: readonly string[] = [
  ...["name", "namespace", "labels", "annotations"].map((field) => `metadata.${field}`),
  ...["containers", "initContainers", "serviceAccountName"].map((field) => `spec.${field}`),
  ...["name", "namespace", "kind", "apiVersion"].map((field) => `owner.${field}`),
];

function templateNames({ values, meshConfig }: Release, layers: readonly SourceTree[]): TemplateNames {
  const trees = { values, meshConfig, proxyConfig: meshConfig.defaultConfig };
  const paths = Object.entries(trees).flatMap(([root, value]) => pathsIn(value, root));
  const known = traceValues(layers).map(({ steps, value, ...place }) => {
    return { ...place, name: steps.join("."), text: JSON.stringify(value) };
  });
  return {
    paths: [...new Set([...POD_FIELDS, ...TEMPLATE_ROOTS, ...paths])],
    values: known,
    schema: valuesSchema(values),
    mesh: meshFields(),
  };
}

/** The paths of all entries that a template can write without quotes. */
function pathsIn(value: JsonValue | undefined, path: string): readonly string[] {
  if (!isObject(value)) return [path];
  const entries = Object.entries(value).filter(([key]) => /^\w+$/.test(key));
  return [path, ...entries.flatMap(([key, inner]) => pathsIn(inner, `${path}.${key}`))];
}
