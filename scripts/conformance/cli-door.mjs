// The third door of conformance: `outrigger inject`, in this process for every case and as the real executable once per
// kind of workload. The case's tree goes to a directory, as a user's would.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { buildCli } from "../build-bundles.mjs";
import { importTypeScript, projectRoot } from "../bundled-release.mjs";

/** Runs cases until `close()` takes the directory away. */
export async function openCliDoor({ readDocuments }) {
  const { main } = await importTypeScript("cli/main.ts");
  const [{ file }] = await buildCli();
  const executable = join(projectRoot, file);
  const root = mkdtempSync(join(tmpdir(), "outrigger-conformance-"));
  const seenKinds = new Set();

  async function run({ name, request }, tree) {
    const args = ["inject", "-f", "-", "--dir", writeTree(join(root, name), tree)];
    const outcomes = [{ door: "cli", outcome: outcomeOf(await runMain(main, args, request.manifest), readDocuments) }];
    const kinds = kindsOf(readDocuments(request.manifest)).filter((kind) => !seenKinds.has(kind));
    if (kinds.length > 0) {
      for (const kind of kinds) seenKinds.add(kind);
      const end = await runExecutable(executable, args, request.manifest);
      outcomes.push({ door: "executable", outcome: outcomeOf(end, readDocuments) });
    }
    return outcomes;
  }
  return { run, close: () => rmSync(root, { recursive: true, force: true }) };
}

function writeTree(directory, tree) {
  for (const [path, text] of Object.entries(tree)) {
    const extension = /^(templates|partials)\//.test(path) ? "hbs" : "yaml";
    const file = join(directory, `${path}.${extension}`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return directory;
}

async function runMain(main, args, manifest) {
  const out = [];
  const err = [];
  const code = await main(args, {
    stdin: (async function* () {
      yield manifest;
    })(),
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    cwd: projectRoot,
    env: {},
    templates: join(projectRoot, "templates"),
    version: "conformance",
    signal: new AbortController().signal,
  });
  return { code, stdout: out.join(""), stderr: err.join("") };
}

async function runExecutable(executable, args, manifest) {
  const running = promisify(execFile)(executable, args, { maxBuffer: 1 << 26 });
  running.child.stdin.end(manifest);
  return running.then(({ stdout, stderr }) => ({ code: 0, stdout, stderr })).catch((error) => error);
}

/** For a manifest every refusal is an error, whoever is to mend it. */
function outcomeOf({ code, stdout, stderr }, readDocuments) {
  if (code === 1) return { kind: "denied", message: stderr.trim() };
  if (code !== 0) return { kind: "failed", message: `exit code ${code}: ${stderr.trim()}` };
  const warnings = stderr.split("\n").filter((line) => line.trim() !== "");
  return { kind: "documents", documents: readDocuments(stdout), warnings };
}

function kindsOf(documents) {
  return documents.flatMap(({ kind, items }) => (Array.isArray(items) ? [kind, ...kindsOf(items)] : [kind]));
}
