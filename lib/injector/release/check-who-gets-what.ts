// Whether what the config says of who gets what can be meant: a match that no sample fits, a template that nobody gets, a list of default
// templates that forgets the proxy. All of it is allowed, so these are warnings.
import { isObject, metadataKeys } from "@outrigger/base";
import { locateYaml } from "@outrigger/yaml";
import { containerNames } from "../data-plane.ts";
import { defaultName } from "../decide/default-name.ts";
import { explainDefaults } from "../decide/explain-defaults.ts";
import type { InjectionConfig } from "../injection.ts";
import { FOR_NO_POD } from "./read/parse-config.ts";
import type { Sample } from "./read/read-tree.ts";
import type { SourceText } from "./read/source-text.ts";
import { folderEntries, type SourceTree } from "./source-tree.ts";
import type { TreeFinding } from "./tree-finding.ts";

interface Subject {
  /** The config of the tree itself; undefined if it has none. */
  readonly config: SourceText | undefined;
  /** The tree itself, without the layers below it. */
  readonly tree: SourceTree;
  readonly injection: InjectionConfig;
  readonly hasMesh: boolean;
  /** The texts of all layers' templates by name. */
  readonly templates: Readonly<Record<string, string>>;
  readonly samples: readonly Sample[];
}

/** Warns where the tree's own config says who gets what; of a tree that does not, nothing is known. */
export function checkWhoGetsWhat(subject: Subject, warnings: TreeFinding[]): void {
  const { config } = subject;
  if (config === undefined || !isObject(config.value)) return;
  if (config.value["defaultTemplates"] !== undefined) {
    warnings.push(...unfitMatches(subject, config), ...forgottenProxy(subject, config));
  }
  // Beside a mesh, pods ask for templates by name, as in Istio.
  if (!subject.hasMesh) warnings.push(...unnamedTemplates(subject), ...unreadMesh(subject, config));
}

function unfitMatches({ injection, samples }: Subject, config: SourceText): readonly TreeFinding[] {
  return injection.defaultTemplates.flatMap((entry, index) => {
    // What every pod gets besides needs no match.
    if (typeof entry === "string" || entry === FOR_NO_POD || injection.defaultTemplates.includes(entry.name)) return [];
    const choices = samples.flatMap(({ pod }) =>
      explainDefaults({ defaultTemplates: [entry] }, pod, pod.metadata?.namespace || "default"),
    );
    if (choices.length === 0 || choices.some(({ isFit }) => isFit)) return [];
    const message = `no sample fits this match, so no test shows who gets ${entry.name}: correct it, or add a sample of such a pod`;
    return [warningAt(config, ["defaultTemplates", index, "match"], message)];
  });
}

function unnamedTemplates({ injection, tree, samples }: Subject): readonly TreeFinding[] {
  const named = new Set([
    ...injection.defaultTemplates.map(defaultName),
    ...Object.entries(injection.aliases).flatMap(([alias, names]) => [alias, ...names]),
    ...samples.flatMap(({ pod }) =>
      (pod.metadata?.annotations?.[metadataKeys.templates] ?? "").split(",").map((name) => name.trim()),
    ),
  ]);
  return folderEntries(tree, "templates").flatMap(([name]) => {
    if (named.has(name)) return [];
    const message = `no pod gets template ${name}: name it in defaultTemplates, or add a sample that asks for it with ${metadataKeys.templates}`;
    return [{ severity: "warning" as const, path: `templates/${name}`, line: 1, column: 1, message }];
  });
}

function forgottenProxy({ injection, hasMesh, tree, templates }: Subject, config: SourceText): readonly TreeFinding[] {
  const isOfMesh = (name: string) => !Object.hasOwn(tree, `templates/${name}`);
  // A tree's own may have the proxy in a partial.
  const mayAddProxy = (name: string) => isOfMesh(name) || /istio-proxy|\{\{~?#?>/.test(templates[name] ?? "");
  const names = injection.defaultTemplates.map(defaultName).flatMap((name) => injection.aliases[name] ?? [name]);
  const isForgotten = hasMesh && Object.keys(templates).some(isOfMesh) && names.length > 0 && !names.some(mayAddProxy);
  if (!isForgotten) return [];
  const message = `no default template adds ${containerNames.proxy}, so pods lose Istio's proxy: add - sidecar, or write mesh: none where there is no mesh`;
  return [warningAt(config, ["defaultTemplates"], message)];
}

/** What only a mesh reads, in a tree without one. */
function unreadMesh({ tree, templates }: Subject, config: SourceText): readonly TreeFinding[] {
  const texts = [...Object.values(templates), ...folderEntries(tree, "partials").map(([, text]) => text)];
  const isRead = texts.some((text) => /\b(meshConfig|proxyConfig)\b/.test(text));
  const files = isRead ? [] : ["mesh", "proxyconfigs"].filter((path) => Object.hasOwn(tree, path));
  const unread = (what: string) => `${what} has no effect: config.yaml says mesh: none, and no template reads it`;
  return [
    ...files.map((path) => ({
      severity: "warning" as const,
      path,
      line: 1,
      column: 1,
      message: unread(`${path}.yaml`),
    })),
    ...(isObject(config.value) && config.value["istio"] !== undefined
      ? [warningAt(config, ["istio"], unread('config key "istio"'))]
      : []),
  ];
}

function warningAt({ path, text }: SourceText, steps: readonly (string | number)[], message: string): TreeFinding {
  return { severity: "warning", path, ...locateYaml(text, steps, "key"), message };
}
