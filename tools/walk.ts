// `node --import tsx tools/walk.ts --help` prints the options. Counts what a reader walks through to follow one thing from its beginning to
// its end, as the deployed functions do it: files, functions, and returns, next to those of the last release. A function counts if it
// has a name. A return is the entry, from another file, into a file that was entered before; a step that a loop repeats counts once.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build, type Plugin } from "esbuild";
import { bundledReleasePlugin, projectRoot, requireBanner, shared } from "../scripts/build/bundled-release.ts";
import { lastRelease, linkPackages } from "../scripts/build/last-release.ts";
import { toolOptions } from "./support/tool-options.ts";
import type { Walk } from "./walk/entries.ts";
import { instrument } from "./walk/instrument.ts";
import { OWN_FILES } from "./walk/own-files.ts";

const NAMES = ["pod", "edit", "move", "register"] as const;
/** The product's files that count: without the fakes of AWS. */
const COUNTED = /^(?:(?:lib\/(?!fake-aws\/)|cli\/|studio\/|functions\/|infra\/).*)\.ts$/;
/** The most files that are printed of those that are entered most often. */
const MOST_ENTERED = 10;

interface Walked extends Walk {
  /** A description of what it called. */
  readonly calls?: string;
}

const { walk: asked, ...options } = toolOptions({
  command: "node --import tsx tools/walk.ts",
  says: "Counts the files, functions and returns of a pod, an edit, a promotion and a registration, next to those of the last release.",
  arguments: { walk: { oneOf: NAMES, several: true, optional: true, says: "only these; otherwise all" } },
  options: {
    files: { type: "boolean", says: "print the files, with how often each was entered" },
    alone: { type: "boolean", says: "do not walk the last release" },
    json: { type: "boolean", says: "print JSON, without the last release" },
  },
  example: "node --import tsx tools/walk.ts edit --files",
});
const names = NAMES.filter((name) => asked.length === 0 || asked.includes(name));
const now = await walks();
if (options.json) console.log(JSON.stringify(now));
else print();

function print(): void {
  const before = options.alone ? {} : walksOfLastRelease();
  console.log(`${"".padEnd(10)}${["files", "functions", "returns"].map((head) => head.padStart(16)).join("")}`);
  for (const [name, walk] of Object.entries(now)) {
    const old = before[name];
    const cells = [
      [old?.files.length, walk.files.length],
      [old?.functions, walk.functions],
      [old?.returns, walk.returns],
    ].map(([was, is]) => (was === undefined ? `${is}` : `${was} -> ${is}`).padStart(16));
    console.log(`${name.padEnd(10)}${cells.join("")}${walk.calls === undefined ? "" : `  ${walk.calls}`}`);
    if (name === "edit" || options.files)
      for (const [file, times] of options.files ? walk.entered : walk.entered.slice(0, MOST_ENTERED))
        console.log(`  ${String(times).padStart(6)}  ${file}`);
  }
}

/** Walks each in a process of its own: what one has warmed up would not run again in the next. */
async function walks(): Promise<Readonly<Record<string, Walked>>> {
  const outfile = join(projectRoot, ".runtime/walk/deployed.mjs");
  await build({
    ...shared,
    entryPoints: ["tools/walk/deployed.ts"],
    outfile,
    format: "esm",
    banner: { js: requireBanner },
    plugins: [bundledReleasePlugin(), instrumentPlugin()],
    define: { OUTRIGGER_VERSION: JSON.stringify("0.0.0") },
  });
  return Object.fromEntries(
    names.map((name) => {
      const text = execFileSync(process.execPath, ["--no-warnings", outfile, name], {
        encoding: "utf8",
        maxBuffer: 1 << 26,
      });
      // The functions write their log to standard output too.
      return [name, JSON.parse(text.trim().split("\n").at(-1) ?? "") as Walked];
    }),
  );
}

function instrumentPlugin(): Plugin {
  return {
    name: "instrument",
    setup(builder) {
      builder.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const file = relative(projectRoot, path);
        if (!COUNTED.test(file)) return undefined;
        return { contents: instrument(file, readFileSync(path, "utf8")), loader: "ts" };
      });
    },
  };
}

/** Runs the same tool in a worktree of the last release. What cannot be walked there is left out, and a line says why. */
function walksOfLastRelease(): Readonly<Record<string, Walked>> {
  const release = lastRelease(projectRoot);
  if (release === undefined) {
    console.log("There is no git history to compare with.");
    return {};
  }
  const root = join(projectRoot, ".runtime/walk/last-release");
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: projectRoot, stdio: "pipe" });
  try {
    if (existsSync(root)) git("worktree", "remove", "--force", root);
    git("worktree", "prune");
    git("worktree", "add", "--force", "--detach", root, release.commit);
    linkPackages(root);
    for (const path of OWN_FILES) cpSync(join(projectRoot, path), join(root, path), { recursive: true });
    console.log(`${release.name} -> now`);
    return Object.assign({}, ...names.map((name) => walkIn(root, name)));
  } finally {
    if (existsSync(root)) git("worktree", "remove", "--force", root);
  }
}

function walkIn(root: string, name: string): Readonly<Record<string, Walked>> {
  const args = ["--import", "tsx", "tools/walk.ts", name, "--json"];
  try {
    const text = execFileSync(process.execPath, args, {
      cwd: root,
      encoding: "utf8",
      stdio: "pipe",
      maxBuffer: 1 << 26,
    });
    return JSON.parse(text);
  } catch (error) {
    const { stderr } = error as { readonly stderr?: Buffer | string };
    const [line = ""] = /^(?:\w*Error: |✘).*$/m.exec(String(stderr ?? error)) ?? [];
    console.log(`${name}: the last release cannot be walked by today's tool: ${line}`);
    return {};
  }
}
