// Examines a whole tree with its samples, as publishing does, and measures what an edit changes on them.

import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { OutriggerError } from "../../lib/errors.ts";
import type { Injector } from "../../lib/inject/injector.ts";
import { injectionHelpers } from "../../lib/inject/template-helpers.ts";
import { isObject, type JsonValue } from "../../lib/json.ts";
import { lintTree } from "../../lib/release/lint-tree.ts";
import { loadRelease } from "../../lib/release/load-release.ts";
import type { Release } from "../../lib/release/release.ts";
import { injectedText, manifestPods, type NamedPod, samplePods } from "../../lib/release/sample-pods.ts";
import { TEMPLATE_ROOTS } from "../../lib/template/compile/template-roots.ts";
import type { ExamineAnswer, ExamineQuestion, Impact, TemplateNames } from "./question.ts";

export function examine({ shipped, own, saved, manifests }: ExamineQuestion): ExamineAnswer {
  const edited = lintTree([shipped, own]);
  const { findings } = edited;
  if (edited.release === undefined) return { kind: "examine", findings, impact: undefined, names: undefined };
  const names = templateNames(edited.release);
  const before = lintTree([shipped, saved]).release;
  if (before === undefined) return { kind: "examine", findings, impact: undefined, names };
  const pods = [...samplePods([shipped, own]), ...manifests.flatMap((text) => podsOf(text))];
  const impact = impactOf(pods, loadRelease(before), loadRelease(edited.release));
  return { kind: "examine", findings, impact, names };
}

/** Fields of the pod and its workload that templates read most; lib/inject/template-data.ts makes them. */
const POD_FIELDS: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "metadata.labels",
  "metadata.annotations",
  "spec.containers",
  "spec.initContainers",
  "spec.serviceAccountName",
  "owner.name",
  "owner.namespace",
  "owner.kind",
  "owner.apiVersion",
];

function templateNames({ values, meshConfig }: Release): TemplateNames {
  const trees = {
    values,
    meshConfig: meshConfig as unknown as JsonValue,
    proxyConfig: meshConfig.defaultConfig as unknown as JsonValue,
  };
  const paths = Object.entries(trees).flatMap(([root, value]) => pathsIn(value, root));
  return {
    helpers: Object.keys(injectionHelpers).sort(),
    paths: [...new Set([...POD_FIELDS, ...TEMPLATE_ROOTS, ...paths])],
  };
}

/** The paths of all entries that a template can write without quotes. */
function pathsIn(value: JsonValue | undefined, path: string): readonly string[] {
  if (!isObject(value)) return [path];
  const entries = Object.entries(value).filter(([key]) => /^\w+$/.test(key));
  return [path, ...entries.flatMap(([key, inner]) => pathsIn(inner, `${path}.${key}`))];
}

/** A manifest that cannot be read is reported by its preview. */
function podsOf(text: string): readonly NamedPod[] {
  try {
    return manifestPods(text, "the manifest");
  } catch (error) {
    if (error instanceof OutriggerError) return [];
    throw error;
  }
}

/** Pods whose diffs add and remove the same lines change in the same way. */
function impactOf(pods: readonly NamedPod[], before: Injector, after: Injector): Impact {
  const unchanged: string[] = [];
  const changes = new Map<string, { readonly pods: string[]; readonly diff: string }>();
  for (const { name, request } of pods) {
    const [old, edited] = [injectedText(before, request), injectedText(after, request)];
    if (old === edited) {
      unchanged.push(name);
      continue;
    }
    const diff = createTwoFilesPatch("saved", "edited", old, edited, "", "", {
      context: 3,
      headerOptions: FILE_HEADERS_ONLY,
    });
    const change = diff
      .split("\n")
      .filter((line) => /^[+-](?![+-]{2} )/.test(line))
      .join("\n");
    const same = changes.get(change);
    if (same === undefined) changes.set(change, { pods: [name], diff });
    else same.pods.push(name);
  }
  return { unchanged, changes: [...changes.values()] };
}
