// The file that names the deployments of a company, kept in git beside the tree that they get: which, where, and in which ring.
import { readFile } from "node:fs/promises";
import { defined, isObject, isWholeIn, type JsonValue, OutriggerError, objectOf, ownError } from "@outrigger/base";
import { parseYaml } from "@outrigger/yaml";
import { stagePattern } from "../options/names.ts";

/** One deployment of the file. */
export interface NamedDeployment {
  readonly stage: string;
  /** Left out: that of the profile, or of the environment. */
  readonly region?: string;
  /** The AWS profile by which it is reached; its `role_arn` is another account's. */
  readonly profile?: string;
  /** The account that those credentials must be of: a profile that was changed reaches no other deployment. */
  readonly account?: string;
  /** Rings are published one after the other, from 1. */
  readonly ring: number;
}

const KEYS: Readonly<Record<keyof NamedDeployment, (value: JsonValue | undefined) => boolean>> = {
  stage: (value) => typeof value === "string" && stagePattern.test(value),
  region: (value) => value === undefined || (typeof value === "string" && /^[a-z]{2,}(-[a-z0-9]+)+$/.test(value)),
  profile: (value) => value === undefined || (typeof value === "string" && value !== ""),
  account: (value) => value === undefined || (typeof value === "string" && /^\d{12}$/.test(value)),
  ring: (value) => isWholeIn(value, 1, 100),
};

const FORMS: Readonly<Record<keyof NamedDeployment, string>> = {
  stage: "the name of a stage: prod",
  region: "a Region: eu-west-1",
  profile: "the name of an AWS profile",
  account: 'an account in quotes: "111122223333"',
  ring: "a whole number from 1 to 100",
};

/**
 * Reads a file with a list of deployments, those of the first ring first.
 *
 * @throws OutriggerError `usage` with the entry and the key that is wrong
 */
export async function readDeployments(file: string): Promise<readonly NamedDeployment[]> {
  const refused = (why: string) => new OutriggerError("usage", `Cannot use ${file}: ${why}`, { path: file });
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw refused(error instanceof Error ? error.message : String(error));
  });
  let value: JsonValue;
  try {
    value = parseYaml(text, file);
  } catch (error) {
    throw refused(ownError(error).message);
  }
  const entries = objectOf(value)["deployments"];
  if (!Array.isArray(entries) || entries.length === 0) throw refused("it needs a list deployments");
  const read = entries.map((entry, index) => {
    const place = `deployments[${index}]`;
    if (!isObject(entry)) throw refused(`${place} must be a mapping with stage and ring`);
    const unknown = Object.keys(entry).find((key) => !Object.hasOwn(KEYS, key));
    if (unknown !== undefined) throw refused(`${place} has ${unknown}, and may have ${Object.keys(KEYS).join(", ")}`);
    for (const key of Object.keys(KEYS) as (keyof NamedDeployment)[]) {
      if (!KEYS[key](entry[key])) throw refused(`${place}.${key} must be ${FORMS[key]}`);
    }
    const { stage, region, profile, account, ring } = entry as unknown as NamedDeployment;
    return { stage, ring, ...defined({ region, profile, account }) };
  });
  const names = read.map(nameOfDeployment);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw refused(`${twice} is in it twice`);
  return read.toSorted((one, other) => one.ring - other.ring);
}

/** `prod in eu-west-1 (profile ops)` */
export function nameOfDeployment({ stage, region, profile }: NamedDeployment): string {
  return `${stage}${region === undefined ? "" : ` in ${region}`}${profile === undefined ? "" : ` (profile ${profile})`}`;
}
