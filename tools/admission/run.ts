// Runs the bundled function behind the API server's own admission code, where Go is installed: `npm run test:admission`. The Helm chart is rendered by Helm afterwards (tools/chart). Compiling Kubernetes' packages takes minutes the first time; Go keeps them.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject } from "@outrigger/base";
import { compileRelease, systemNamespaces } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import type { Handler } from "../../functions/inject/api-gateway.ts";
import type { createHandler as CreateHandler } from "../../functions/inject/index.ts";
import { buildFunction } from "../../scripts/build/build-bundles.ts";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { safetyNetTables } from "../../test/eks/safety-net-table.ts";
import { checkChart } from "../chart/check-chart.ts";
import { istioSets, vendoredSets } from "../conformance/case-sets.ts";
import { type ConformanceCase, namespaceOf } from "../conformance/conformance-case.ts";
import { applied, patchTextOf, releaseOfCase } from "../conformance/entry-points.ts";
import { prepareGo } from "../support/go-checks.ts";
import { readRecord } from "../support/read-record.ts";
import { toolOptions } from "../support/tool-options.ts";
import { lostFields } from "./lost-fields.ts";
import { type Exchange, serveCases } from "./serve-cases.ts";

const FOLDER = join(projectRoot, "tools", "admission");
const options = toolOptions({
  command: "npm run test:admission --",
  says: "Runs the bundled function behind the API server's own admission code, and renders the Helm chart by Helm; needs Go.",
  options: {
    report: { type: "string", value: "FILE", says: "write how many checks passed and failed to this file, as JSON" },
  },
  example: "npm run test:admission -- --report report.json",
});

interface Result {
  readonly index: number;
  readonly pod: JsonObject;
  readonly again: boolean;
}

/** The part of the AdmissionReview that is read. */
interface Review {
  readonly request: { readonly object: JsonObject };
}

