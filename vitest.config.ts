// Owns which tests belong to which project. `npm test` runs them all; `npm run test:unit` and the like run one.
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { bundledReleaseVitePlugin } from "./scripts/bundled-release.ts";

const plugins = [bundledReleaseVitePlugin()];
const rooms = [
  "lib",
  "cli",
  "functions",
  "infra",
  "scripts",
  "test/scaffold",
  "test/store",
  "test/eks",
  "test/mutation",
];
/** Loading is half of what a file of small tests costs: files share their process, and each is checked for what it leaves. */
const sharing = { isolate: false, setupFiles: ["test/support/leave-no-trace.ts"] };
const property = rooms.map((room) => `${room}/**/*.prop.test.ts`);

export default defineConfig({
  test: {
    // Left to itself, Vitest leaves one processor to whoever watches it: half of a small machine.
    maxWorkers: availableParallelism(),
    projects: [
      {
        plugins,
        test: {
          ...sharing,
          name: "unit",
          include: rooms.map((room) => `${room}/**/*.test.ts`),
          exclude: property,
          // No test takes a second; a machine that has other things to do may let one wait.
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        plugins,
        test: { ...sharing, name: "property", include: property, testTimeout: 120_000 },
      },
      {
        plugins,
        test: { ...sharing, name: "golden", include: ["test/golden/**/*.test.ts"], testTimeout: 120_000 },
      },
      {
        plugins,
        test: {
          ...sharing,
          name: "e2e",
          include: ["test/e2e/**/*.test.ts", "test/infra/*.test.ts"],
          globalSetup: ["test/support/build-once.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
