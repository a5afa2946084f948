import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isObject, type JsonValue, objectOf } from "@outrigger/base";
import fc from "fast-check";
import { load } from "js-yaml";
import { afterAll, describe, expect, it } from "vitest";
import { versionContent, versionedStack, versionOf } from "../test/infra/support/lambda-versions.ts";
import { goldenTemplate } from "../test/infra/support/template.ts";
import { VARIANTS } from "../test/infra/support/variants.ts";
import { finishedTemplate } from "./deploy-plugin.ts";
import { codeDigests } from "./name-by-content.ts";
import { frameworkParameters, readSettings, tagsOf } from "./settings/read.ts";
import { SETTINGS } from "./settings/schema.ts";
import { decodeTemplate, type Template } from "./template.ts";

const FUNCTIONS = ["canary", "inject", "publish", "register"];
/** Content of each function's zip. */
type Code = Readonly<Record<string, string>>;
const CODE: Code = { canary: "1", inject: "1", publish: "1", register: "1" };

const directory = mkdtempSync(join(tmpdir(), "outrigger-version-"));
afterAll(() => rmSync(directory, { recursive: true }));

type Inject = Readonly<
  Record<"handler" | "memorySize" | "timeout" | "description" | "role" | "reservedConcurrency", JsonValue>
> & { readonly environment: object };

interface Service {
  /** `!If [condition, !Ref the stack's own, the name that was given]`, without its tags. */
  readonly custom: { readonly bucket: { readonly name: readonly [string, string, string] } };
  readonly provider: Readonly<Record<"runtime" | "architecture", string>> & { readonly environment: object };
  readonly functions: { readonly inject: Inject };
}

const source = readFileSync(fileURLToPath(new URL("../serverless.yml", import.meta.url)), "utf8");
const { custom, provider, functions } = load(source.replaceAll(/!\w+(?=\s)/g, "")) as Service;

/** The inject function as serverless.yml has it and as the framework compiles it, with its version, and the plugin's finish. */
function templateOf(params: readonly string[], code: Code = CODE): Template {
  const settings = readSettings({ stage: "dev", params, readText: () => undefined });
  const parameters = frameworkParameters(settings);
  const [, ownBucket] = custom.bucket.name;
  const { releaseBucket } = parameters;
  const bucket = releaseBucket === "create" ? { Ref: ownBucket } : String(releaseBucket);
  const filled = JSON.stringify({
    ...functions.inject,
    environment: { ...provider.environment, ...functions.inject.environment },
  })
    .replaceAll(/"\$\{param:(\w+)\}"/g, (_, name: string) => JSON.stringify(parameters[name]))
    .replaceAll(/"\$\{self:custom\.bucket\.name\}"/g, () => JSON.stringify(bucket))
    .replaceAll(/\$\{sls:stage\}/g, "dev");
  const inject: Inject = JSON.parse(filled);
  const variables = Object.entries(inject.environment);
  for (const name of FUNCTIONS) writeFileSync(join(directory, `${name}.zip`), code[name] ?? "");
  const digests = codeDigests(directory, FUNCTIONS);
  const hook = { Type: "Custom::OutriggerCheck", Properties: { Code: digests.all } };
  const properties = {
    Code: { S3Key: `${randomUUID()}/inject.zip` },
    Handler: inject.handler,
    Runtime: provider.runtime,
    FunctionName: "outrigger-dev-inject",
    MemorySize: inject.memorySize,
    Timeout: inject.timeout,
    Architectures: [provider.architecture],
    Description: inject.description,
    Tags: Object.entries(tagsOf(settings)).map(([Key, Value]) => ({ Key, Value })),
    Environment: {
      Variables: Object.fromEntries(variables.map(([name, value]) => [name, isObject(value) ? value : String(value)])),
    },
    Role: { "Fn::Sub": inject.role },
    ReservedConcurrentExecutions: inject.reservedConcurrency,
  };
  const Resources = {
    InjectLambdaFunction: { Type: "AWS::Lambda::Function", Properties: properties },
    InjectVersion: { Type: "AWS::Lambda::Version", Properties: { CodeSha256: digests.inject } },
    CheckRelease: hook,
    PublishRelease: hook,
  };
  return finishedTemplate(decodeTemplate({ Resources }), settings);
}

