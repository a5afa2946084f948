// Which calls a function's code can make, read from its bundle: every SDK command that is constructed in it or read by pages, and every
// operation of Parameter Store, EventBridge and CloudFormation that is called by its protocol's name.
import { readdirSync, readFileSync } from "node:fs";
import type { Metafile } from "esbuild";
import { buildFunction } from "../../../scripts/build/build-bundles.ts";
import { readRecord } from "../../../tools/support/read-record.ts";

/** The calls of a function's bundle, as IAM writes them, sorted: `ssm:GetParameters`. */
export async function callsOf(name: string): Promise<readonly string[]> {
  const directory = `dist/sdk-calls/${name}`;
  await buildFunction(name, { outfile: `${directory}/index.cjs`, minify: false });
  const code = readFileSync(`${directory}/index.cjs`, "utf8");
  const file = `${directory}/metafile.json`;
  const metafile = readRecord<Pick<Metafile, "inputs">>(readFileSync(file, "utf8"), file, { inputs: "object" });
  const inputs = Object.keys(metafile.inputs).join("\n");
  const clients = new Set([...inputs.matchAll(/node_modules\/@aws-sdk\/client-([\w-]+)\//g)].map((match) => match[1]));
  const operations = new Set(
    [...code.matchAll(/new (\w+?)Command\d*\(|= createPaginator\(\w+, (\w+?)Command\d*,/g)].map(
      ([, made, paged]) => (made ?? paged) as string,
    ),
  );
  const calls = [...operations].map((operation) => callOf(operation, [...clients] as string[]));
  const signed = [...code.matchAll(/"AmazonSSM\.(\w+)"/g)].map(([, operation]) => `ssm:${operation}`);
  const events = [...code.matchAll(/"AWSEvents\.(\w+)"/g)].map(([, operation]) => `events:${operation}`);
  const form = [...code.matchAll(/URLSearchParams\(\{\s*Action: "(\w+)"/g)].map(
    ([, operation]) => `cloudformation:${operation}`,
  );
  return [...(await Promise.all(calls)), ...signed, ...events, ...form].sort();
}

/** The calls of the files in a folder and below it, without tests: for code that people run, which has no bundle of its own. */
export async function callsInFolder(folder: string): Promise<readonly string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.includes(".test."),
  );
  const calls = files.map((file) => {
    const code = readFileSync(`${folder}/${file}`, "utf8");
    const clients = [...code.matchAll(/from "@aws-sdk\/client-([\w-]+)"/g)].map((match) => match[1] as string);
    const operations = [...code.matchAll(/new (\w+)Command\(|\bpaginate(\w+)\(/g)].map(
      ([, made, paged]) => (made ?? paged) as string,
    );
    return Promise.all(operations.map((operation) => callOf(operation, clients)));
  });
  return [...new Set((await Promise.all(calls)).flat())].sort();
}

async function callOf(operation: string, clients: readonly string[]): Promise<string> {
  for (const client of clients) {
    const exported = await import(`@aws-sdk/client-${client}`);
    if (Object.hasOwn(exported, `${operation}Command`)) return ACTIONS[operation] ?? `${client}:${operation}`;
  }
  throw new Error(`No SDK client at hand has ${operation}Command`);
}

/** The operations that IAM has another name for. */
const ACTIONS: Readonly<Record<string, string>> = {
  Invoke: "lambda:InvokeFunction",
  DescribeMetricFilters: "logs:DescribeMetricFilters",
};
