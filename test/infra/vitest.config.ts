// The tests that deploy, and those that run what is deployed under Lambda's own runtime client: `npm run test:deploy`.
// They take most of a minute, and so are apart from `npm test`.
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { bundledReleaseVitePlugin } from "../../scripts/build/bundled-release.ts";
import { constantImports } from "../support/constant-imports-plugin.ts";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  plugins: [bundledReleaseVitePlugin(), constantImports()],
  test: {
    globalSetup: ["test/infra/support/build-artifacts.ts"],
    include: ["test/infra/deploy/**/*.test.ts", "test/runtime/**/*.test.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: availableParallelism(),
  },
});
