// The tests of the studio in a browser: `npm run test:studio`. They need a Chromium, and so are apart from `npm test`.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { bundledReleaseVitePlugin } from "../../scripts/build/bundled-release.ts";
import { constantImports } from "../support/constant-imports-plugin.ts";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  plugins: [bundledReleaseVitePlugin(), constantImports()],
  test: {
    include: ["test/studio/**/*.test.ts"],
    globalSetup: ["test/studio/build-page.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false,
  },
});
