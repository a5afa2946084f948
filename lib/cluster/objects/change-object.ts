// Changing one object as it was read: if another changes it between the read and the write, it is read again.
import type { JsonObject } from "@outrigger/base";
import type { KubeClient } from "../kube/kube-client.ts";
import { retryingConflicts } from "../kube/retrying-conflicts.ts";

/**
 * Reads an object and merges a patch into it.
 *
 * @param change the patch, RFC 7386, for the object as it was read; undefined leaves it as it is
 * @returns the object after the patch; undefined where there is none, or nothing was changed
 */
export function changeObject(
  kube: KubeClient,
  path: string,
  change: (object: JsonObject) => JsonObject | undefined,
): Promise<JsonObject | undefined> {
  return retryingConflicts(async () => {
    const object = await kube.get(path);
    const patch = object === undefined ? undefined : change(object);
    if (object === undefined || patch === undefined) return undefined;
    // A merge patch replaces lists whole: the version makes it fail if the object has changed since it was read.
    const { resourceVersion = "" } = object["metadata"] as JsonObject;
    const metadata = { ...(patch["metadata"] as JsonObject | undefined), resourceVersion };
    return kube.mergePatch(path, { ...patch, metadata });
  });
}
