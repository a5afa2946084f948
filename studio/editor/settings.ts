// What may be written where in a text that is edited: values, the mesh, annotations of a pod. What each takes is said in the words of
// the errors that refuse anything else.

import {
  annotationRules,
  entryOf,
  isObject,
  type JsonValue,
  listOf,
  type MetadataKey,
  metadataKeys,
  metadataKeyTable,
  objectOf,
  valueAt,
} from "@outrigger/base";
import { podRules } from "@outrigger/mesh";
import { type LocatedNode, parseYaml, readYamlTree, YamlSyntaxError } from "@outrigger/yaml";
import { templateNames } from "../model/state.ts";

export interface Setting {
  readonly name: string;
  /** What it takes, as the end of a sentence. */
  readonly use?: string | undefined;
  /** What it does. */
  readonly about?: string | undefined;
  /** What it may be as YAML writes it, where that is a short list. */
  readonly texts: readonly string[];
}

/** The settings that an entry may have below keys; none where they are not known. */
export function settingsBelow(path: string, keys: readonly string[]): readonly Setting[] {
  if (path.startsWith("values/")) return valuesBelow(keys);
  if (path === "mesh") return meshBelow(keys);
  return isPod(path) && keys.join(".") === "metadata.annotations" ? annotations : [];
}

/** Whether an entry has tags. */
export function isTemplate(path: string): boolean {
  return /^(?:templates|partials)\//.test(path);
}

/** Whether an entry is a pod, or a part of one. */
export function isPod(path: string): boolean {
  return isTemplate(path) || path.startsWith("samples/");
}

/** The setting of a value: `global.proxy.logLevel`. */
export function valueSetting(name: string): Setting | undefined {
  const keys = name.split(".");
  return valuesBelow(keys.slice(0, -1)).find((setting) => setting.name === keys.at(-1));
}

/** The setting whose key or value is at an offset of a YAML text, and where its key is. */
export function settingAt(
  path: string,
  text: string,
  offset: number,
): (Setting & { readonly from: number }) | undefined {
  let found: ReturnType<typeof keysAt>;
  try {
    found = keysAt(readYamlTree(text), offset);
  } catch (error) {
    // A text that is being written, or a template.
    if (!(error instanceof YamlSyntaxError)) throw error;
  }
  const setting = found && settingsBelow(path, found.keys.slice(0, -1)).find(({ name }) => name === found.keys.at(-1));
  // Of what is in a mapping over several lines, the key's own line alone is the mapping's.
  return found === undefined || setting === undefined || text.slice(found.from, offset).includes("\n")
    ? undefined
    : { ...setting, from: found.from };
}

function keysAt(
  node: LocatedNode,
  offset: number,
): { readonly keys: readonly string[]; readonly from: number } | undefined {
  const child = node.children.findLast(({ keyOffset }) => keyOffset <= offset);
  if (child === undefined || offset > (child.node.source?.end ?? child.keyOffset)) return undefined;
  const inner = keysAt(child.node, offset);
  const own = typeof child.step === "string" ? [child.step] : [];
  if (inner !== undefined) return { ...inner, keys: [...own, ...inner.keys] };
  return own.length === 0 ? undefined : { keys: own, from: child.keyOffset };
}

function valuesBelow(keys: readonly string[]): readonly Setting[] {
  const schema = valueAt(
    templateNames.peek().schema,
    keys.flatMap((key) => ["properties", key]),
  );
  return Object.entries(objectOf(objectOf(schema)["properties"])).map(([name, value]) => {
    const { type, description, enum: choices, items } = objectOf(value);
    const use = description ?? objectOf(items)["description"];
    const isBoolean = listOf(type).includes("boolean");
    return {
      name,
      use: typeof use === "string" ? use : isBoolean ? podRules.boolean.use : undefined,
      texts: written(isBoolean ? BOOLEANS : listOf(choices)),
    };
  });
}

function meshBelow(keys: readonly string[]): readonly Setting[] {
  const { mesh } = templateNames.peek();
  const place = keys.reduce((at, key) => {
    const below = (step: string) => (at === "" ? step : `${at}.${step}`);
    return below(entryOf(mesh, below("*")) === undefined ? key : "*");
  }, "");
  const fields = entryOf(mesh, place) ?? [];
  return fields.map(({ choices = [], ...field }) => ({ ...field, texts: written(choices) }));
}

const BOOLEANS = [true, false];

/** What an injection notes of itself. */
const RECORD: readonly string[] = [
  ...[metadataKeys.status, metadataKeys.overrides, metadataKeys.ownStatus, metadataKeys.ownOverrides],
  metadataKeys.fallback,
];

const annotations: readonly Setting[] = Object.values<MetadataKey>(metadataKeyTable).flatMap(({ key, doc }) => {
  if (doc.on !== "pod annotation" || !doc.use.startsWith("read") || RECORD.includes(key)) return [];
  const rule = annotationRules.get(key);
  const { use, choices } = rule === undefined || rule === "proxyConfig" ? {} : podRules[rule];
  // An annotation is text.
  return {
    name: key,
    use,
    about: doc.meaning.replaceAll("`", ""),
    texts: written(rule === "boolean" ? BOOLEANS.map(String) : (choices ?? [])),
  };
});

/** Values as YAML writes them: `off` would be a boolean without quotation marks. */
function written(values: readonly JsonValue[]): readonly string[] {
  return values
    .filter((value) => !isObject(value))
    .map((value) => {
      const plain = String(value);
      return value !== "" && parseYaml(plain, "") === value ? plain : JSON.stringify(value);
    });
}
