// What counts as used. `npm run unused` looks at everything first, and then at the product alone (--production): what only
// tests use belongs into test/. There, an export that its own file uses as well is one for a test next to it.
import type { KnipConfig } from "knip";

const config: KnipConfig = {
  workspaces: {
    ".": {
      entry: [
        "functions/*/index.ts!",
        "infra/settings.cjs!",
        "infra/settings/framework-values.ts!",
        "infra/packaged-plugin.ts!",
        "scripts/build/shipped-modules.ts!",
        "scripts/generate/*.ts",
        "tools/*.ts",
        "tools/{regex/compare,studio/compare,studio/keystroke,studio/screenshots}.ts",
        "tools/load/{load,steadiness}.ts",
        "tools/conformance/follow-release/follow-release.ts",
        "scripts/build/build-playground.ts",
        "tools/reference/*.ts",
        "scripts/site/draw-diagrams.ts",
        "tools/bench/{worker,cold-start,large-cluster,storm,cold-start-child,publication,publisher-calls}.ts",
        "tools/conformance/{chart-templates,count-warnings}.ts",
        "tools/fuzz/fuzz-worker.ts",
        "tools/walk/deployed.ts",
        "test/infra/support/*.cjs",
        "scripts/site/site-config.ts",
        "test/botocore/pack-models.ts",
        "tools/load/report-heap.cjs",
        "tools/load/cache-heap.ts",
        "test/runtime/rapid-client.cjs",
        "tools/mutation/{worker,same-seed}.ts",
      ],
      project: ["{functions,infra}/**/*.{ts,cjs}!", "{scripts,test,tools}/**/*.{ts,cjs}", "!**/*.test.ts!"],
    },
    "lib/*": { project: ["**/*.ts!", "!**/*.test.ts!", "!testing/**!"] },
    cli: { entry: ["bin.ts!"], project: ["**/*.ts!", "!**/*.test.ts!"] },
    studio: {
      entry: ["main.tsx!", "preview/worker.ts!"],
      project: ["**/*.{ts,tsx}!", "!**/*.test.ts!", "!samples/**!"],
    },
  },
  // Tests read the release in the artifact, `outrigger:bundled-release`: there is no file behind this name.
  ignoreDependencies: ["outrigger"],
  ignoreBinaries: ["go", "kubectl", "fish", "terraform"],
  ignoreExportsUsedInFile: process.argv.includes("--production") || { interface: true, type: true },
};

export default config;
