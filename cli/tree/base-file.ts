// `.outrigger/base.json`: what a directory and each deployment had in common when they were last pulled or pushed.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject, OutriggerError, objectOf, parseJson } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import type { Deployment } from "../connect/deployment.ts";
import { writeFileInPlace } from "./source-files.ts";
import type { Base } from "./three-way.ts";

const FILE = join(".outrigger", "base.json");

/**
 * The file by which git passes the folder over: what one checkout has in common with a deployment is nothing to
 * another.
 */
const IGNORED = join(".outrigger", ".gitignore");
const FORMAT = 2;

/**
 * Returns what the directory had in common with the deployment, and the version of the deployment's manifest that was
 * seen last. They are nothing and 0 if the directory was never pulled or pushed. A deployment is known by its account,
 * Region, endpoint and prefix: the same stage in two Regions is two deployments.
 *
 * @throws OutriggerError `tree-invalid` for a file that is not one of ours
 */
export async function readBase(directory: string, deployment: Deployment) {
  const { deployments, manifests } = await readBases(directory);
  const key = await keyOf(deployment);
  const base = Object.hasOwn(deployments, key) ? (deployments[key] as Base) : {};
  return { base, manifestVersion: Object.hasOwn(manifests, key) ? (manifests[key] as number) : 0 };
}

/**
 * Keeps what is known of other deployments: one directory may be pushed to several.
 *
 * @param manifestVersion of the manifest that was read or written with it
 */
export async function writeBase(
  directory: string,
  deployment: Deployment,
  base: Base,
  manifestVersion = 0,
): Promise<void> {
  const key = await keyOf(deployment);
  const known = await readBases(directory);
  const deployments = { ...known.deployments, [key]: base };
  const manifests = { ...known.manifests, [key]: manifestVersion };
  await writeFileInPlace(directory, IGNORED, "*\n");
  const text = JSON.stringify({ format: FORMAT, deployments, manifests }, undefined, 2);
  await writeFileInPlace(directory, FILE, `${text}\n`);
}

async function keyOf({ place, target }: Deployment): Promise<string> {
  return `${await place()}${target.layout.prefix}`;
}

/**
 * Refuses a deployment whose source tree is empty and was not: it was deleted, or it is another deployment than was meant.
 *
 * @param wayOut completes the message: what to do if it was meant
 */
export function requireNotEmptied(
  tree: SourceTree,
  base: Base,
  doing: string,
  { target }: Deployment,
  wayOut: string,
): void {
  const count = Object.keys(base).length;
  if (Object.keys(tree).length > 0 || count === 0) return;
  const { source: path } = target.layout;
  const message = `Cannot ${doing}: ${path} is empty, and had ${count} ${count === 1 ? "entry" : "entries"} when you last pulled or pushed; look at --deployment, --region and --profile, put it back with "outrigger repair", or ${wayOut}`;
  throw new OutriggerError("tree-changed", message, { path });
}

interface Bases {
  readonly deployments: Readonly<Record<string, Base>>;
  readonly manifests: Readonly<Record<string, number>>;
}

async function readBases(directory: string): Promise<Bases> {
  const file = join(directory, FILE);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR"))
      return { deployments: {}, manifests: {} };
    throw invalid(file, "it cannot be opened", cause);
  }
  const { format, deployments, manifests } = objectOf(parseJson(text));
  if (format !== FORMAT || !isObject(deployments) || !Object.values(deployments).every(isBase)) {
    throw invalid(file, "it is damaged, or of another version");
  }
  const areVersions = isObject(manifests) && Object.values(manifests).every(Number.isSafeInteger);
  const versions = areVersions ? (manifests as Bases["manifests"]) : {};
  return { deployments: deployments as Bases["deployments"], manifests: versions };
}

function isBase(value: unknown): value is Base {
  return isObject(value) && Object.values(value).every((digest) => /^[0-9a-f]{64}$/.test(String(digest)));
}

function invalid(file: string, why: string, cause?: unknown): OutriggerError {
  const message = `Cannot read ${file}: ${why}; remove it, and every difference will count as an edit of both sides`;
  return new OutriggerError("tree-invalid", message, { path: file, cause });
}
