// Findings about a tree with an environment laid over it, each at the file that people edit.
import { type FieldPath, isObject, type JsonValue, objectOf, valueAt } from "@outrigger/base";
import type { SourceTree, TreeFinding } from "@outrigger/injector";
import { ENVIRONMENT_ENTRY } from "@outrigger/publisher";
import { locateYaml, parseYaml } from "@outrigger/yaml";

export interface LaidTree {
  readonly name: string;
  /** The tree with the environment over it, which the findings are about. */
  readonly tree: SourceTree;
  /** The tree without it, and the environment's own texts. */
  readonly below: SourceTree;
  readonly over: SourceTree;
}

/** The findings, with `environments/prod/values` for the entry that the environment's values become. */
export function atEditedFiles(findings: readonly TreeFinding[], laid: LaidTree): readonly TreeFinding[] {
  const entry = `${ENVIRONMENT_ENTRY}${laid.name}`;
  const file = `environments/${laid.name}/values`;
  return findings.map((finding) => {
    const message = finding.message.replaceAll(entry, file);
    if (finding.path === entry) return { ...finding, message, path: file };
    const merged = /^(mesh|config)(?=\.|$)/.exec(finding.path)?.[0];
    if (merged === undefined || !Object.hasOwn(laid.over, merged)) return { ...finding, message };
    return { ...finding, message, ...editedPlace(merged, finding, laid) };
  });
}

/** The place in one of the two texts that were merged. A finding about neither line stays as it is. */
function editedPlace(path: string, { line }: TreeFinding, { name, tree, below, over }: LaidTree): Partial<TreeFinding> {
  const text = tree[path] ?? "";
  const fields = fieldsOf(parseYaml(text, path, () => undefined));
  const steps = line === undefined ? undefined : fields.find((one) => locateYaml(text, one, "key")?.line === line);
  if (steps === undefined) return {};
  const isOver = valueAt(objectOf(parseYaml(over[path] ?? "", path, () => undefined)), steps) !== undefined;
  const place = locateYaml((isOver ? over : below)[path] ?? "", steps, "key");
  return { path: isOver ? `environments/${name}/${path}` : path, ...place };
}

/** The paths of a value's fields, outer ones first. */
function fieldsOf(value: JsonValue | undefined, above: FieldPath = []): readonly FieldPath[] {
  const entries = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  return entries.flatMap(([step, child]) => [[...above, step], ...fieldsOf(child as JsonValue, [...above, step])]);
}

/**
 * What linting the environments of a tree found: what all have once, and of the rest what environment it is about.
 *
 * @param linted by name of the environment; at least one
 */
export function ofEnvironments(linted: ReadonlyMap<string, readonly TreeFinding[]>): readonly TreeFinding[] {
  const found = new Map<string, { readonly finding: TreeFinding; readonly names: string[] }>();
  for (const [name, findings] of linted) {
    for (const finding of findings) {
      const key = JSON.stringify(finding);
      const known = found.get(key) ?? { finding, names: [] };
      found.set(key, { ...known, names: [...known.names, name] });
    }
  }
  return [...found.values()].map(({ finding, names }) => {
    if (names.length === linted.size || finding.path.startsWith("environments/")) return finding;
    return { ...finding, message: `${finding.message} (environment ${names.join(", ")})` };
  });
}
