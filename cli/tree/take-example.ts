// One sidecar of the shelf, taken into a tree that exists: what an example's template needs, under names that meet no others, and the
// entries of `defaultTemplates` and of the schema that it brings.
import { type JsonObject, OutriggerError, objectOf, usageError } from "@outrigger/base";
import { neededEntries } from "@outrigger/guardrails";
import { compileRelease, joinedDefaults, type SourceTree } from "@outrigger/injector";
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
 * @throws OutriggerError `tree-invalid` for a config or schema whose text cannot be edited
 */
export function takeExample({ name, tree, files }: Shelved, own: SourceTree) {
  const fresh = Object.entries(files).flatMap(([path, text]) => {
    const [folder = "", ...rest] = path.split("/");
    // A decision is the example's own configuration's.
    if (folder === "tests" && Object.hasOwn(files, `tests/${rest[0]}/decision`)) return [];
    if (folder === "samples" || folder === "tests") return [[`${folder}/${name}-${rest.join("/")}`, text] as const];
    return rest.length === 0 ? [] : [[path, text] as const];
  });
  const config = objectOf(parseYaml(own["config"] ?? "", "config"));
  const begun = config["defaultTemplates"] ?? (config["mesh"] === "none" ? [] : ["sidecar"]);
  const given = objectOf(parseYaml(tree["config"] ?? "", "config"));
  const entries = given["defaultTemplates"];
  if (!Array.isArray(begun) || !Array.isArray(entries))
    throw usageError("Cannot read defaultTemplates: it must be a list");
  // By these, other tools leave the pod alone.
  const marks = given["injectedAnnotations"];
  const annotations = marks && {
    injectedAnnotations: { ...objectOf(config["injectedAnnotations"]), ...objectOf(marks) },
  };
  const edited: Record<string, string> = {
    "config.yaml": edit("config", own["config"], {
      ...config,
      ...annotations,
      defaultTemplates: [...joinedDefaults(begun, entries)],
    }),
  };
  if (tree["schema"] !== undefined) {
    const [below, above] = [own["schema"] ?? "", tree["schema"]].map((text) => objectOf(parseYaml(text, "schema")));
    const properties = { ...objectOf(below?.["properties"]), ...objectOf(above?.["properties"]) };
    edited["schema.yaml"] =
      own["schema"] === undefined ? tree["schema"] : edit("schema", own["schema"], { ...below, properties });
  }
  return { fresh: Object.fromEntries(fresh), edited, entries };
}

/** The entries of the setting guardrails that admit what the sidecar adds to pods, where all is closed that can be. */
export function guardrailEntries({ tree }: Pick<Shelved, "tree">, shipped: SourceTree): readonly string[] {
  const layers = [shipped, { ...tree, config: `${tree["config"] ?? ""}\nmesh: none\n` }];
  return neededEntries(compileRelease(layers), layers);
}

function edit(path: string, text: string | undefined, wanted: JsonObject): string {
  if (text === undefined || parseYaml(text, path) === null) return `${text ?? ""}${formatYaml(wanted)}`;
  const edited = editDocument(text, wanted, { keepsOrder: true });
  if (edited !== undefined) return edited;
  throw new OutriggerError("tree-invalid", `Cannot edit ${path}.yaml: write it in block style, one key a line`, {
    path,
  });
}
