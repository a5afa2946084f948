// Owns the modules "outrigger:bundled-release" and "outrigger:shipped-tree": the shipped source tree as it is when a bundle
// is built or a test starts, compiled, so that the injector can serve from its first moment, and as texts, for what
// publishes. Knows nothing of what a release holds.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

export const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)));

/** What code imports to get the release that stands in the artifact. */
const BUNDLED_RELEASE = "outrigger:bundled-release";

/** What code imports to get the shipped source tree: what publishes lays every other tree over it. */
const SHIPPED_TREE = "outrigger:shipped-tree";

/** The esbuild options that all bundles of this project share. */
export const shared = {
  absWorkingDir: projectRoot,
  bundle: true,
  platform: "node",
  target: "node20.19",
  mainFields: ["module", "main"],
  logLevel: "warning",
  legalComments: "none",
};

/** Module → how its text is made. */
const MODULES = {
  [BUNDLED_RELEASE]: bundledReleaseModule,
  [SHIPPED_TREE]: shippedTreeModule,
};

/** Resolves the modules in an esbuild build; each is made at most once per plugin. */
export function bundledReleasePlugin() {
  return {
    name: "bundled-release",
    setup(builder) {
      builder.onResolve({ filter: /^outrigger:[a-z-]+$/ }, ({ path }) => ({ path, namespace: "bundled-release" }));
      builder.onLoad({ filter: /.*/, namespace: "bundled-release" }, async ({ path }) => ({
        contents: await MODULES[path](),
        loader: "js",
      }));
    },
  };
}

/** The same for Vite, and so for Vitest. */
export function bundledReleaseVitePlugin() {
  return {
    name: "bundled-release",
    resolveId: (source) => (Object.hasOwn(MODULES, source) ? `\0${source}` : undefined),
    load: (source) => MODULES[source.slice(1)]?.(),
  };
}

/**
 * The text of the module. The release stands in it compressed: a fifth of its size, and of the budget of a function's
 * bundle, for 3 ms when it is read (docs/adr/0003-bundle-format.md). Its digest is taken here, not in every cold start.
 */
async function bundledReleaseModule() {
  const { compileShippedRelease } = await shippedCode();
  const { compressed, digest } = await compileShippedRelease(join(projectRoot, "templates"));
  return `import { brotliDecompressSync } from "node:zlib";
export const digest = ${JSON.stringify(digest)};
export function readRelease() {
  return JSON.parse(brotliDecompressSync(Buffer.from("${compressed}", "base64")).toString());
}
`;
}

async function shippedTreeModule() {
  const { readSourceTree } = await shippedCode();
  return `export const tree = ${JSON.stringify(await readSourceTree(join(projectRoot, "templates")))};\n`;
}

/** What reads and compiles the shipped tree: once for all bundles that a process builds. */
function shippedCode() {
  imported ??= importTypeScript("scripts/support/compile-shipped.ts");
  return imported;
}

let imported;

/** Bundles one TypeScript file of the project into a temporary module and imports it. Works on every Node of `engines`. */
export async function importTypeScript(entry, options = {}) {
  const directory = join(projectRoot, "dist", ".modules");
  mkdirSync(directory, { recursive: true });
  const outfile = join(directory, `${entry.replaceAll(/[^\w.-]/g, "-")}-${randomUUID().slice(0, 8)}.mjs`);
  await build({ ...shared, entryPoints: [entry], outfile, format: "esm", banner: { js: requireBanner }, ...options });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    if (existsSync(outfile)) rmSync(outfile);
  }
}

/** CommonJS dependencies inside an ES module bundle ask for `require`. */
export const requireBanner =
  'import { createRequire as __createRequire } from "node:module";const require = __createRequire(import.meta.url);';
