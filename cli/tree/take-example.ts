// One sidecar of the shelf, taken into a tree that exists: what an example's template needs, under names that meet no others, and the
// entries of `defaultTemplates` and of the schema that it brings.
import {
  isObject,
  type JsonObject,
  type JsonValue,
  metadataKeys,
  OutriggerError,
  objectOf,
  textOf,
  usageError,
} from "@outrigger/base";
import { neededEntries } from "@outrigger/guardrails";
import { compileRelease, isWithoutMesh, joinedDefaults, type SourceTree } from "@outrigger/injector";
import { editDocument, formatYaml, parseYaml } from "@outrigger/yaml";

interface Shelved {
  readonly name: string;
  readonly tree: SourceTree;
  /** Path in its folder → text. */
  readonly files: Readonly<Record<string, string>>;
}

/** Whether an example is a sidecar that a tree of others can take: it has templates of its own, and none of a mesh. */
export function isOnShelf({ tree }: Pick<Shelved, "tree">): boolean {
  return Object.keys(tree).some((path) => path.startsWith("templates/")) && !Object.hasOwn(tree, "mesh");
}

/**
 * The files to write for a sidecar of the shelf: those that must be new, and `config.yaml` and `schema.yaml` with what it adds to them.
 * A tree that says nothing of its default templates has Istio's sidecar among them: it stays.
 *
 * @param podLabels the labels of the pods that get it, in place of what the example says; its samples and tests get them too
 * @throws OutriggerError `tree-invalid` for a config or schema whose text cannot be edited
 */
export function takeExample({ name, tree, files }: Shelved, own: SourceTree, podLabels?: Labels) {
  const config = objectOf(parseYaml(own["config"] ?? "", "config"));
  const label = textOf(config["injectionLabel"]) ?? metadataKeys.inject;
  const fresh = Object.entries(files).flatMap(([path, text]) => {
    const [folder = "", ...rest] = path.split("/");
    // A decision is the example's own configuration's.
    if (folder === "tests" && Object.hasOwn(files, `tests/${rest[0]}/decision`)) return [];
    if (folder === "samples" || folder === "tests") {
      const isPod = folder === "samples" || rest.at(-1) === "pod.yaml";
      const labelled = isPod && podLabels !== undefined ? withLabels(text, path, podLabels) : text;
      // Pods of a tree with a label of its own ask by that one.
      const asking = isPod ? labelled.replaceAll(metadataKeys.inject, label) : labelled;
      return [[`${folder}/${name}-${rest.join("/")}`, asking] as const];
    }
    return rest.length === 0 ? [] : [[path, text] as const];
  });
  const begun = config["defaultTemplates"] ?? (isWithoutMesh([own]) ? [] : ["sidecar"]);
  const given = objectOf(parseYaml(tree["config"] ?? "", "config"));
  const shelved = given["defaultTemplates"];
  if (!Array.isArray(begun) || !Array.isArray(shelved))
    throw usageError("Cannot read defaultTemplates: it must be a list");
  const entries = shelved.map((entry) =>
    podLabels === undefined ? entry : { name: templateOf(entry), match: { podLabels } },
  );
  // By these, other tools leave the pod alone.
  const marks = given["injectedAnnotations"];
  const annotations = marks && {
    injectedAnnotations: { ...objectOf(config["injectedAnnotations"]), ...objectOf(marks) },
  };
  const withDefaults = (more: readonly JsonValue[]) => {
    return { ...config, ...annotations, defaultTemplates: [...joinedDefaults(begun, more)] };
  };
  // A name is written first, and who gets it below.
  const named = edit("config", own["config"], withDefaults(entries.map((entry) => ({ name: templateOf(entry) }))));
  const edited: Record<string, string> = { "config.yaml": edit("config", named, withDefaults(entries)) };
  if (tree["schema"] !== undefined) {
    const [below, above] = [own["schema"] ?? "", tree["schema"]].map((text) => objectOf(parseYaml(text, "schema")));
    const properties = { ...objectOf(below?.["properties"]), ...objectOf(above?.["properties"]) };
    edited["schema.yaml"] =
      own["schema"] === undefined ? tree["schema"] : edit("schema", own["schema"], { ...below, properties });
  }
  return { fresh: Object.fromEntries(fresh), edited, entries };
}

type Labels = Readonly<Record<string, string>>;

function templateOf(entry: JsonValue): string {
  return String(isObject(entry) ? entry["name"] : entry);
}

/** A manifest whose pods have more labels: a Pod, or a workload with its pod template. */
function withLabels(text: string, path: string, more: Labels): string {
  const whole = objectOf(parseYaml(text, path));
  const labelled = (pod: JsonObject): JsonObject => {
    const metadata = objectOf(pod["metadata"]);
    return { ...pod, metadata: { ...metadata, labels: { ...objectOf(metadata["labels"]), ...more } } };
  };
  const spec = objectOf(whole["spec"]);
  const wanted = isObject(spec["template"])
    ? { ...whole, spec: { ...spec, template: labelled(spec["template"]) } }
    : labelled(whole);
  return edit(path, text, wanted);
}

/** The entries of the setting guardrails that admit what the sidecar adds to pods, where all is closed that can be. */
export function guardrailEntries({ tree }: Pick<Shelved, "tree">, shipped: SourceTree): readonly string[] {
  const layers = [shipped, tree];
  return neededEntries(compileRelease(layers), layers);
}

function edit(path: string, text: string | undefined, wanted: JsonObject): string {
  if (text === undefined || parseYaml(text, path) === null) return `${text ?? ""}${formatYaml(wanted)}`;
  const edited = editDocument(text, wanted, { keepsOrder: true });
  if (edited !== undefined) return edited;
  throw new OutriggerError(
    "tree-invalid",
    `Cannot edit ${path.replace(/(\.yaml)?$/, ".yaml")}: write it in block style, one key a line`,
    {
      path,
    },
  );
}