/** The options of `outrigger print webhook` for each file. A list whose name begins with `audit` is of that phase. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  "audit-default": [],
  "audit-revision": ["--revision", "1-30", "--tag", "prod", "--tag", "default"],
  namespace: ["--phase", "namespace", "--namespace", "shop", "--namespace", "cart", "--network", "a.b"],
  cluster: ["--phase", "cluster", "--safety-net", "warn", "--timeout", "5"],
  enforce: ["--phase", "enforce", "--safety-net", "deny", "--tag", "prod", "--cluster-id", "shop"],
};

process.exitCode = await run();

async function run(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "outrigger-apiserver-"));
  const tests = join(directory, "checks.test");
  // Linking takes seconds: once, and without what a debugger reads.
  const lacking = prepareGo(FOLDER, ["test", "-c", "-ldflags=-s -w", "-o", tests, "."]);
  if (lacking !== undefined) {
    rmSync(directory, { recursive: true, force: true });
    return skip(lacking);
  }
  const cases = [...vendoredSets(), ...istioSets().sets]
    .flatMap((set) => set.cases)
    .filter(({ door }) => door === "webhook");
  const server = await serveCases(await handlers(cases));
  try {
    writeFileSync(join(directory, "ca.pem"), server.certificate);
    writeFileSync(join(directory, "cases.jsonl"), cases.map((one) => `${JSON.stringify(lineOf(one))}\n`).join(""));
    writeFileSync(join(directory, "objects.json"), print(["--phase", "enforce"]));
    mkdirSync(join(directory, "lists"));
    for (const [name, argv] of Object.entries(LISTS))
      writeFileSync(join(directory, "lists", `${name}.json`), print(argv));
    writeFileSync(join(directory, "net.json"), JSON.stringify(await safetyNetTables()));
    const { passed, failed, output } = await goTest(tests, {
      WEBHOOK_URL: server.url,
      WEBHOOK_CA: join(directory, "ca.pem"),
      CASES: join(directory, "cases.jsonl"),
      OBJECTS: join(directory, "objects.json"),
      LISTS: join(directory, "lists"),
      NET: join(directory, "net.json"),
      RESULTS: join(directory, "results.jsonl"),
    });
    if (failed > 0) console.log(output);
    const findings = judge(cases, server.first, readFileSync(join(directory, "results.jsonl"), "utf8"));
    const chart = checkChart();
    if (chart.lacking !== undefined) console.log(`Skipped: the Helm chart is not rendered, because ${chart.lacking}`);
    for (const finding of [...findings, ...chart.findings]) console.log(finding);
    const failures = failed + findings.length + chart.findings.length;
    report(passed - findings.length + chart.passed, failures);
    return failures === 0 ? 0 : 1;
  } finally {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function lineOf(one: ConformanceCase) {
  const { request, expect } = one;
  return {
    name: one.name,
    namespace: namespaceOf(one),
    path: request.path ?? "/inject",
    pod: request.object,
    allowed: expect.error === undefined,
    // The configuration keeps system namespaces out, whatever the pod says.
    injected: expect.injected !== false && !systemNamespaces.has(namespaceOf(one)),
  };
}

async function handlers(cases: readonly ConformanceCase[]): Promise<(prefix: string) => Handler | undefined> {
  // In a place of its own: other checks build dist/functions meanwhile.
  const { file } = await buildFunction("inject", { outfile: "dist/.apiserver/index.cjs" });
  const { createHandler } = (await import(pathToFileURL(join(projectRoot, file)).href)) as {
    readonly createHandler: typeof CreateHandler;
  };
  const shipped = await readSourceTree(join(projectRoot, "templates"));
  const quiet = { write: () => {} };
  const handler = compileRelease([shipped]);
  const broken = {
    "templates/sidecar":
      '{{#if (eq metadata.labels.app "broken")}}spec: {hostname: {{int metadata.labels.app}} }{{/if}}\n',
  };
  const made = new Map<string, Handler>([
    ["/shipped", createHandler({ release: handler, ...quiet })],
    ["/slow", createHandler({ release: handler, ...quiet })],
    ["/tokens", createHandler({ release: handler, ...quiet, callers: [] })],
    ["/broken", createHandler({ release: compileRelease([shipped, broken]), ...quiet })],
  ]);
  return (prefix) => {
    const known = made.get(prefix);
    const one = cases[Number(prefix.slice("/case/".length))];
    if (known !== undefined || one === undefined) return known;
    const { expect: _, ...input } = one;
    const created = createHandler({ release: releaseOfCase(shipped, input), ...quiet });
    made.set(prefix, created);
    return created;
  };
}

function print(argv: readonly string[]): string {
  const tool = join(projectRoot, "dist", "outrigger.mjs");
  const url = "https://abc.execute-api.eu-west-1.amazonaws.com";
  return execFileSync(process.execPath, [tool, "print", "webhook", "--json", "--url", url, ...argv], {
    encoding: "utf8",
  });
}

/** Returns what the API server lost of the pod that the patch makes, and whether a second call changed the pod. */
function judge(cases: readonly ConformanceCase[], first: ReadonlyMap<string, Exchange>, results: string) {
  return results
    .split("\n")
    .filter((line) => line !== "")
    .map((line) =>
      readRecord<Result>(line, "a line of the API server's results", {
        index: "number",
        pod: "object",
        again: "boolean",
      }),
    )
    .flatMap(({ index, pod, again }) => {
      const exchange = first.get(`/case/${index}`);
      if (exchange === undefined) return [`FAIL ${cases[index]?.name}: the webhook was not called`];
      const { request: review } = readRecord<Review>(exchange.request, "the API server's review", {
        request: "object",
      });
      const lost = lostFields(applied(review.object, patchTextOf(exchange.response)), pod);
      const findings = again ? ["a second call changed the pod", ...lost] : lost;
      return findings.length === 0 ? [] : [`FAIL ${cases[index]?.name}: ${findings.slice(0, 5).join("; ")}`];
    });
}

async function goTest(tests: string, environment: Readonly<Record<string, string>>) {
  // Where the checks do not compile, `go test` reports why.
  const [command, words] = existsSync(tests) ? [tests, ["-test.v"]] : ["go", ["test", "."]];
  const child = spawn(command, words, {
    cwd: FOLDER,
    env: { ...process.env, ...environment, GOFLAGS: "-mod=readonly" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: Uint8Array[] = [];
  // Errors of the API server's code are on the second one.
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Uint8Array) => void chunks.push(chunk));
  const status = await new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? 1)));
  const output = Buffer.concat(chunks).toString("utf8");
  const passed = (output.match(/^ *--- PASS/gm) ?? []).length;
  const failed = (output.match(/^ *--- FAIL/gm) ?? []).length;
  return { output, passed, failed: status === 0 ? failed : Math.max(failed, 1) };
}

function skip(why: string): number {
  console.log(`Skipped: the webhook is not run behind the API server's admission code, because ${why}`);
  report(0, 0);
  return 0;
}

function report(passed: number, failed: number): void {
  console.log(`${passed} checks with the API server's admission code passed, ${failed} failed`);
  if (options.report !== undefined)
    writeFileSync(options.report, JSON.stringify({ numPassedTests: passed, numFailedTests: failed }));
}