/** A value of each setting that is not its default: those of the variants, which turn every setting, and those of two more. */
const OTHER = new Map(
  [
    ...VARIANTS.flatMap(({ parameters }) => parameters),
    ...["alarms=silent", "environment=prod", "guardrails=baseline", "hold=everyday", "mesh=none"],
  ].map((parameter) => [parameter.split("=")[0] ?? "", parameter] as const),
);

const idOf = (template: Template) => versionOf(template)[0];

describe("nameVersion()", () => {
  it.each(VARIANTS.map(({ name, parameters }) => [name, parameters] as const))(
    "sees the function of %s",
    (name, params) => {
      const { Code: _, ...golden } = goldenTemplate(name).Resources["InjectLambdaFunction"]?.Properties ?? {};
      const { Code: __, ...own } = templateOf(params).Resources["InjectLambdaFunction"]?.Properties ?? {};
      expect(own).toEqual(golden);
    },
  );

  it.each(SETTINGS.map(({ name }) => name))("publishes for %s if and only if Lambda would", (name) => {
    const other = OTHER.get(name);
    if (other === undefined) throw new Error(`${name} has no other value here`);
    const [before, after] = [templateOf([]), templateOf([other])];
    const isNew = JSON.stringify(versionContent(before)) !== JSON.stringify(versionContent(after));
    expect(idOf(after) !== idOf(before)).toBe(isNew);
    expect(isNew).toBe(["memory", "ttl", "guardrails", "bundledFallback", "clusterLatency", "tracing"].includes(name));
  });

  it.each(FUNCTIONS)("publishes for other code of %s if and only if Lambda would", (name) => {
    const [before, after] = [templateOf([]), templateOf([], { ...CODE, [name]: "2" })];
    expect(idOf(after) !== idOf(before)).toBe(name === "inject");
    const hook = (template: Template) => template.Resources["PublishRelease"]?.Properties;
    expect(hook(after)).not.toEqual(hook(before));
  });

  it("gives the same name to properties and variables in another order", () => {
    const template = templateOf([]);
    const reversed = (value: object) => Object.fromEntries(Object.entries(value).reverse());
    const { InjectLambdaFunction: inject } = template.Resources;
    const { Environment, ...properties } = inject?.Properties ?? {};
    const Variables = reversed(objectOf(objectOf(Environment)["Variables"]));
    const Properties = reversed({ ...properties, Environment: { Variables } });
    const settings = readSettings({ stage: "dev", params: [], readText: () => undefined });
    const { [idOf(template)]: InjectVersion, ...others } = template.Resources;
    const Resources = { ...others, InjectVersion, InjectLambdaFunction: { ...inject, Properties } };
    expect(idOf(finishedTemplate(decodeTemplate({ Resources }), settings))).toBe(idOf(template));
  });

  it("lets any deploy follow any other", () => {
    const params = fc.subarray([...OTHER.values()]);
    const versions = fc.constantFrom("1", "2");
    const code = fc.record(Object.fromEntries(FUNCTIONS.map((name) => [name, versions])));
    fc.assert(
      fc.property(fc.array(fc.tuple(params, code), { minLength: 2, maxLength: 5 }), (deploys) => {
        const deploy = versionedStack();
        for (const [chosen, built] of deploys) deploy(templateOf(chosen, built));
      }),
      { numRuns: 100 },
    );
  });

  it.each([["reserved=50"], ["reserved=0"], ["tags=team=platform"]])("lets %s follow the defaults", (param) => {
    const deploy = versionedStack();
    deploy(templateOf([]));
    expect(() => deploy(templateOf([param]))).not.toThrow();
  });
});
