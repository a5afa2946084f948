// The renaming of logical IDs in a template and everywhere they are referred to. Pure.
import { isObject } from "@outrigger/base";
import type { Template } from "./template.ts";

type NewName = (id: string) => string;

/** The template with resources under their new IDs, and every reference to them renamed; other IDs stay. */
export function renameIds(template: Template, ids: ReadonlyMap<string, string>): Template {
  return renameIn(template, (id) => ids.get(id) ?? id) as Template;
}

function renameIn(value: unknown, rename: NewName): unknown {
  if (Array.isArray(value)) return value.map((item) => renameIn(item, rename));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renameAt(key, item, rename)]));
}

function renameAt(key: string, value: unknown, rename: NewName): unknown {
  if (key === "Ref" && typeof value === "string") return rename(value);
  if (key === "DependsOn") return Array.isArray(value) ? value.map((id) => rename(String(id))) : rename(String(value));
  if (key === "Fn::GetAtt") return renameAttribute(value, rename);
  if (key === "Fn::Sub") return renameSub(value, rename);
  if (key === "Resources" && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([id, item]) => [rename(id), renameIn(item, rename)]));
  }
  return renameIn(value, rename);
}

function renameAttribute(value: unknown, rename: NewName): unknown {
  const [id = "", ...attribute] = Array.isArray(value) ? value.map(String) : String(value).split(".");
  return [rename(id), ...attribute];
}

/** `${Api}` and `${Api.Attribute}`; names of the second operand are its own. */
function renameSub(value: unknown, rename: NewName): unknown {
  const [text, variables] = Array.isArray(value) ? value : [value];
  const own = isObject(variables) ? Object.keys(variables) : [];
  const renamed = String(text).replaceAll(/\$\{(\w+)((?:\.\w+)*)\}/g, (whole, id: string, attribute: string) =>
    own.includes(id) ? whole : `\${${rename(id)}${attribute}}`,
  );
  return Array.isArray(value) ? [renamed, ...(variables === undefined ? [] : [renameIn(variables, rename)])] : renamed;
}
