// What a command found in the cluster and has written itself. An object that was made or removed otherwise is another
// command's work: it is neither written over nor made again. A cluster that was switched off since stays off.
import { type JsonObject, OutriggerError, objectOf } from "@outrigger/base";
import { ownAnnotations } from "@outrigger/webhook";

export interface Baseline {
  /** Throws `cluster-conflict` where another command has made, removed or switched off the object since. */
  readonly assertKnown: (path: string, object: JsonObject | undefined) => void;
  /** The same of every object of a collection, given all that are in it now. */
  readonly assertAll: (collection: string, there: readonly Seen[]) => void;
  /** Notes that this command has written the object. */
  readonly written: (path: string) => void;
}

export interface Seen {
  readonly path: string;
  readonly object: JsonObject | undefined;
}

/** When `outrigger off` was run on an object, as it wrote it there. */
export function offMarkOf({ metadata }: JsonObject): string | undefined {
  const { annotations } = objectOf(metadata);
  const mark = objectOf(annotations)[ownAnnotations.off];
  return typeof mark === "string" ? mark : undefined;
}

/** @param found the objects that the command is going to write, and the other webhook configurations, as it found them */
export function openBaseline(cluster: string, found: readonly Seen[]): Baseline {
  const marks = new Map(found.map(({ path, object }) => [path, object === undefined ? undefined : offMarkOf(object)]));
  const there = new Map(found.map(({ path, object }) => [path, object !== undefined]));
  const assertKnown: Baseline["assertKnown"] = (path, object) => {
    const mark = object === undefined ? undefined : offMarkOf(object);
    if (mark !== undefined && mark !== marks.get(path)) throw switchedOff(cluster, mark);
    const wasThere = there.get(path);
    if (wasThere !== undefined && wasThere !== (object !== undefined)) throw overtaken(cluster, path, wasThere);
  };
  return {
    assertKnown,
    assertAll(collection, now) {
      const objects = new Map(now.map(({ path, object }) => [path, object]));
      const found = [...there.keys()].filter((path) => path.startsWith(`${collection}/`));
      for (const path of new Set([...found, ...objects.keys()])) assertKnown(path, objects.get(path));
    },
    written: (path) => void there.set(path, true),
  };
}

function switchedOff(cluster: string, mark: string): OutriggerError {
  return new OutriggerError(
    "cluster-conflict",
    `Cannot go on with cluster ${cluster}: injection was switched off in the meantime (outrigger off, ${mark}): it stays off; switch on again with outrigger register --cluster ${cluster}`,
    { path: cluster },
  );
}

function overtaken(cluster: string, path: string, wasThere: boolean): OutriggerError {
  const [kind, name = path] = path.split("/").slice(-2);
  return new OutriggerError(
    "cluster-conflict",
    `Cannot go on with cluster ${cluster}: another command has ${wasThere ? "removed" : "made"} ${kind} ${name} in the meantime; look at it with outrigger check --section registration, and run this again if it is still needed`,
    { path: name },
  );
}
