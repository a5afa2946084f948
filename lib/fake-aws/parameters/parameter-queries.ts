// What reading finds in a table: by name, version or label, and below a path. Order and pages are decided elsewhere.
import { checkPath, ServiceError, validationError } from "./parameter-rules.ts";
import { type ParameterTable, type StoredVersion, versionNotFound } from "./parameter-table.ts";

export interface Found {
  readonly name: string;
  /** `:3` or `:label`, as asked; empty for the latest. */
  readonly selector: string;
  readonly stored: StoredVersion;
}

/**
 * The parameter that `name`, `name:version` or `name:label` asks for. The service says nothing in the error for a name
 * that does not exist.
 */
export function findParameter(table: ParameterTable, asked: string): Found {
  const found = lookUp(table, asked);
  if (found !== undefined) return found;
  const { name, selector } = partsOf(asked);
  throw selector === undefined || !table.get(name)?.length
    ? new ServiceError("ParameterNotFound")
    : versionNotFound(name, selector);
}

/**
 * Finds a parameter as findParameter() does, but returns undefined where there is none. Tests ask for millions of names: no error is made
 * for one.
 */
export function lookUp(table: ParameterTable, asked: string): Found | undefined {
  const { name, selector } = partsOf(asked);
  const versions = table.get(name);
  const stored = selector === undefined ? versions?.at(-1) : versions?.find((version) => isSelected(version, selector));
  return stored && { name, selector: selector === undefined ? "" : `:${selector}`, stored };
}

function partsOf(asked: string): { readonly name: string; readonly selector: string | undefined } {
  const [name = "", selector, ...rest] = asked.split(":");
  if (name === "" || rest.length > 0) throw validationError(`Invalid parameter name: ${asked}`);
  return { name, selector };
}

function isSelected({ version, labels }: StoredVersion, selector: string): boolean {
  return /^\d+$/.test(selector) ? version === Number(selector) : labels.includes(selector);
}

/** Everything below a path, or one level of it. A parameter at the path itself is not below it. */
export function findBelow(table: ParameterTable, path: string, recursive: boolean): readonly Found[] {
  checkPath(path);
  const start = path.endsWith("/") ? path : `${path}/`;
  const found: Found[] = [];
  for (const [name, versions] of table) {
    if (!name.startsWith(start) || !(recursive || !name.slice(start.length).includes("/"))) continue;
    const stored = versions.at(-1);
    if (stored !== undefined) found.push({ name, selector: "", stored });
  }
  return found;
}

export interface ParameterFilter {
  readonly key: string;
  readonly option: string;
  readonly values: readonly string[];
}

/** Everything that all filters let through: `Name`, `Type`, `Tier` and `Path` are known. */
export function findMatching(table: ParameterTable, filters: readonly ParameterFilter[]): readonly Found[] {
  const found = [...table].map(([name, versions]) => {
    return { name, selector: "", stored: versions.at(-1) as StoredVersion };
  });
  return found.filter((item) => filters.every((filter) => matches(item, filter)));
}

function matches({ name, stored }: Found, { key, option, values }: ParameterFilter): boolean {
  if (key === "Path")
    return values.some((path) => findBelow(new Map([[name, [stored]]]), path, option === "Recursive").length > 0);
  const actual = key === "Name" ? name : key === "Type" ? stored.type : key === "Tier" ? stored.tier : undefined;
  if (actual === undefined) throw new ServiceError("InvalidFilterKey", `The specified key isn't valid: ${key}`);
  if (option === "BeginsWith") return values.some((value) => actual.startsWith(value));
  if (option === "Contains") return values.some((value) => actual.includes(value));
  return values.includes(actual);
}
