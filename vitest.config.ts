// Which tests belong to which project. `npx vitest run --project unit` and the like run one; `npm test` runs all but those that need programs or
// most of a minute: studio, deploy and apiserver have commands of their own.
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { bundledReleaseVitePlugin } from "./scripts/build/bundled-release.ts";
import { constantImports } from "./test/support/constant-imports-plugin.ts";
import { seededFastCheck } from "./test/support/seeded-fast-check-plugin.ts";

const plugins = [bundledReleaseVitePlugin(), seededFastCheck(), constantImports()];
const test = ["botocore", "eks", "golden", "manifests", "pages", "recipes", "reference", "scaffold", "store"].map(
  (folder) => `test/${folder}`,
);
const folders = ["lib", "studio", "cli", "functions", "infra", "scripts", "tools", ...test];
/** Most code of tests runs for a moment: what Turbofan takes of a processor to make it faster is not won back. Node 20 has no Maglev. */
const brief = Number(process.versions.node.split(".")[0]) >= 22 ? ["--no-turbofan"] : [];
/**
 * Loading is half of what a file of small tests costs: files share their process, and each is checked for what it leaves. Such a process
 * holds hundreds of megabytes: with V8's 16 MB for new objects, collecting them takes twice as long.
 */
const sharing = {
  isolate: false,
  // What comes about in a moment may take long on a machine that has other things to do.
  expect: { poll: { timeout: 60_000 } },
  execArgv: ["--max-semi-space-size=64", ...brief],
  setupFiles: [
    "test/support/leave-no-trace.ts",
    "test/support/quick-compression.ts",
    "test/support/room-for-caches.ts",
  ],
};

/** What the command line excludes: Vitest gives it to no project that excludes files itself. */
const excluded = process.argv.filter((_, at) => process.argv[at - 1] === "--exclude");

/** It counts what code runs: the caches that other files have filled would count too. */
const alone = ["tools/bench/test/growth.test.ts", "tools/bench/test/costly-annotations.test.ts"];
/** It measures the heap: of a process that others have filled, each collection takes a fifth of a second. */
const heap = ["lib/injector/test/remembered-bytes.test.ts"];
/** V8 counts no calls that compiled code has inlined, and it compiles when it has time to: only the interpreter counts all. */
const interpreted = ["--no-opt", "--no-maglev", "--no-sparkplug", "--no-flush-bytecode"];

export default defineConfig({
  test: {
    // By default Vitest keeps one processor free for a watching developer: half of a small machine.
    maxWorkers: availableParallelism(),
    projects: [
      {
        plugins,
        test: {
          ...sharing,
          // One project, as each has processes of its own, which load the code again.
          name: "unit",
          include: [...folders.map((folder) => `${folder}/**/*.test.ts`), "test/infra/*.test.ts"],
          exclude: [...alone, ...heap, ...excluded],
          // Few tests take a second; a machine that has other things to do may let one wait.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        plugins,
        test: { name: "alone", include: alone, execArgv: interpreted, testTimeout: 240_000, hookTimeout: 240_000 },
      },
      { plugins, test: { name: "heap", include: heap, testTimeout: 240_000, hookTimeout: 240_000 } },
      {
        plugins,
        test: {
          ...sharing,
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/support/build-once.ts"],
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      {
        plugins,
        test: {
          ...sharing,
          name: "studio",
          include: ["test/studio/**/*.test.ts"],
          globalSetup: ["test/studio/build-page.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        plugins,
        test: {
          ...sharing,
          name: "deploy",
          include: ["test/infra/deploy/**/*.test.ts", "test/runtime/**/*.test.ts"],
          globalSetup: ["test/infra/support/build-artifacts.ts"],
          // No test takes a minute; a machine that has other things to do may let one wait.
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        plugins,
        test: {
          ...sharing,
          name: "apiserver",
          include: ["test/apiserver/**/*.test.ts"],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
