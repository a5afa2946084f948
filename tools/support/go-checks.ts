// Go as a tool that a machine may have: found, its modules fetched, a folder's code compiled, all within a time limit
// (`OUTRIGGER_GO_SECONDS`). What is missing is a reason to skip the checks. Code that does not compile is not. With `OUTRIGGER_GO=compiled`,
// the packages of others that Go has not compiled yet are missing too: Kubernetes' take minutes.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/**
 * Compiles the checks in a folder. Returns why they are skipped; undefined where they are ready to run.
 *
 * @param compile arguments of `go` that compile the checks
 */
export function prepareGo(
  folder: string,
  compile: readonly string[] = ["test", "-run", "^$", "./..."],
  now: () => number = () => performance.now(),
): string | undefined {
  // Where a folder is missing, spawn fails as it does without Go: that is no reason to skip.
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}`);
  const seconds = Number(process.env["OUTRIGGER_GO_SECONDS"] ?? 1800);
  const end = now() + seconds * 1000;
  if (!(seconds > 0)) return "there is no time left for Go";
  if (process.env["OUTRIGGER_GO"] === "compiled" && !isCompiled(folder, compile))
    return "Go has not compiled the packages that it uses: OUTRIGGER_WHOLE=1 and npm run test:admission wait for that";
  const steps = [["version"], ["mod", "download"], compile];
  for (const words of steps) {
    const { status, signal, stderr, error } = spawnSync("go", words, {
      cwd: folder,
      env: { ...process.env, GOFLAGS: "-mod=readonly" },
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
      timeout: Math.max(1, Math.ceil(end - now())),
    });
    const reason = reasonToSkip({ command: words[0] ?? "", status, signal, stderr: stderr ?? "", error });
    if (reason !== undefined) return `${reason}${words[0] === "test" ? ` within ${seconds} s` : ""}`;
  }
  return undefined;
}

/** The most packages that are compiled when a folder's own code has changed: those of the folder, and what runs its tests. */
const OWN_PACKAGES = 5;

/** Whether Go would compile only the folder's own code. Go prints what it would run, without what it has kept, and fetches nothing. */
function isCompiled(folder: string, compile: readonly string[]): boolean {
  const env = { ...process.env, GOFLAGS: "-mod=readonly", GOPROXY: "off" };
  const limits = { timeout: 60_000, maxBuffer: 64 * 1024 * 1024 };
  const words = [...compile.slice(0, 1), "-n", ...compile.slice(1)];
  const { status, stderr } = spawnSync("go", words, { cwd: folder, env, encoding: "utf8", ...limits });
  return status === 0 && (stderr.match(/\/compile -o /g) ?? []).length <= OWN_PACKAGES;
}

interface Finished {
  /** `version`, `mod` or `test`. */
  readonly command: string;
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
  readonly error: Error | undefined;
}

/** Matches the errors of a machine that lacks something to compile: memory, or space for what is compiled. */
const LACKING = /signal: killed|cannot allocate memory|out of memory|no space left on device|GOCACHE is not defined/;

/**
 * Returns why the checks are skipped. It is undefined if the command ended well, or if what it found is for `go test`
 * itself to report.
 */
export function reasonToSkip({ command, status, signal, stderr, error }: Finished): string | undefined {
  if (status === 0) return undefined;
  if (command === "version") return "Go is not installed";
  if (command === "mod") return "the Go modules cannot be downloaded";
  if (signal !== null || error !== undefined) return "Go has not compiled the checks";
  return LACKING.test(stderr) ? "the machine has too little memory or disk space to compile the checks" : undefined;
}
