// Owns what reading finds in a table: by name, version or label, and below a path. Order and pages are decided elsewhere.
import { checkPath } from "./parameter-rules.ts";
import { type ParameterTable, type StoredVersion, versionNotFound } from "./parameter-table.ts";
import { ServiceError, validationError } from "./service-error.ts";

/** A version under the name of its parameter. */
export interface Found {
  readonly name: string;
  /** `:3` or `:label`, as asked; empty for the latest. */
  readonly selector: string;
  readonly stored: StoredVersion;
}

/**
 * The parameter that `name`, `name:version` or `name:label` asks for. The service says nothing in the error for a name
 * that there is not.
 */
export function findParameter(table: ParameterTable, asked: string): Found {
  const [name = "", selector, ...rest] = asked.split(":");
  if (name === "" || rest.length > 0) throw validationError(`Invalid parameter name: ${asked}`);
  const versions = table.get(name);
  const latest = versions?.at(-1);
  if (versions === undefined || latest === undefined) throw new ServiceError("ParameterNotFound");
  if (selector === undefined) return { name, selector: "", stored: latest };
  const stored = /^\d+$/.test(selector)
    ? versions.find(({ version }) => version === Number(selector))
    : versions.find(({ labels }) => labels.includes(selector));
  if (stored === undefined) throw versionNotFound(name, selector);
  return { name, selector: `:${selector}`, stored };
}

/** As findParameter(), undefined where there is none. */
export function lookUp(table: ParameterTable, asked: string): Found | undefined {
  try {
    return findParameter(table, asked);
  } catch (error) {
    if (error instanceof ServiceError && error.name !== "ValidationException") return undefined;
    throw error;
  }
}

/** Everything below a path, or one level of it. A parameter at the path itself is not below it. */
export function findBelow(table: ParameterTable, path: string, recursive: boolean): readonly Found[] {
  checkPath(path);
  const start = path.endsWith("/") ? path : `${path}/`;
  const found: Found[] = [];
  for (const [name, versions] of table) {
    const isBelow = name.startsWith(start) && (recursive || !name.slice(start.length).includes("/"));
    const stored = versions.at(-1);
    if (isBelow && stored !== undefined) found.push({ name, selector: "", stored });
  }
  return found;
}

/** A condition of DescribeParameters. */
export interface ParameterFilter {
  readonly key: string;
  readonly option: string;
  readonly values: readonly string[];
}

/** Everything that all filters let through: `Name`, `Type`, `Tier` and `Path` are known. */
export function findMatching(table: ParameterTable, filters: readonly ParameterFilter[]): readonly Found[] {
  const found = [...table].map(([name, versions]) => ({
    name,
    selector: "",
    stored: versions.at(-1) as StoredVersion,
  }));
  return found.filter((item) => filters.every((filter) => matches(item, filter)));
}

function matches({ name, stored }: Found, { key, option, values }: ParameterFilter): boolean {
  if (key === "Path") {
    return values.some((path) => findBelow(new Map([[name, [stored]]]), path, option === "Recursive").length > 0);
  }
  const actual = key === "Name" ? name : key === "Type" ? stored.type : key === "Tier" ? stored.tier : undefined;
  if (actual === undefined) {
    throw new ServiceError("InvalidFilterKey", `The specified key isn't valid: ${key}`);
  }
  if (option === "BeginsWith") return values.some((value) => actual.startsWith(value));
  if (option === "Contains") return values.some((value) => actual.includes(value));
  return values.includes(actual);
}
