// One environment of a source tree, laid over the tree as text. What is published is one tree, in which the environment has an
// entry of its own: the tree says what it is for, wherever it is kept.
import { defined, isObject, type JsonObject, type JsonValue, OutriggerError, objectOf } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { editDocument, formatYaml, parseYaml } from "@outrigger/yaml";

/** Values lie over each other in the order of their names: this entry over all others, but those of the command line. */
export const ENVIRONMENT_ENTRY = "values/zzz-environment-";

export interface EnvironmentLayer {
  readonly tree: SourceTree;
  /** `prod` */
  readonly name: string;
  /** The environment's own texts. */
  readonly over: Readonly<Partial<Record<"values" | "mesh" | "config", string>>>;
  /** Where they are, for messages. */
  readonly folder: string;
}

/**
 * The tree with an environment laid over it. Its values become an entry of their own. In `mesh`, mappings are merged key by key and
 * all else is replaced; of `config`, whole keys are replaced. Comments of the tree stay.
 *
 * @throws OutriggerError `tree-invalid` for a tree that is of an environment already; `yaml-invalid` for a text that is no YAML
 * @example
 * ```ts
 * layEnvironment({ tree: { mesh: "a: {b: 1}" }, name: "prod", over: { mesh: "a: {c: 2}" }, folder: "" }).mesh // => "a: {b: 1, c: 2}"
 * ```
 */
export function layEnvironment({ tree, name, over, folder }: EnvironmentLayer): SourceTree {
  const already = environmentOf(tree);
  if (already !== undefined) {
    const message = `Cannot lay environment ${name} over the tree: it is of environment ${already}, because it has ${ENVIRONMENT_ENTRY}${already}.yaml; remove that file, or go without --env`;
    throw new OutriggerError("tree-invalid", message, { path: `${ENVIRONMENT_ENTRY}${already}` });
  }
  const merged = (path: "mesh" | "config", lay: (below: JsonObject, above: JsonObject) => JsonObject) =>
    over[path] === undefined
      ? tree[path]
      : layText({ below: tree[path] ?? "", above: over[path], place: `${folder}/${path}.yaml` }, lay);
  return {
    ...tree,
    ...defined({ mesh: merged("mesh", layOver), config: merged("config", (below, above) => ({ ...below, ...above })) }),
    [`${ENVIRONMENT_ENTRY}${name}`]: over.values ?? `# Environment ${name} sets no values\n`,
  };
}

/** The environment that a tree is of; undefined for a tree of none. */
export function environmentOf(tree: SourceTree): string | undefined {
  return Object.keys(tree)
    .findLast((path) => path.startsWith(ENVIRONMENT_ENTRY))
    ?.slice(ENVIRONMENT_ENTRY.length);
}

/**
 * Refuses a tree of another environment than the deployment is for, and one of none. A tree without texts is the shipped one, which is
 * for all.
 *
 * @param own the deployment's setting `environment`; undefined or empty: it takes every tree
 * @throws OutriggerError `config-invalid`
 */
export function assertEnvironment(tree: SourceTree, own: string | undefined, place: string): void {
  const named = environmentOf(tree);
  if (own === undefined || own === "" || named === own || Object.keys(tree).length === 0) return;
  const is = named === undefined ? "of no environment" : `of environment ${named}`;
  const message = `Cannot publish ${place}: this deployment is for environment ${own}, and the tree is ${is}; push it with "--env ${own}", or change environment in outrigger.<stage>.yml and deploy`;
  throw new OutriggerError("config-invalid", message, { path: place });
}

interface Texts {
  readonly below: string;
  readonly above: string;
  readonly place: string;
}

function layText({ below, above, place }: Texts, lay: (below: JsonObject, above: JsonObject) => JsonObject): string {
  const over = parseYaml(above, place);
  if (over === null) return below;
  if (!isObject(over)) {
    throw new OutriggerError("tree-invalid", `Cannot use ${place}: it must be a mapping`, { path: place });
  }
  const base = parseYaml(below, place);
  const wanted = lay(objectOf(base), over);
  return (base === null ? undefined : editDocument(below, wanted)) ?? formatYaml(wanted);
}

function layOver(below: JsonObject, above: JsonObject): JsonObject {
  const laid = Object.entries(above).map(([key, value = null]): readonly [string, JsonValue] => [
    key,
    isObject(value) ? layOver(objectOf(Object.hasOwn(below, key) ? below[key] : undefined), value) : value,
  ]);
  return { ...below, ...Object.fromEntries(laid) };
}
