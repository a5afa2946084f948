// Writing to the release bucket: before the parameter that refers to the object, so that nothing refers to what is not there.

import type { Packed } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import type { PublisherDependencies } from "../dependencies.ts";

/** Writes what is too large for parameters; nothing where it is not. */
export async function putObject(
  object: Packed["object"],
  digest: string,
  { store, layout }: PublisherDependencies,
): Promise<void> {
  if (object === undefined) return;
  const { bucket, text } = object;
  const key = layout.object(digest);
  if (store.objects !== undefined) return store.objects.putObject({ bucket, key }, text);
  throw new OutriggerError("usage", `Cannot write s3://${bucket}/${key}: this publisher has no access to buckets`);
}
