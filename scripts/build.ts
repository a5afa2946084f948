// What is built: the CLI, the studio's page, one bundle per Lambda function and the service that the npm package deploys.
// `npm run build [-- cli|studio|functions|deploy] [--quiet] [--clean]`; without a name, everything.
import { type BundleReport, buildCli, buildFunctions } from "./build/build-bundles.ts";
import { buildDeploy } from "./build/build-deploy.ts";
import { buildStudio } from "./build/build-studio.ts";

const argv = process.argv.slice(2);
const names = argv.filter((word) => !word.startsWith("--"));
const wants = (name: string) => names.length === 0 || names.includes(name);

const started = performance.now();
const reports: readonly BundleReport[] = [
  ...(wants("cli") ? [await buildCli(argv.includes("--clean"))] : []),
  ...(wants("studio") ? await buildStudio() : []),
  ...(wants("functions") ? await buildFunctions() : []),
  ...(wants("deploy") ? await buildDeploy() : []),
];
if (!argv.includes("--quiet")) {
  for (const { file, bytes } of reports) console.log(`${(bytes / 1024).toFixed(1).padStart(8)} KB  ${file}`);
  console.log(`built in ${Math.round(performance.now() - started)} ms`);
}
