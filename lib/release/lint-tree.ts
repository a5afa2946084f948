// Everything that is wrong with a tree, not only the first thing: what a person wants who is about to mend it. A tree
// without errors here is one that compileRelease takes.

import { OutriggerError } from "../errors.ts";
import { injectionHelpers } from "../inject/template-helpers.ts";
import { parseYamlDocuments } from "../kube/yaml.ts";
import { lintTemplates } from "../template/compile/compile-templates.ts";
import { compileRelease } from "./compile-release.ts";
import type { Release } from "./release.ts";
import { checkSourcePath, folderEntries, type SourceTree } from "./source-tree.ts";

export interface TreeFinding {
  /** An error keeps the tree from being published; a warning does not. */
  readonly severity: "error" | "warning";
  /** Path in the tree: `templates/sidecar`; empty where it is about the tree as a whole. */
  readonly path: string;
  /** 1-based, where known. */
  readonly line?: number;
  /** 1-based, where known. */
  readonly column?: number;
  readonly message: string;
}

export interface LintedTree {
  readonly findings: readonly TreeFinding[];
  /** What the tree compiles to; undefined where there are errors. */
  readonly release?: Release;
}

/**
 * Lints layers of trees, the lowest first, by the rules of compileRelease.
 *
 * @returns findings, in the order of paths and places
 */
export function lintTree(layers: readonly SourceTree[]): LintedTree {
  const found = [...layers.flatMap(lintTexts), ...lintTemplateTexts(layers)];
  if (found.some(({ severity }) => severity === "error")) return { findings: sortFindings(found) };
  try {
    const release = compileRelease(layers);
    const warnings = release.warnings.map((message) => ({ severity: "warning", path: "", message }) as const);
    return { findings: sortFindings([...found, ...warnings]), release };
  } catch (error) {
    return { findings: sortFindings([...found, findingOf(error)]) };
  }
}

/** Names, and texts that are no YAML. A text that is read as several documents is looked at as several. */
function lintTexts(layer: SourceTree): readonly TreeFinding[] {
  return Object.entries(layer).flatMap(([path, text]) => {
    try {
      checkSourcePath(path);
      if (!isTemplate(path) && path !== "manifest") parseYamlDocuments(text, path);
      return [];
    } catch (error) {
      return [findingOf(error)];
    }
  });
}

function lintTemplateTexts(layers: readonly SourceTree[]): readonly TreeFinding[] {
  const merged = (folder: "templates" | "partials") =>
    Object.fromEntries(layers.flatMap((layer) => folderEntries(layer, folder)));
  const sources = { templates: merged("templates"), partials: merged("partials") };
  return lintTemplates(sources, Object.keys(injectionHelpers)).map(({ template, severity, line, column, message }) => ({
    severity,
    path: template.startsWith("partials/") ? template : `templates/${template}`,
    line,
    column,
    message,
  }));
}

function findingOf(error: unknown): TreeFinding {
  if (!(error instanceof OutriggerError)) throw error;
  const { message, path = "", line, column } = error;
  return {
    severity: "error",
    path,
    message,
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
  };
}

function isTemplate(path: string): boolean {
  return path.startsWith("templates/") || path.startsWith("partials/");
}

/** In the order of paths, lines and columns. */
export function sortFindings(findings: readonly TreeFinding[]): readonly TreeFinding[] {
  return [...findings].sort(
    (a, b) =>
      (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  );
}
