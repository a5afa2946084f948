// What earlier versions kept in parameters: releases below `releases/`, snapshots below `images/`. A deploy copies the releases to the bucket;
// the next one takes the parameters away, so that a deploy that is rolled back finds them.
import { deleteAll, type Parameter, readAll, readRecord, unpackParts, unpackText } from "@outrigger/aws";
import { objectOf, unlessOwnError } from "@outrigger/base";
import type { Release } from "@outrigger/injector";
import type { PublisherDependencies } from "../dependencies.ts";
import { isReleaseKept, parseOrigin, releaseOfJson, writeRelease } from "./release-object.ts";

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
    await writeRelease(release, digest, keptOrigin(parameters), dependencies);
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
    const inParts = unlessOwnError(() => unpackParts(parts, whole, digest));
    const object = inParts === undefined ? await store.objects.getObject(layout.snapshot(whole)) : undefined;
    const json = inParts ?? (object && unlessOwnError(() => unpackText(object.text, digest, whole)));
    const release = json === undefined ? undefined : releaseOfJson(json, digest);
    if (release !== undefined) return release;
  }
  return undefined;
}

function keptOrigin(parameters: readonly Parameter[]) {
  const origin = parameters.find(({ name }) => name.endsWith("/origin"));
  return origin && parseOrigin(objectOf(unlessOwnError(() => readRecord(origin))));
}
