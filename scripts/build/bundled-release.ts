// The modules "outrigger:bundled-release" and "outrigger:shipped-tree": the shipped source tree as it is when a bundle
// is built or a test starts, compiled, so that the injector can serve from its first moment, and as texts, for what
// publishes. Knows nothing of what a release holds.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildOptions, Plugin } from "esbuild";

export const projectRoot = resolve(import.meta.dirname, "../..");

/** What code imports to get the release in the artifact. */
const BUNDLED_RELEASE = "outrigger:bundled-release";

/** What code imports to get the shipped source tree: what publishes lays every other tree over it. */
const SHIPPED_TREE = "outrigger:shipped-tree";

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

/** Module → how its text is made. */
const MODULES: Readonly<Record<string, () => Promise<string>>> = {
  [BUNDLED_RELEASE]: bundledReleaseModule,
  [SHIPPED_TREE]: shippedTreeModule,
};

/** Each is made once in a process, however many bundles and projects of tests it is in. */
const texts = new Map<string, Promise<string>>();

function textOf(module: string): Promise<string> | undefined {
  const text = texts.get(module) ?? MODULES[module]?.();
  if (text !== undefined) texts.set(module, text);
  return text;
}

/** Resolves the modules in an esbuild build. */
export function bundledReleasePlugin(): Plugin {
  return {
    name: "bundled-release",
    setup(builder) {
      builder.onResolve({ filter: /^outrigger:[a-z-]+$/ }, ({ path }) => ({ path, namespace: "bundled-release" }));
      builder.onLoad({ filter: /.*/, namespace: "bundled-release" }, async ({ path }) => {
        const contents = await textOf(path);
        return contents === undefined ? undefined : { contents, loader: "js" };
      });
    },
  };
}

/** The same for Vite, and so for Vitest. */
export function bundledReleaseVitePlugin() {
  return {
    name: "bundled-release",
    resolveId: (source: string) => (Object.hasOwn(MODULES, source) ? `\0${source}` : undefined),
    load: (source: string) => textOf(source.slice(1)),
  };
}

/**
 * The text of the module. It holds the release compressed: a fifth of its size, and of the budget of a function's
 * bundle, for 3 ms when it is read (docs/contributing/adr/0003-bundle-format.md). Its digest is taken here, not in every cold start.
 */
async function bundledReleaseModule() {
  const { compileShippedRelease } = await shippedCode();
  const { compressed, digest, treeDigest } = await compileShippedRelease(join(projectRoot, "templates"));
  return `import { brotliDecompressSync } from "node:zlib";
export const digest = ${JSON.stringify(digest)};
export const treeDigest = ${JSON.stringify(treeDigest)};
export function readRelease() {
  return JSON.parse(brotliDecompressSync(Buffer.from("${compressed}", "base64")).toString());
}
`;
}

async function shippedTreeModule() {
  const { readSourceTree } = await shippedCode();
  return `export const tree = ${JSON.stringify(await readSourceTree(join(projectRoot, "templates")))};\n`;
}

type ShippedCode = typeof import("../support/compile-shipped.ts");

/**
 * The code that reads and compiles the shipped tree, loaded once per process. It is bundled and not imported: Vitest would
 * count everything that its configuration imports as part of the configuration, and restart when any of it changes.
 */
function shippedCode(): Promise<ShippedCode> {
  imported ??= importShippedCode();
  return imported;
}

let imported: Promise<ShippedCode> | undefined;

async function importShippedCode(): Promise<ShippedCode> {
  const directory = join(projectRoot, "dist", ".modules");
  mkdirSync(directory, { recursive: true });
  const outfile = join(directory, `compile-shipped-${randomUUID().slice(0, 8)}.mjs`);
  const entryPoints = ["scripts/support/compile-shipped.ts"];
  // Most runs of single test files never need it.
  const { build } = await import("esbuild");
  await build({ ...shared, entryPoints, outfile, format: "esm", banner: { js: requireBanner } });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    if (existsSync(outfile)) rmSync(outfile);
  }
}

/** CommonJS dependencies inside an ES module bundle ask for `require`. */
export const requireBanner =
  'import { createRequire as __createRequire } from "node:module";const require = __createRequire(import.meta.url);';
