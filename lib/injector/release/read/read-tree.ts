// The texts of one layer of a source tree, each YAML text parsed once, by what they are for.

import { defined, entryOf, isObject, memoizeJson, OutriggerError, ownError, unlessOwnError } from "@outrigger/base";
import { admittedForm, type Pod, parseFieldPath } from "@outrigger/pod";
import { locateYaml, parseYaml } from "@outrigger/yaml";
import { decodePod } from "../../decode-pod.ts";
import { checkSourcePath, folderEntries, type SourceFolder, type SourceTree } from "../source-tree.ts";
import { checkSwitches } from "./check-switches.ts";
import { fieldError, type SourceText } from "./source-text.ts";

export interface ReadLayer {
  readonly config?: SourceText;
  readonly namespaces?: SourceText;
  readonly schema?: SourceText;
  /** The values files, which are mappings, in the order of their names. */
  readonly values: readonly SourceText[];
  readonly samples: readonly SourceText[];
  /** lib/mesh parses these. */
  readonly mesh?: string;
  readonly proxyconfigs?: string;
}

/** Reads a layer. Whatever cannot be read is left out and its error added. */
export function readLayer(tree: SourceTree, errors: OutriggerError[]): ReadLayer {
  const attempt = <T>(read: () => T): T | undefined => unlessOwnError(read, (error) => errors.push(error));
  for (const path of Object.keys(tree)) attempt(() => checkSourcePath(path));
  const parse = (path: string, text: string): SourceText | undefined =>
    attempt(() => ({ path, text, value: parseText([path, text]) }));
  const folder = (name: "values" | "samples") =>
    folderEntries(tree, name).flatMap(([entry, text]) => parse(`${name}/${entry}`, text) ?? []);
  const single = (path: string) => (Object.hasOwn(tree, path) ? parse(path, tree[path] as string) : undefined);
  const [config, namespaces, schema] = [single("config"), single("namespaces"), single("schema")];
  const values = folder("values").filter((text) => {
    if (text.value === null || isObject(text.value)) {
      attempt(() => checkSwitches(text));
      return true;
    }
    const message = `Cannot use ${text.path}: values must be a mapping`;
    errors.push(new OutriggerError("values-invalid", message, { path: text.path, line: 1, column: 1 }));
    return false;
  });
  const texts = { mesh: entryOf(tree, "mesh"), proxyconfigs: entryOf(tree, "proxyconfigs") };
  return { ...defined({ config, namespaces, schema, ...texts }), values, samples: folder("samples") };
}

/**
 * Parses a text of a tree. It is cached, because most texts are those of the tree that was examined before. A key that
 * is given twice is an error.
 */
const parseText = memoizeJson(([path, text]: readonly [string, string]) => parseYaml(text, path), { longest: 100_000 });

/** The folder's entries of all layers by name; the last layer wins. */
export function mergedFolder(layers: readonly SourceTree[], folder: SourceFolder): Readonly<Record<string, string>> {
  return Object.fromEntries(layers.flatMap((layer) => folderEntries(layer, folder)));
}

/** `samples/<name>`: a pod on which every template is tried before it is published. */
export interface Sample extends Omit<SourceText, "value"> {
  /** The pod in the form in which an API server sends it, however short it is written. */
  readonly pod: Pod;
}

/** @throws OutriggerError `tree-invalid` for a document that is not a Pod */
export function readSample(source: SourceText): Sample {
  const { path, text, value } = source;
  if (!isObject(value) || value["kind"] !== "Pod") {
    throw fieldError("tree-invalid", source, ["kind"], `Cannot use ${path}: a sample is a Pod, with "kind: Pod"`);
  }
  try {
    const pod = decodePod(value, "written");
    return { path, text, pod: admittedForm(pod, { namespace: pod.metadata?.namespace || "default" }) };
  } catch (cause) {
    const { message, path: field } = ownError(cause);
    const place = field === undefined ? undefined : locateYaml(text, parseFieldPath(field), "value");
    throw new OutriggerError("tree-invalid", `Cannot use ${path}: ${message}`, { path, ...place, cause });
  }
}
