// Owns what is built: the CLI and one bundle per Lambda function. `node scripts/build.mjs [cli|functions] [--quiet]
// [--if-possible]`; without a name, everything. --if-possible is for `npm install`: where the development
// dependencies were left out there is nothing to build with, and that is no failure.

const argv = process.argv.slice(2);
const quiet = argv.includes("--quiet");

if (argv.includes("--if-possible") && !(await hasEsbuild())) {
  if (!quiet) console.log("esbuild is not installed: the command line tool is not built");
} else {
  await buildAll(argv.filter((word) => !word.startsWith("--")));
}

async function buildAll(names) {
  const { buildCli, buildFunctions } = await import("./build-bundles.mjs");
  const started = performance.now();
  const reports = [];
  if (names.length === 0 || names.includes("cli")) reports.push(...(await buildCli()));
  if (names.length === 0 || names.includes("functions")) reports.push(...(await buildFunctions()));
  if (quiet) return;
  for (const { file, bytes } of reports) console.log(`${(bytes / 1024).toFixed(1).padStart(8)} KB  ${file}`);
  console.log(`built in ${Math.round(performance.now() - started)} ms`);
}

async function hasEsbuild() {
  try {
    await import("esbuild");
    return true;
  } catch {
    return false;
  }
}
