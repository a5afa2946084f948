// The making of folders: level by level, because Node's recursive mkdir never returns where the file system says of a new
// folder that it does not exist, as procfs does.
import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder and those above it.
 *
 * @param mode of the folders that are made
 * @throws the file system's error: for a file where a folder should be `ENOTDIR`
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  const path = resolve(folder);
  if (await isFolder(path)) return;
  await makeFolder(dirname(path), mode);
  await mkdir(path, { mode }).catch(async (cause: unknown) => {
    // Another process may have made it meanwhile.
    if (!(await isFolder(path))) throw cause;
  });
}

/** The root is a folder: the way up ends there. */
async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    throw cause;
  });
  if (found?.isDirectory() === false) throw Object.assign(new Error(`${path} is not a folder`), { code: "ENOTDIR" });
  return found !== undefined;
}
