// Entries of `defaultTemplates` that YAML's anchors and aliases share with other places: a form that changed one would take it out of
// what the person who wrote it keeps in one place.

import { lineIndex, objectOf } from "@outrigger/base";
import { parseYamlNodes, type YamlNode } from "@outrigger/yaml";
import { attempt } from "./audience.ts";

/** The line, 1-based, on which an entry of a template shares a part with another place; undefined where none does. */
export function sharedLine(config: string, name: string): number | undefined {
  const value = attempt(config);
  const root = value === undefined ? undefined : parseYamlNodes(config)?.root;
  if (root?.kind !== "mapping") return undefined;
  const list = root.entries.findLast(({ key }) => key.kind === "scalar" && key.value === "defaultTemplates")?.value;
  if (list === undefined) return undefined;
  const aliases = new Set(nodesOf(root).flatMap((node) => (node.kind === "alias" ? [node.name] : [])));
  const isShared = (node: YamlNode) => node.kind === "alias" || (node.anchor !== undefined && aliases.has(node.anchor));
  const entries = objectOf(value)["defaultTemplates"];
  const isNamed = (at: number) => {
    const entry = Array.isArray(entries) ? entries[at] : undefined;
    return entry === name || objectOf(entry)["name"] === name;
  };
  const own = list.kind === "sequence" ? list.items.flatMap(({ node }, at) => (isNamed(at) ? nodesOf(node) : [])) : [];
  const found = [list, ...own].find(isShared);
  return found && lineIndex(config)(found.start).line;
}

/** A node and all below it. */
function nodesOf(node: YamlNode): readonly YamlNode[] {
  if (node.kind === "mapping")
    return [node, ...node.entries.flatMap(({ key, value }) => [...nodesOf(key), ...nodesOf(value)])];
  return node.kind === "sequence" ? [node, ...node.items.flatMap((item) => nodesOf(item.node))] : [node];
}
