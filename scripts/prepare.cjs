// What `npm install` runs: builds the command line tool and its studio. Plain JavaScript, because it also runs where the development
// dependencies are left out (`npm install --omit=dev`): tsx and esbuild are missing there, and nothing is built. `npm pack` runs this
// after `prepack`, which has built it already.
const { spawnSync } = require("node:child_process");

const isPacking = ["pack", "publish"].includes(process.env.npm_command ?? "");

if (!isPacking && isInstalled("tsx") && isInstalled("esbuild")) {
  const words = ["--import", "tsx", "scripts/build.ts", "cli", "studio", "--quiet"];
  process.exitCode = spawnSync(process.execPath, words, { stdio: "inherit" }).status ?? 1;
}

function isInstalled(name) {
  try {
    return require.resolve(name) !== "";
  } catch {
    return false;
  }
}
