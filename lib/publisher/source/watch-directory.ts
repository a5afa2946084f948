// Noticing that a source tree on disk has changed. Looks instead of listening: the system's notices differ between
// platforms, miss network mounts and fail on trees that are replaced as a whole, and a tree is a few dozen files.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isIgnored } from "./source-directory.ts";

/** Milliseconds between two looks. A change is reported when two consecutive looks agree on it. */
const INTERVAL = 200;

/**
 * Calls `onChange` after the files in any of the directories, or in their folders, have changed and have then been
 * left alone for one interval, so that a half-written file is seldom read. Never throws: a tree that cannot be looked
 * at, or has gone, is a change like any other. The next look waits for `onChange` to be done.
 */
export function watchDirectories(
  directories: readonly string[],
  onChange: () => void | Promise<void>,
  interval: number = INTERVAL,
) {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let reported: string | undefined;
  let seen: string | undefined;
  const look = async () => {
    const now = (await Promise.all(directories.map(signatureOf))).join("\n");
    if (closed) return;
    reported ??= now;
    if (now !== reported && now === seen) {
      reported = now;
      await onChange();
    }
    seen = now;
    if (!closed) timer = setTimeout(look, interval);
  };
  void look();
  return {
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** Changes when a file is made, written, replaced or removed. Links are followed. */
async function signatureOf(directory: string): Promise<string> {
  const entries = (await namesIn(directory)).map((name) => join(directory, name));
  const children = await Promise.all(
    entries.map(async (entry) => (await namesIn(entry)).map((name) => join(entry, name))),
  );
  return [directory, ...(await Promise.all([...entries, ...children.flat()].map(signatureOfFile)))].join("\n");
}

async function signatureOfFile(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${path} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return `${path} cannot be looked at`;
  }
}

/** Nothing for what is no directory, or cannot be listed. */
async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).filter((name) => !isIgnored(name)).sort();
  } catch {
    return [];
  }
}
