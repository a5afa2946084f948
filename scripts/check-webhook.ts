// Loads what `outrigger webhook` prints with the API server's own types, selectors and CEL, where Go is installed:
// `node --import tsx scripts/check-webhook.ts [--report FILE]`. Compiling them takes minutes the first time; Go keeps it.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { safetyNetTables } from "../test/eks/safety-net-table.ts";
import { projectRoot } from "./bundled-release.ts";
import { prepareGo } from "./support/go-checks.ts";

/** File → the command line's options. A list whose name begins with `audit` is of that stage. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  "audit-default": [],
  "audit-revision": ["--revision", "1-30", "--tag", "prod", "--tag", "default"],
  namespace: ["--phase", "namespace", "--namespace", "shop", "--namespace", "cart", "--network", "a/b"],
  cluster: ["--phase", "cluster", "--safety-net", "warn", "--timeout", "5"],
  enforce: ["--phase", "enforce", "--safety-net", "deny", "--tag", "prod", "--cluster-id", "shop"],
};

const { report: reportFile } = parseArgs({ options: { report: { type: "string" } } }).values;

const folder = join(projectRoot, "test", "eks", "go");
const lacking = prepareGo(folder);
if (lacking !== undefined) {
  console.log(`Skipped: the webhook is not loaded with the API server's own types, because ${lacking}`);
  report({ numPassedTests: 0, numFailedTests: 0 });
} else {
  process.exitCode = await check();
}

async function check(): Promise<number> {
  const objects = mkdtempSync(join(tmpdir(), "outrigger-webhook-"));
  try {
    for (const [name, options] of Object.entries(LISTS)) writeFileSync(join(objects, `${name}.json`), print(options));
    const cases = join(objects, "safety-net");
    writeFileSync(cases, JSON.stringify(await safetyNetTables()));
    const env = { ...process.env, OBJECTS: objects, CASES: cases, GOFLAGS: "-mod=readonly" };
    const { stdout, stderr, status } = spawnSync("go", ["test", "-count=1", "-v", "./..."], {
      cwd: folder,
      env,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    const passed = (stdout.match(/^ *--- PASS/gm) ?? []).length;
    const failed = (stdout.match(/^ *--- FAIL/gm) ?? []).length;
    if (status !== 0) console.log(`${stdout}${stderr}`);
    console.log(`${passed} checks with the API server's own types passed, ${failed} failed`);
    report({ numPassedTests: passed, numFailedTests: status === 0 ? 0 : Math.max(failed, 1) });
    return status === 0 ? 0 : 1;
  } finally {
    rmSync(objects, { recursive: true, force: true });
  }
}

function print(options: readonly string[]): Buffer {
  const url = "https://abc.execute-api.eu-west-1.amazonaws.com";
  const tool = join(projectRoot, "dist", "outrigger.mjs");
  return execFileSync(process.execPath, [tool, "webhook", "--json", "--url", url, ...options]);
}

function report(figures: { readonly numPassedTests: number; readonly numFailedTests: number }): void {
  if (reportFile !== undefined) writeFileSync(reportFile, JSON.stringify(figures));
}
