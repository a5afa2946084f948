// Which bucket a deployment has, for those who are not told: `serve/head` names it.
import { objectOf, unlessOwnError } from "@outrigger/base";
import type { ParametersByName } from "../parameter-store/parameter-store.ts";
import type { Layout } from "../values/parameter-layout.ts";
import { readRecord } from "../values/record-text.ts";

/** A bucket's name becomes part of a host's: nothing in it may be more than a name. */
const NAME = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

/**
 * Finds the name of a deployment's bucket, once. What it returns gives undefined where nothing was published yet: then there is nothing in
 * the bucket.
 */
export function namedBucket(
  { getParameters }: Pick<ParametersByName, "getParameters">,
  { head }: Layout,
): () => Promise<string | undefined> {
  let found: Promise<string | undefined> | undefined;
  return async () => {
    found ??= getParameters([head]).then(([parameter]) => parameter && nameIn(parameter));
    const name = await found.catch(() => undefined);
    // What was not found, or not read, may be there the next time.
    if (name === undefined) {
      const failed = found;
      found = undefined;
      await failed;
    }
    return name;
  };
}

function nameIn(parameter: Parameters<typeof readRecord>[0]): string | undefined {
  const { bucket } = objectOf(unlessOwnError(() => readRecord(parameter)));
  return typeof bucket === "string" && NAME.test(bucket) ? bucket : undefined;
}
