// What a command found in the cluster and has written itself. An object that was made or removed otherwise is another
// command's work: it is neither written over nor made again.
import { type JsonObject, OutriggerError } from "@outrigger/base";

export interface Baseline {
  /** Throws `cluster-conflict` where another command has made or removed the object since. */
  readonly assertKnown: (path: string, object: JsonObject | undefined) => void;
  /** Notes that this command has written the object. */
  readonly written: (path: string) => void;
}

/** @param found the objects that the command is going to write, as it found them */
export function openBaseline(
  cluster: string,
  found: readonly { readonly path: string; readonly before: JsonObject | undefined }[],
): Baseline {
  const there = new Map(found.map(({ path, before }) => [path, before !== undefined]));
  return {
    assertKnown(path, object) {
      const wasThere = there.get(path);
      if (wasThere === undefined || wasThere === (object !== undefined)) return;
      const [kind, name] = path.split("/").slice(-2);
      throw new OutriggerError(
        "cluster-conflict",
        `Cannot go on with cluster ${cluster}: another command has ${wasThere ? "removed" : "made"} ${kind} ${name} in the meantime; look at it with outrigger status, and run this again if it is still needed`,
        { path: name ?? path },
      );
    },
    written: (path) => void there.set(path, true),
  };
}
