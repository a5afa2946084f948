// `node --import tsx tools/walk.ts [pod|edit|register] [--files]`: how many files of the product a reader walks through to follow one
// thing from its beginning to its end. By V8's precise coverage, started when everything is loaded: a file counts if a named function of
// it runs (not what only its loading runs). Counted are lib, cli, studio, functions and infra, without the fakes of AWS.
//
// - pod: the first pod through the inject function's handler, with the shipped release loaded. 121 when this was first counted.
// - edit: an event of Parameter Store through the publish function's handler until the edit is served: 207.
// - register: a cluster with a safety net, on the API server of test/eks, and the same command again: 55.
//
// With the files, it prints the calls: of Parameter Store for an edit, of the API server for a registration and its repetition.
import { execFileSync } from "node:child_process";
import { Session } from "node:inspector/promises";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { registerCluster } from "@outrigger/cluster";
import { guardedInjection, parseGuardrails } from "@outrigger/guardrails";
import { compileRelease, loadRelease, rememberInjections } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { fixedService, releaseDigest } from "@outrigger/serving";
import { handlerOf } from "../functions/inject/api-gateway.ts";
import { publishHandler } from "../functions/publish/handler.ts";
import { openClusterLab } from "../test/eks/cluster-lab.ts";
import { eventOf } from "../test/support/gateway-event.ts";
import { layout, publisherSetup } from "../test/support/publisher-setup.ts";

interface Walk {
  readonly files: readonly string[];
  /** What it called, in words. */
  readonly calls?: string;
}

const WALKS: Readonly<Record<string, () => Promise<Walk>>> = { pod: walkPod, edit: walkEdit, register: walkRegister };

const root = resolve(import.meta.dirname, "..");
const shipped = await readSourceTree(resolve(root, "templates"));
const name = process.argv.slice(2).find((text) => !text.startsWith("--"));
if (name === undefined) {
  // Each in a process of its own: what one has warmed up would not run again in the next.
  for (const each of Object.keys(WALKS)) {
    execFileSync(process.execPath, [...process.execArgv, ...process.argv.slice(1), each], { stdio: "inherit" });
  }
} else {
  const { files, calls } = (await WALKS[name]?.()) ?? { files: [] };
  console.log(`${name}: ${files.length} files${calls === undefined ? "" : `, ${calls}`}`);
  if (process.argv.includes("--files")) for (const file of files) console.log(`  ${file}`);
}

async function walkPod(): Promise<Walk> {
  const release = compileRelease([shipped]);
  const [injector, remembering] = [loadRelease(release), rememberInjections(guardedInjection(parseGuardrails("")))];
  const find = fixedService({ inject: (request) => remembering(injector, request), release: releaseDigest(release) });
  const handler = handlerOf({ find, now: () => performance.now() }, () => undefined);
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { generateName: "hello-6d4cf56db6-", labels: { app: "hello" } },
    spec: { containers: [{ name: "hello", image: "registry.example/hello:1" }] },
  };
  return { files: await filesOf(() => handler(eventOf({ object, namespace: "shop" }))) };
}

/** Answers nothing. */
async function nowhere(): Promise<never> {
  return undefined as never;
}

async function walkEdit(): Promise<Walk> {
  const { dependencies, clock, store, edit } = publisherSetup();
  // As the function has them: compiled, tried, compared and packed by the product's own code.
  const { compile: _, load: __, compare: ___, sleep, ...own } = dependencies;
  const function_ = { canaryToken: "/canary", makeToken: () => "", putSecret: nowhere, stackStatus: nowhere };
  const write = () => undefined;
  const handler = publishHandler({
    ...own,
    sleep,
    ...function_,
    shipped,
    stage: "dev",
    stackId: "stack",
    respond: nowhere,
    write,
  });
  const publish = async (text: string) => {
    clock.time += 20 * 60_000;
    await edit("values/90", `global:\n  proxy:\n    logLevel: ${text}\n`);
    store.forgetCalls();
    const time = new Date(clock.time).toISOString();
    const result = await handler({ source: "aws.ssm", time, detail: { name: layout.sourceParameter("values/90") } });
    if (result?.ok !== true) throw new Error("The edit is not served");
  };
  await publish("info");
  const files = await filesOf(() => publish("debug"));
  const calls = Object.entries(store.calls()).map(([name, count]) => `${count} ${name}`);
  return { files, calls: calls.join(", ") };
}

async function walkRegister(): Promise<Walk> {
  const lab = await openClusterLab();
  const register = async () => {
    lab.api.calls.length = 0;
    await registerCluster(lab.request({ phase: "cluster", safetyNet: "deny" }), lab.ports);
    return lab.api.calls.length;
  };
  let first = 0;
  const files = await filesOf(async () => {
    first = await register();
  });
  const again = await register();
  await lab.close();
  return { files, calls: `${first} requests, ${again} when it is repeated` };
}

/** The product's files of which a named function runs. */
async function filesOf(run: () => Promise<unknown>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await run();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  return result
    .filter(({ url, functions }) => url.startsWith("file:") && functions.some(isRunning))
    .map(({ url }) => relative(root, fileURLToPath(url)))
    .filter((file) => /^(lib|cli|studio|functions|infra)\//.test(file) && !file.startsWith("lib/fake-aws/"))
    .sort();
}

/** A module as a whole has no name; `__name` is the loader's. */
function isRunning({ functionName, ranges }: { functionName: string; ranges: readonly { count: number }[] }): boolean {
  return functionName !== "" && functionName !== "__name" && (ranges[0]?.count ?? 0) > 0;
}
