// `defaultTemplates` of the config: who gets what. An entry is a name, or a name with the pods that it is for.

import {
  channelNamePattern,
  type FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  ownError,
  suggestName,
} from "@outrigger/base";
import { formatFieldPath, type LabelSelector, parseLabel } from "@outrigger/pod";
import { systemNamespaces } from "../../decide/decide.ts";
import type { DefaultTemplate, TemplateMatch } from "../../injection.ts";

/** Takes a mistake: its place below the list, and the message, which is made of the name of that place in quotes. */
export type Fail = (steps: FieldPath, message: (key: string) => string) => undefined;

/** Reads the list. An entry with a mistake is left out. */
export function parseDefaultTemplates(value: JsonValue | undefined, fail: Fail): readonly DefaultTemplate[] {
  if (Array.isArray(value)) return value.flatMap((entry, index) => parseEntry(entry, [index], fail) ?? []);
  fail([], must("be a list of names, or of entries with name and match"));
  return [];
}

/** The entries of a list as it is written, and after them those of another that name other templates. */
export function joinedDefaults(there: readonly JsonValue[], more: readonly JsonValue[]): readonly JsonValue[] {
  const nameOf = (entry: JsonValue) => (isObject(entry) ? entry["name"] : entry);
  const names = there.map(nameOf);
  return [...there, ...more.filter((entry) => !names.includes(nameOf(entry)))];
}

function parseEntry(entry: JsonValue, at: FieldPath, fail: Fail): DefaultTemplate | undefined {
  if (typeof entry === "string") return entry;
  if (!isObject(entry))
    return fail(at, must("be the name of a template (put numbers in quotes), or have name and match"));
  if (!hasOnly(entry, ["name", "match", "before"], at, fail)) return undefined;
  const { name, match, before } = { name: entry["name"], match: entry["match"], before: entry["before"] };
  if (typeof name !== "string") return fail([...at, "name"], must("be the name of a template or alias"));
  if (match === undefined && before !== undefined) return name;
  const read = parseMatch(match, [...at, "match"], fail);
  return read && { name, match: read };
}

function parseMatch(match: JsonValue | undefined, at: FieldPath, fail: Fail): TemplateMatch | undefined {
  if (!isObject(match) || Object.keys(match).length === 0) {
    return fail(at, must("have podLabels or namespaces; a template for every pod is its name alone"));
  }
  if ("namespaceLabels" in match) {
    const why = "an AdmissionReview does not have the labels of the pod's namespace";
    return fail([...at, "namespaceLabels"], (key) => {
      return `Cannot use config key ${key}: ${why}; list the namespaces in match.namespaces, or give those with the label a revision and a channel of their own`;
    });
  }
  if (!hasOnly(match, ["podLabels", "namespaces"], at, fail)) return undefined;
  const { podLabels, namespaces } = { podLabels: match["podLabels"], namespaces: match["namespaces"] };
  const labels = podLabels === undefined ? undefined : parsePodLabels(podLabels, [...at, "podLabels"], fail);
  const names = namespaces === undefined ? undefined : parseNamespaces(namespaces, [...at, "namespaces"], fail);
  if ((podLabels !== undefined && labels === undefined) || (namespaces !== undefined && names === undefined))
    return undefined;
  return { ...(labels && { podLabels: labels }), ...(names && { namespaces: names }) };
}

function parsePodLabels(value: JsonValue, at: FieldPath, fail: Fail): LabelSelector | undefined {
  if (!isObject(value) || Object.keys(value).length === 0) {
    return fail(at, must('have at least one label with its value, like logs: "yes"'));
  }
  const requirements = Object.entries(value).flatMap(([label, wanted]) => {
    const steps = [...at, label];
    try {
      return parseLabel(label, wanted, formatFieldPath(["config", "defaultTemplates", ...steps]));
    } catch (error) {
      return fail(steps, () => ownError(error).message) ?? [];
    }
  });
  return requirements.length === Object.keys(value).length ? { requirements } : undefined;
}

function parseNamespaces(value: JsonValue, at: FieldPath, fail: Fail): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return fail(at, must("be a list of at least one namespace"));
  const names = value.flatMap((name, index) => {
    if (typeof name !== "string" || !channelNamePattern.test(name)) {
      return fail([...at, index], must("be the name of a namespace: lower-case letters, digits and dashes")) ?? [];
    }
    if (!systemNamespaces.has(name)) return name;
    return fail([...at, index], must(`be another namespace: pods of ${name} are never injected`)) ?? [];
  });
  return names.length === value.length ? names : undefined;
}

function hasOnly(value: JsonObject, known: readonly string[], at: FieldPath, fail: Fail): boolean {
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  const use = `use ${known.slice(0, -1).join(", ")} and ${known.at(-1)}`;
  for (const each of unknown) {
    fail([...at, each], (key) => `Cannot use config key ${key}: it is not known; ${use}${suggestName(each, known)}`);
  }
  return unknown.length === 0;
}

function must(rule: string): (key: string) => string {
  return (key) => `Cannot use config key ${key}: it must ${rule}`;
}
