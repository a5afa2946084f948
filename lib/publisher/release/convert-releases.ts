// What earlier versions kept in parameters: releases below `releases/`, snapshots below `images/`. A deploy copies the releases to the bucket;
// the next one takes the parameters away, so that a deploy that is rolled back finds them.
import { deleteAll, type Parameter, readAll, readRecord, unpackParts, unpackText } from "@outrigger/aws";
import { isObject, type JsonObject, objectOf, ownError, parseJson } from "@outrigger/base";
import type { Release } from "@outrigger/injector";
import { releaseDigest } from "@outrigger/serving";
import type { PublisherDependencies } from "../dependencies.ts";
import { unlessDamaged } from "../source/source-parameters.ts";
import { isReleaseKept, parseOrigin, writeRelease } from "./release-object.ts";

/**
 * Copies releases from parameters to the bucket, and takes away the parameters of those that are there already. One that cannot be read
 * is left as it is.
 *
 * @returns the digests of the releases that were copied
 */
export async function convertReleases(dependencies: PublisherDependencies): Promise<readonly string[]> {
  const { store, layout } = dependencies;
  const [releases, images] = ["releases", "images"].map((folder) => `${layout.prefix}/${folder}`) as [string, string];
  const isConverted = (await store.objects.getObject(layout.bucketHead)) !== undefined;
  const byDigest = new Map<string, Parameter[]>();
  for (const parameter of await readAll(store, releases)) {
    const digest = parameter.name.split("/").at(-2) ?? "";
    byDigest.set(digest, [...(byDigest.get(digest) ?? []), parameter]);
  }
  const copied: string[] = [];
  const gone = isConverted ? (await readAll(store, images)).map(({ name }) => name) : [];
  for (const [digest, parameters] of byDigest) {
    if (isConverted && (await isReleaseKept(dependencies, digest).catch(() => false))) {
      gone.push(...parameters.map(({ name }) => name));
      continue;
    }
    const release = await releaseOf(parameters, digest, dependencies);
    if (release === undefined) continue;
    await writeRelease(release, digest, originOf(parameters), dependencies);
    copied.push(digest);
  }
  await deleteAll(store, gone);
  return copied;
}

async function releaseOf(
  parameters: readonly Parameter[],
  digest: string,
  { store, layout }: PublisherDependencies,
): Promise<Release | undefined> {
  const parts = parameters.flatMap(({ name, value }) => (/\/\d$/.test(name) ? value : []));
  // Parts of more than one writing may be there after a crash; one of them may be whole.
  for (const whole of new Set(parts.map((part) => part.slice(0, part.indexOf(" "))))) {
    const inParts = unlessDamaged(() => unpackParts(parts, whole, digest));
    const object = inParts === undefined ? await store.objects.getObject(layout.snapshot(whole)) : undefined;
    const json = inParts ?? (object && unlessDamaged(() => unpackText(object.text, digest, whole)));
    const value = json === undefined ? undefined : parseJson(json);
    if (isReleaseOf(value, digest)) return value;
  }
  return undefined;
}

function isReleaseOf(value: unknown, digest: string): value is JsonObject & Release {
  return isObject(value) && releaseDigest(value) === digest;
}

function originOf(parameters: readonly Parameter[]) {
  const origin = parameters.find(({ name }) => name.endsWith("/origin"));
  try {
    return origin && parseOrigin(objectOf(readRecord(origin)));
  } catch (error) {
    ownError(error);
    return undefined;
  }
}
