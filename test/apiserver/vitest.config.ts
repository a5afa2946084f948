// The tests on a real API server: `npm run test:apiserver`. KUBEBUILDER_ASSETS names the folder with etcd, kube-apiserver and
// kube-controller-manager, by envtest's convention.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { bundledReleaseVitePlugin } from "../../scripts/build/bundled-release.ts";
import { constantImports } from "../support/constant-imports-plugin.ts";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  plugins: [bundledReleaseVitePlugin(), constantImports()],
  test: {
    include: ["test/apiserver/**/*.test.ts"],
    // No test takes a minute; a machine that has other things to do may let one wait.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    isolate: false,
    // Each file starts a control plane, which takes a processor while it starts.
    maxWorkers: 2,
  },
});
