// Digests of the zips that are deployed: of the inject function's, as Lambda knows it, and of all together.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface CodeDigests {
  /** SHA-256 in base64: Lambda's `CodeSha256`. */
  readonly inject: string;
  /** Another one whenever any zip is. */
  readonly all: string;
}

/** The digests of `<name>.zip` in a folder. The same code gives the same zip, wherever it is built. */
export function codeDigests(directory: string, names: readonly string[]): CodeDigests {
  const digestOf = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(directory, `${name}.zip`)))
      .digest("base64");
  const lines = names.toSorted().map((name) => `${name} ${digestOf(name)}\n`);
  const all = createHash("sha256").update(lines.join("")).digest("hex").slice(0, 32);
  return { inject: digestOf("inject"), all };
}
