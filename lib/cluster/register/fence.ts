// The fence between two commands that change a cluster. The one that takes the lease signs every object with it. From then on each
// write names the version that the command has read with its own signature: the API server rejects any other, however late it comes.
import { type JsonObject, objectOf } from "@outrigger/base";
import { ownAnnotations } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { versionOf } from "../kube/resource-version.ts";
import { retryingConflicts } from "../kube/retrying-conflicts.ts";
import { managerOf } from "../objects/object-owner.ts";
import { OFF_MARK_PATH } from "../objects/off-mark.ts";
import { pathOf } from "../objects/own-kinds.ts";
import { findObjects, NO_VERSION } from "../objects/own-objects.ts";
import { type HeldLease, takenOver } from "./held-lease.ts";
import type { RegistrationPorts } from "./registration.ts";
import type { Undoing } from "./restore-object.ts";

type Signer = Pick<HeldLease, "change" | "assertHeld" | "renew">;

/**
 * Signs the objects of a deployment, once the lease is taken: what an earlier command has still on its way finds another version.
 *
 * @throws OutriggerError `cluster-conflict` where another command has taken the lease since
 */
export async function signObjects(kube: KubeClient, deployment: string, held: Signer): Promise<void> {
  await retryingConflicts(async () => {
    const objects = await findObjects(kube, deployment);
    const unsigned = objects.filter(({ object }) => !isSignedBy(held, object) && managerOf(object) === undefined);
    // A command that takes the lease after this look signs later versions than these, and stops this one with that.
    if (unsigned.length > 0) await held.renew();
    for (const { kind, name, object } of unsigned) {
      const { metadata } = signed({ metadata: { resourceVersion: versionOf(object) ?? "" } }, held);
      await kube.mergePatch(pathOf(kind, name), { metadata: metadata as JsonObject });
    }
  });
}

/** A client that writes only versions with the lease's own signature. What is created is signed, and makes nothing stricter. */
export function fencedKube(kube: KubeClient, held: Signer): KubeClient {
  const own = new Set<string | undefined>();
  let isCreated = false;
  const noted = <Read extends JsonObject | undefined>(object: Read): Read => {
    if (object !== undefined && isSignedBy(held, object)) own.add(versionOf(object));
    return object;
  };
  const assertOwn = async (path: string, version: string | undefined) => {
    // No signature can keep a creation back that comes late: before it becomes stricter, the publisher is asked.
    if (isCreated) await held.renew();
    else await held.assertHeld();
    isCreated = false;
    if (path !== OFF_MARK_PATH && !own.has(version)) throw takenOver(held.change.cluster);
  };
  return {
    ...kube,
    get: async (path) => noted(await kube.get(path)),
    async *list(path, query) {
      for await (const object of kube.list(path, query)) yield noted(object);
    },
    async apply(path, object, options) {
      if (versionOf(object) !== NO_VERSION) await assertOwn(path, versionOf(object));
      else {
        await held.assertHeld();
        isCreated = true;
      }
      return noted(await kube.apply(path, signed(object, held), options));
    },
    async replace(path, object) {
      await assertOwn(path, versionOf(object));
      return noted(await kube.replace(path, signed(object, held)));
    },
    async mergePatch(path, patch, options) {
      await assertOwn(path, versionOf(patch));
      return noted(await kube.mergePatch(path, patch, options));
    },
    async remove(path, version) {
      await assertOwn(path, version);
      return kube.remove(path, version);
    },
  };
}

function signed(object: JsonObject, { change }: Signer): JsonObject {
  const { annotations, ...metadata } = objectOf(object["metadata"]);
  const signature = { ...objectOf(annotations), [ownAnnotations.lease]: change.lease.id };
  return { ...object, metadata: { ...metadata, annotations: signature } };
}

/** Whether the command that holds the lease was the last to sign the object. */
function isSignedBy(held: Pick<HeldLease, "change">, object: JsonObject): boolean {
  return leaseOf(object) === held.change.lease.id;
}

/** How what a command has written is undone: with ports that go on when the command is stopped. */
export function undoingWith(held: HeldLease, given: RegistrationPorts): Undoing {
  return {
    kube: given.kube,
    isOwn: (object) => isSignedBy(held, object),
    assertHeld: () => held.renew(given),
  };
}

function leaseOf({ metadata }: JsonObject): unknown {
  const { annotations } = objectOf(metadata);
  return objectOf(annotations)[ownAnnotations.lease];
}
