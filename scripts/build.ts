// `npm run build -- --help` prints the options. What is built: the CLI, the studio's page, one bundle per Lambda function and the service that the
// npm package deploys.
import { toolOptions } from "../tools/support/tool-options.ts";
import { type BundleReport, buildCli, buildFunctions } from "./build/build-bundles.ts";
import { buildDeploy } from "./build/build-deploy.ts";
import { buildStudio } from "./build/build-studio.ts";
import { makeAnew } from "./build/bundled-release.ts";

const NAMES = ["cli", "studio", "functions", "deploy"] as const;

const { names, ...options } = toolOptions({
  command: "npm run build --",
  says: "Builds the command line tool, the studio, the Lambda functions and the service that the package deploys, into dist/.",
  arguments: { names: { oneOf: NAMES, several: true, optional: true, says: "only these; otherwise everything" } },
  options: {
    quiet: { type: "boolean", says: "do not print the sizes" },
    clean: { type: "boolean", says: "compile the bundled release anew, for a package that is published" },
  },
  example: "npm run build -- cli studio --quiet",
});
const wants = (name: (typeof NAMES)[number]) => names.length === 0 || names.includes(name);

const started = performance.now();
if (options.clean) makeAnew();
const reports: readonly BundleReport[] = [
  ...(wants("cli") ? [await buildCli(options.clean)] : []),
  ...(wants("studio") ? await buildStudio() : []),
  ...(wants("functions") ? await buildFunctions() : []),
  ...(wants("deploy") ? await buildDeploy(wants("functions") ? "dist/functions" : undefined) : []),
];
if (!options.quiet) {
  for (const { file, bytes } of reports) console.log(`${(bytes / 1024).toFixed(1).padStart(8)} KB  ${file}`);
  console.log(`built in ${Math.round(performance.now() - started)} ms`);
}
