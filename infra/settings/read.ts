// Where settings come from: the stage's file, then --param for one deploy, then defaults. Nothing is validated here but
// the form of the file; infra/settings/check.ts validates.

import { isObject, type JsonValue } from "@outrigger/base";
import { load } from "js-yaml";
import { DEFAULTS, SETTINGS, type SettingValues } from "./schema.ts";

export type Values = Readonly<Record<string, string>>;

export interface Settings {
  readonly stage: string;
  /** `outrigger.<stage>.yml`. */
  readonly file: string;
  /** The values in the file, or undefined if there is no file. */
  readonly inFile: Values | undefined;
  /** The values of --param, for one deploy. */
  readonly overrides: Values;
  /** Every setting: overrides over the file over the defaults. */
  readonly values: SettingValues;
  /** The mistakes in the form of the file or of a --param. */
  readonly problems: readonly string[];
}

export interface SettingSources {
  readonly stage: string;
  /** The words after each `--param`: `reserved=300`. */
  readonly params: readonly string[];
  /** The text of a file in the service's folder, or undefined where there is none. */
  readonly readText: (file: string) => string | undefined;
}

export function readSettings({ stage, params, readText }: SettingSources): Settings {
  const file = `outrigger.${stage}.yml`;
  const text = readText(file);
  const misnamed = `outrigger.${stage}.yaml`;
  const parsed = text === undefined ? { values: undefined, problems: [] } : parseFile(file, text);
  const overrides = Object.fromEntries(params.map(splitParam));
  const wrong = params.filter((param) => !/^[^=]+=/.test(param));
  const names = params.map((param) => splitParam(param)[0]);
  const twice = new Set(names.filter((name, at) => names.indexOf(name) < at));
  return {
    stage,
    file,
    inFile: parsed.values,
    overrides,
    values: { ...DEFAULTS, ...parsed.values, ...overrides },
    problems: [
      ...(readText(misnamed) === undefined
        ? []
        : [`Cannot use ${misnamed}: settings are read from ${file}. Rename it`]),
      ...parsed.problems,
      ...wrong.map((param) => `Cannot read --param ${param}: write --param NAME=VALUE`),
      ...[...twice].map((name) => `Cannot use --param ${name} twice: name it once`),
    ],
  };
}

/** Settings as the framework needs them: numbers as numbers. */
export function frameworkParameters({ values }: Settings): Readonly<Record<string, string | number>> {
  const entries = SETTINGS.map(({ name, kind }) => {
    const text = values[name];
    return [name, kind.isNumber === true && kind.accepts(text) ? Number(text) : text] as const;
  });
  return Object.fromEntries(entries);
}

/** Tags of every resource. */
export function tagsOf({ stage, values }: Settings): Values {
  const own = values.tags.split(",").filter((tag) => tag.includes("="));
  return { service: "outrigger", stage, ...Object.fromEntries(own.map(splitParam)) };
}

/** The stage of the deployment that a replica follows: its own, unless another is named. */
export function primaryStageOf({ stage, values }: Pick<Settings, "stage" | "values">): string {
  return values.replicaOfStage || stage;
}

function splitParam(param: string): readonly [string, string] {
  const at = param.indexOf("=");
  return at < 0 ? [param, ""] : [param.slice(0, at), param.slice(at + 1).trimEnd()];
}

function parseFile(file: string, text: string): { readonly values: Values; readonly problems: readonly string[] } {
  const nothing = (problem: string) => ({ values: {}, problems: [problem] });
  try {
    const document: unknown = load(text) ?? {};
    if (!isObject(document)) return nothing(`Cannot read ${file}: it must be a mapping of settings to values`);
    const entries = Object.entries(document).map(([name, value]) => [name, textOf(value ?? null)] as const);
    const odd = entries.filter(([, value]) => value === undefined).map(([name]) => name);
    return {
      values: Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
      problems: odd.map((name) => `Cannot read ${name} in ${file}: it must be text, a number or a list of texts`),
    };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "";
    return nothing(`Cannot read ${file}: it is not YAML (${why})`);
  }
}

/** A list is written with commas, as --param takes it; `on` and `off` are words, and true and false mean them. */
function textOf(value: JsonValue): string | undefined {
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) return undefined;
  return value.join(",");
}
