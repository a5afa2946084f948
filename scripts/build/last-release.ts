// The last release, as git knows it, and its files. It needs nothing of the project: tools/walk.ts runs it in the release's own worktree.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** Returns the last release, as its tag or, without one, as the commit that set the version last; undefined without a history. */
export function lastRelease(root: string): { readonly name: string; readonly commit: string } | undefined {
  const tag = tryGit(root, "describe", "--tags", "--abbrev=0", "--match", "v*")?.trim();
  if (tag !== undefined) return { name: tag, commit: tag };
  const commit = tryGit(root, "log", "-1", "--format=%h", "-G", '^  "version": ', "--", "package.json")?.trim();
  // In a shallow copy, the oldest commit seems to have set everything.
  const isShallow = tryGit(root, "rev-parse", "--is-shallow-repository")?.trim() === "true";
  return commit === undefined || commit === "" || isShallow ? undefined : { name: `commit ${commit}`, commit };
}

/**
 * Returns the text of files of a commit.
 *
 * @param isRead whether a file, by its path, is among them
 */
export function filesAt(root: string, commit: string, isRead: (path: string) => boolean): ReadonlyMap<string, string> {
  const entries = (tryGit(root, "ls-tree", "-r", commit) ?? "").split("\n").flatMap((line) => {
    const [, hash = "", path = ""] = /^100\d+ blob (\w+)\t(.*)$/.exec(line) ?? [];
    return isRead(path) ? [{ hash, path }] : [];
  });
  const input = entries.map(({ hash }) => `${hash}\n`).join("");
  const stored = execFileSync("git", ["cat-file", "--batch"], { cwd: root, input, maxBuffer: 1 << 28 });
  const texts = new Map<string, string>();
  let at = 0;
  for (const { path } of entries) {
    const end = stored.indexOf("\n", at);
    // `HASH blob BYTES`
    const bytes = Number(stored.toString("utf8", at, end).split(" ")[2]);
    texts.set(path, stored.toString("utf8", end + 1, end + 1 + bytes));
    at = end + 1 + bytes + 1;
  }
  return texts;
}

/** Links the packages of a release's files to each other; what is installed from elsewhere is found in the folders above them. */
export function linkPackages(root: string): void {
  const scope = join(root, "node_modules/@outrigger");
  mkdirSync(scope, { recursive: true });
  const folders = [...readdirSync(join(root, "lib")).map((name) => `lib/${name}`), "cli", "studio"];
  for (const folder of folders.filter((each) => existsSync(join(root, each, "package.json")))) {
    const { name } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    symlinkSync(join(root, folder), join(root, "node_modules", name));
  }
}

function tryGit(root: string, ...args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return undefined;
  }
}
