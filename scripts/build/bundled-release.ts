// The modules "outrigger:bundled-release" and "outrigger:shipped-tree": the shipped source tree as it is when a bundle
// is built or a test starts, compiled, so that the injector can serve from its first moment, and as texts, for what
// publishes. Knows nothing of what a release holds. The release is a file next to the bundle, which reads it when it is needed.
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildOptions, Plugin } from "esbuild";
import { digestOf, keptTexts, type Texts } from "./kept-texts.ts";

export const projectRoot = resolve(import.meta.dirname, "../..");

/** The esbuild options that all bundles of this project share. */
export const shared: BuildOptions = {
  absWorkingDir: projectRoot,
  bundle: true,
  platform: "node",
  target: "node20.19",
  mainFields: ["module", "main"],
  logLevel: "warning",
  legalComments: "none",
};

const SCHEME = "outrigger:";
const RELEASE = `${SCHEME}release.json`;
const MODULE = /^outrigger:[a-z-]+(?:\.json)?$/;

/** Resolves the modules in an esbuild build. */
export function bundledReleasePlugin(): Plugin {
  return {
    name: "bundled-release",
    setup(builder) {
      const namespace = "bundled-release";
      builder.onResolve({ filter: MODULE }, ({ path }) => ({ path: path.slice(SCHEME.length), namespace }));
      builder.onLoad({ filter: /.*/, namespace }, async ({ path }) => {
        const contents = await textOf(SCHEME + path);
        return contents === undefined ? undefined : { contents, loader: SCHEME + path === RELEASE ? "copy" : "js" };
      });
    },
  };
}

/** Makes the plugin for Vite, and so for Vitest. */
export function bundledReleaseVitePlugin() {
  return {
    name: "bundled-release",
    resolveId: (source: string) => (MODULE.test(source) ? `\0${source}` : undefined),
    load: (id: string) => (MODULE.test(id.slice(1)) ? textInPlace(id.slice(1)) : undefined),
  };
}

/** A test has no bundle to keep a file next to: the module has its text in place of `require`. */
async function textInPlace(module: string): Promise<string | undefined> {
  const [text, json] = await Promise.all([textOf(module), textOf(RELEASE)]);
  return text?.replace(`require("${RELEASE}")`, () => `(${json})`);
}

async function textOf(module: string): Promise<string | undefined> {
  texts ??= keptTexts(join(projectRoot, "node_modules/.cache/outrigger"), digestOf(projectRoot, MADE_OF), makeTexts);
  return (await texts)[module];
}

/** The text of each module, read or made once in a process for all bundles and all projects of tests. */
let texts: Promise<Texts> | undefined;

/** Makes the texts of this process from the sources, whatever is kept: for what is packed. */
export function makeAnew(): void {
  texts = makeTexts();
}

const MAKER = "scripts/build/shipped-modules.ts";

/** What the texts are made of. The lock file says which versions of dependencies. */
export const MADE_OF: readonly string[] = ["lib", "templates", MAKER, "package.json", "package-lock.json"];

/**
 * Runs the code that reads and compiles the shipped tree. It is bundled and not imported: Vitest would count everything that its
 * configuration imports as part of the configuration, and restart when any of it changes.
 */
async function makeTexts(): Promise<Texts> {
  const directory = join(projectRoot, "dist", ".modules");
  mkdirSync(directory, { recursive: true });
  const outfile = join(directory, `shipped-modules-${randomUUID().slice(0, 8)}.mjs`);
  // Most runs of single test files never need it.
  const { build } = await import("esbuild");
  await build({ ...shared, entryPoints: [MAKER], outfile, format: "esm", banner: { js: requireBanner } });
  try {
    const code: typeof import("./shipped-modules.ts") = await import(pathToFileURL(outfile).href);
    const modules = Object.entries(code.shippedModules(join(projectRoot, "templates")));
    return Object.fromEntries(await Promise.all(modules.map(async ([name, make]) => [name, await make()] as const)));
  } finally {
    rmSync(outfile, { force: true });
  }
}

/** CommonJS dependencies inside an ES module bundle ask for `require`. */
export const requireBanner =
  'import { createRequire as __createRequire } from "node:module";const require = __createRequire(import.meta.url);';
