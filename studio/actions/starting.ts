// What one can start from with one click: an example, and on a tree without entries of one's own, an edit or a pod to try.

import { isObject, type JsonValue, objectOf } from "@outrigger/base";
import { joinedDefaults, type SourceTree } from "@outrigger/injector";
import { attempt, defaultsOf } from "../model/audience.ts";
import { draftsOf } from "../model/drafts.ts";
import { report, reportFailure } from "../model/notice.ts";
import {
  bringManifest,
  chosenView,
  drafts,
  edit,
  firstOf,
  offered,
  openPath,
  paths,
  pod,
  shownPage,
  workspace,
} from "../model/state.ts";
import { source } from "../model/workspace.ts";
import { firstSample } from "../preview/first-preview.ts";
import type { ExampleTree } from "../wire.ts";

/**
 * The examples to choose from; where one of them is named, that is started from at once. Their templates come after those that
 * pods get by default already, so that no pod loses what it has.
 */
export async function offerExamples(wanted?: string): Promise<void> {
  try {
    const { shipped, saved } = workspace.value;
    const examples = (await source.examples()).map((each) => besideDefaults(each, [saved, shipped]));
    const example = examples.find(({ name }) => name === wanted);
    if (example === undefined) offered.value = examples;
    else startFrom(example);
  } catch (error) {
    reportFailure(error);
  }
}

/** The example's entries become edits, in place of all edits before. */
export function startFrom(example: ExampleTree): void {
  offered.value = undefined;
  shownPage.value = "edit";
  drafts.value = draftsOf(example.tree, workspace.value.saved);
  const entries = Object.keys(example.tree);
  const samples = entries.filter((path) => path.startsWith("samples/"));
  openPath.value = firstOf(entries) ?? "";
  pod.value = firstSample(samples.length === 0 ? paths.value : samples);
  report("examples.started", { title: example.title });
}

/** The example, with the default templates in force before its own. @param layers the upper one first */
function besideDefaults(example: ExampleTree, layers: readonly SourceTree[]): ExampleTree {
  const { config = "" } = example.tree;
  const own = objectOf(attempt(config));
  const wanted = own["defaultTemplates"];
  if (!Array.isArray(wanted)) return example;
  const { entries, isWithoutMesh } = defaultsOf(layers);
  const list = `defaultTemplates: ${flowText([...joinedDefaults(entries, wanted)])}\n`;
  // Whether there is a mesh, the tree says that is edited.
  const meshless = isWithoutMesh ? "mesh: none\n" : "";
  const beside = config.replace(/^mesh:.*\n/m, "").replace(DEFAULTS, () => meshless + list);
  return { ...example, tree: { ...example.tree, config: beside } };
}

/** A list at the top of a document, in either form, to its end. */
const DEFAULTS = /^defaultTemplates:.*\n(?:[ -].*\n)*/m;

/** A value as YAML's flow form. What writes all of YAML is not loaded with the page. */
function flowText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(", ")}]`;
  if (!isObject(value)) return scalarText(value);
  const fields = Object.entries(value).map(([key, each]) => `${scalarText(key)}: ${flowText(each as JsonValue)}`);
  // Two braces side by side cannot be stored.
  return `{${fields.join(", ")}}`.replaceAll(/\}(?=\})/g, "} ");
}

/** A word as it is, if it is read as that word; else between quotation marks. */
function scalarText(value: JsonValue): string {
  const text = String(value);
  return /^[\w./-]+$/.test(text) && attempt(text) === value ? text : JSON.stringify(value);
}

const VALUES = "values/50-image";

/** Begins an edit with another tag of the proxy's image: the smallest edit with an effect that can be seen. */
export function tryImage(): void {
  edit(VALUES, "# Lies over the shipped values.\nglobal:\n  tag: 1.31.0-debug\n");
  openPath.value = VALUES;
  chosenView.value = undefined;
}

/** A pod that opts out, to see what the page says of it. */
export function tryOptedOut(): void {
  bringManifest(OPTED_OUT);
  chosenView.value = undefined;
}

const OPTED_OUT = `apiVersion: v1
kind: Pod
metadata:
  name: batch
  labels:
    sidecar.istio.io/inject: "false"
spec:
  containers:
  - name: batch
    image: registry.example/batch:1
`;
