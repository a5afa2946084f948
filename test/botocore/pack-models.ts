// `node --import tsx test/botocore/pack-models.ts --help` prints the options. Fetches botocore from PyPI (Apache-2.0) and takes out of it what the
// tests here need: the request shapes of the operations that are called, and AWS's Signature Version 4 test suite. Run it
// after the list below changes, or for a newer botocore.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { toolOptions } from "../../tools/support/tool-options.ts";
import type { Model, Shape, SignatureCase } from "./model.ts";

const VERSION = "1.44.5";
/** Service → its folder, and the operations that Outrigger calls. */
const SERVICES: Readonly<Record<string, readonly [folder: string, operations: readonly string[]]>> = {
  ssm: [
    "ssm/2014-11-06",
    [
      "DeleteParameters",
      "DescribeParameters",
      "GetParameter",
      "GetParameterHistory",
      "GetParameters",
      "GetParametersByPath",
      "PutParameter",
      "UnlabelParameterVersion",
    ],
  ],
  lambda: ["lambda/2015-03-31", ["GetFunctionConfiguration", "Invoke"]],
  eks: ["eks/2017-11-01", ["DescribeCluster"]],
  sts: ["sts/2011-06-15", ["GetCallerIdentity"]],
  iam: ["iam/2010-05-08", ["ListEntitiesForPolicy"]],
  cloudformation: ["cloudformation/2010-05-15", ["DescribeStacks", "GetTemplate", "ListStackResources"]],
  cloudwatch: ["cloudwatch/2010-08-01", ["DeleteAlarms", "DescribeAlarms", "GetMetricData", "PutMetricAlarm"]],
  logs: ["logs/2014-03-28", ["DescribeMetricFilters"]],
  s3: ["s3/2006-03-01", ["DeleteObject", "GetObject", "ListObjectVersions", "ListObjectsV2", "PutObject"]],
  apigatewayv2: ["apigatewayv2/2018-11-29", ["DeleteRouteSettings", "GetStage", "UpdateStage"]],
};

toolOptions({
  command: "node --import tsx test/botocore/pack-models.ts",
  says: "Fetches botocore from PyPI, and takes out of it what the tests of test/botocore need. Needs Python with pip.",
  example: "node --import tsx test/botocore/pack-models.ts",
});
const place = join(projectRoot, ".runtime", `botocore-${VERSION}`);
const source = join(place, `botocore-${VERSION}`);
mkdirSync(place, { recursive: true });
const pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", place];
execFileSync("python3", [...pip, `botocore==${VERSION}`], { stdio: "inherit" });
execFileSync("tar", ["xzf", `botocore-${VERSION}.tar.gz`], { cwd: place });

const models = Object.fromEntries(
  Object.entries(SERVICES).map(([service, [folder, operations]]) => [service, modelOf(folder, operations)]),
);
write("models.json", { source: `botocore ${VERSION} (Apache-2.0)`, models });
write("signatures.json", { source: `botocore ${VERSION}, aws4_testsuite (Apache-2.0)`, cases: signatureCases() });

function modelOf(folder: string, names: readonly string[]): Model {
  const file = join(source, "botocore/data", folder, "service-2.json");
  const { metadata, operations, shapes } = JSON.parse(readFileSync(file, "utf8"));
  const used: Record<string, Shape> = {};
  const take = (name: string): void => {
    if (used[name] !== undefined) return;
    const { documentation: _, exception: __, deprecated: ___, ...shape } = shapes[name];
    used[name] = withoutDocumentation(shape) as Shape;
    const { members = {}, member, key, value } = shape;
    for (const { shape: next } of [...(Object.values(members) as Shape[]), member, key, value]
      .filter((child) => child !== undefined)
      .map((child) => child as { readonly shape: string })) {
      take(next);
    }
  };
  const taken = names.map((name) => {
    const { http, input } = operations[name];
    if (input !== undefined) take(input.shape);
    return [name, { http, input: input?.shape }] as const;
  });
  const { apiVersion, protocol, targetPrefix, signingName, endpointPrefix } = metadata;
  return {
    apiVersion,
    protocol,
    targetPrefix,
    signingName: signingName ?? endpointPrefix,
    operations: Object.fromEntries(taken),
    shapes: used,
  };
}

function withoutDocumentation(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDocumentation);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key, child]) => key !== "documentation" || typeof child !== "string");
  return Object.fromEntries(entries.map(([key, child]) => [key, withoutDocumentation(child)]));
}

function signatureCases(): readonly SignatureCase[] {
  const suite = join(source, "tests/unit/auth/aws4_testsuite");
  const cases: SignatureCase[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) visit(join(folder, entry.name));
      else if (entry.name.endsWith(".req")) {
        const name = entry.name.slice(0, -4);
        const text = (kind: string) => readFileSync(join(folder, `${name}.${kind}`), "utf8").replaceAll("\r", "");
        cases.push({ name, request: text("req"), canonical: text("creq"), toSign: text("sts"), header: text("authz") });
      }
    }
  };
  visit(suite);
  return cases;
}

function write(name: string, content: object): void {
  writeFileSync(join(projectRoot, "test/botocore", name), `${JSON.stringify(content)}\n`);
}
