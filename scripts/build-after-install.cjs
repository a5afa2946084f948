// What `npm install` and `npm ci` run in a checkout: builds the command line tool and its studio. It is npm's script `dependencies`, which
// runs in the project's own folder only: of a package that has `prepare`, npm warns wherever its tarball is installed. Plain
// JavaScript, because it also runs where the development dependencies are left out (`npm install --omit=dev`): tsx and esbuild are
// missing there, and nothing is built.
const { spawnSync } = require("node:child_process");

if (isInstalled("tsx") && isInstalled("esbuild")) {
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
