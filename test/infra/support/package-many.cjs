// Runs the `serverless` command once for each `{ words, env }` in its argument, in one process: loading it takes most of the time of a
// run. Prints a list of `{ status, output }`.
const { dirname } = require("node:path");

const script = require.resolve("serverless/scripts/serverless.js", { paths: [process.cwd()] });
const own = dirname(dirname(script));
const runs = JSON.parse(process.argv[2]);
const given = process.env;
const results = [];
let output = "";
const print = process.stdout.write.bind(process.stdout);
for (const stream of [process.stdout, process.stderr]) {
  stream.write = (text, ...rest) => {
    output += text;
    rest.find((one) => typeof one === "function")?.();
    return true;
  };
}
process.setMaxListeners(0);

/** The command keeps its input and the service in modules. What does not know them is kept: schemas, and what they load. */
function forget() {
  for (const file of Object.keys(require.cache)) {
    const isTheirs = file.startsWith(`${own}/scripts/`) || file.startsWith(`${own}/lib/`);
    if (isTheirs && !/config-schema-handler|serverless-error/.test(file)) delete require.cache[file];
    if (/\/infra\/|serverless-plugin/.test(file)) delete require.cache[file];
  }
}

function next() {
  if (results.length === runs.length) {
    process.off("beforeExit", end);
    process.exitCode = 0;
    return void print(JSON.stringify(results));
  }
  forget();
  output = "";
  process.exitCode = 0;
  const { words, env } = runs[results.length];
  process.env = { ...given, ...env };
  process.argv = [process.argv[0], script, ...words];
  require(script);
}

/** The command ends when nothing is left to do. */
function end() {
  results.push({ status: process.exitCode, output });
  next();
}

process.on("beforeExit", end);
next();
