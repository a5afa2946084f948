// What `serverless package` makes of each variant, with no credentials and no network: the template that is deployed, kept
// as a golden file. UPDATE_GOLDEN=1 writes them again.
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeTemplate } from "../../../infra/template.ts";
import { findPython } from "../../support/find-python.ts";
import { turnOf } from "../../support/in-turn.ts";
import { versionedStack, versionOf } from "../support/lambda-versions.ts";
import { type LineServer, startLineServer } from "../support/line-server.ts";
import {
  builtServiceDirectory,
  type CommandResult,
  offlineEnvironment,
  runServerlessOften,
} from "../support/serverless.ts";
import { goldenTemplate, normalisedTemplate, writeGolden } from "../support/template.ts";
import { EDGES, REFUSED, VARIANTS, type Variant, variantWords } from "../support/variants.ts";

const linter = findPython("cfn-lint");
/** One of each partition. */
const REGIONS = ["us-east-1", "cn-north-1", "us-gov-west-1"];

/** A variant that is kept for the version of Lambda: it is the default's. */
const UNLIKE: Variant = { name: "reserved", parameters: ["reserved=50", "tags=team=platform"] };
const ALL = [...VARIANTS, UNLIKE, ...EDGES, ...REFUSED];
/** Runs with words and an environment of their own. */
const OTHERS = [
  { name: "nowhere", words: [] },
  { name: "prod", words: ["--stage", "prod", "--param", "ttl=20"], env: { AWS_DEFAULT_REGION: "eu-west-1" } },
];

let directory: string;
let service: string;
let results: ReadonlyMap<string, CommandResult>;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-package-"));
  service = builtServiceDirectory(directory);
  writeFileSync(join(service, "outrigger.prod.yml"), "reserved: 300\nttl: 30\n");
  const runs = [...ALL.map((variant) => ({ name: variant.name, words: variantWords(variant) })), ...OTHERS];
  const all = await runServerlessOften(
    runs.map(({ name, words, ...env }) => ({
      words: ["package", "--package", join(directory, name), ...words],
      ...env,
    })),
    service,
    offlineEnvironment(directory),
  );
  results = new Map(runs.map(({ name }, index) => [name, all[index] as CommandResult]));
});

afterAll(() => rmSync(directory, { recursive: true }));

function templateFile(name: string): string {
  return join(directory, name, "cloudformation-template-update-stack.json");
}

/** The text of the template that was made. */
function packaged(name: string): string {
  const { status, output } = results.get(name) ?? {};
  expect(status, output).toBe(0);
  return readFileSync(templateFile(name), "utf8");
}

describe("serverless package", () => {
  it.each(VARIANTS.map(({ name }) => name))("makes the template of %s in test/infra/golden, offline", (name) => {
    const template = normalisedTemplate(packaged(name));
    if (process.env["UPDATE_GOLDEN"] === "1") writeGolden(name, template);
    expect(template).toStrictEqual(goldenTemplate(name));
  });

  it.each(EDGES)("makes a template that CloudFormation takes of $name", ({ name, stage = "dev", region }) => {
    const text = packaged(name);
    const { Resources } = decodeTemplate(JSON.parse(text));
    expect(text.length).toBeLessThan(1_000_000);
    expect(Object.keys(Resources).length).toBeLessThanOrEqual(500);
    expect(Resources["InjectLambdaFunction"]?.Properties?.["FunctionName"]).toBe(`outrigger-${stage}-inject`);
    expect(region === undefined || !text.includes("us-east-1")).toBe(true);
    const names = Object.values(Resources).flatMap(({ Properties = {} }) =>
      ["FunctionName", "RoleName", "Name"].flatMap((key) => Properties[key] ?? []),
    );
    expect(names.filter((one) => typeof one === "string" && one.length > 64)).toEqual([]);
  });

  it.each(REFUSED)("refuses before it packages anything, and says the fix: $name", ({ name, said }) => {
    const { status, output } = results.get(name) ?? {};
    expect(status).not.toBe(0);
    for (const words of said) expect(output).toContain(words);
    expect(existsSync(join(directory, name))).toBe(false);
  });

  it("names a version of Lambda so that any of them can follow any other, with Lambda's rule for versions", () => {
    const templates = [...VARIANTS, UNLIKE].map(({ name }) => decodeTemplate(JSON.parse(packaged(name))));
    const zip = readFileSync(join(service, "artifacts", "inject.zip"));
    const digest = createHash("sha256").update(zip).digest("base64");
    for (const before of templates) {
      expect(versionOf(before)[1]["CodeSha256"]).toBe(digest);
      for (const after of templates) {
        const deploy = versionedStack();
        deploy(before);
        deploy(after);
      }
    }
  });

  it("refuses to continue without a Region", () => {
    const { status, output } = results.get("nowhere") ?? {};
    expect(status).not.toBe(0);
    expect(output).toContain("no Region is given. Use --region, or set AWS_REGION");
  });

  it("takes the settings of the stage's file, and of --param over them", () => {
    const { Resources, Metadata } = JSON.parse(packaged("prod"));
    const { ReservedConcurrentExecutions, Environment } = Resources.InjectLambdaFunction.Properties;
    expect([ReservedConcurrentExecutions, Environment.Variables.OUTRIGGER_TTL_SECONDS]).toEqual([300, "20"]);
    expect(Metadata).toEqual({ Outrigger: { Settings: { reserved: "300", ttl: "20", releaseBucket: "create" } } });
    expect(results.get("prod")?.output).toContain("eu-west-1");
  });
});

describe.skipIf(linter.lacking !== undefined)(`cfn-lint (${linter.lacking ?? "found"})`, () => {
  let server: LineServer;
  beforeAll(() => {
    server = startLineServer(linter.python, "lint-templates.py");
  });
  afterAll(() => server.end());
  /** The errors that cfn-lint reports; empty if there are none. Warnings do not count. */
  const lintTemplates = (regions: readonly string[], files: readonly string[]) => server.ask({ regions, files });

  it("finds no error in half of them in turn, in a commercial, a China or a GovCloud Region, or in those of long names", async () => {
    const halves = REGIONS.flatMap((region) =>
      [0, 1].map((half) => ({ region, linted: VARIANTS.filter((_, index) => index % 2 === half) })),
    );
    const shares = [...halves, { region: "us-east-1", linted: EDGES.filter(({ stage }) => stage !== undefined) }];
    const turn = turnOf("Templates and Regions of cfn-lint", shares.length);
    for (const { region, linted } of shares.filter((_, index) => turn.has(index))) {
      const files = linted.map(({ name }) => templateFile(name));
      expect(files.length).toBeGreaterThan(1);
      expect(await lintTemplates([region], files)).toBe("");
    }
  });

  it("finds no error in a template of the docs", async () => {
    const pages = readdirSync("docs").filter((page) => page.endsWith(".md"));
    const blocks = pages.flatMap((page) =>
      [...readFileSync(join("docs", page), "utf8").matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].flatMap(([, text = ""]) =>
        /^Resources:$/m.test(text) ? [{ page, text }] : [],
      ),
    );
    expect(blocks.map(({ page }) => page)).toContain("replica.md");
    const folder = mkdtempSync(join(tmpdir(), "outrigger-docs-"));
    const files = blocks.map(({ text }, index) => {
      const file = join(folder, `${index}.yml`);
      writeFileSync(file, text);
      return file;
    });
    expect(await lintTemplates(["eu-west-1"], files)).toBe("");
    // It is not silent about everything.
    const wrong = join(folder, "wrong.yml");
    const replica = blocks.find(({ page }) => page === "replica.md")?.text ?? "";
    writeFileSync(wrong, replica.replace("Type: CLOUDWATCH_METRIC", "Kind: CLOUDWATCH_METRIC"));
    expect(await lintTemplates(["eu-west-1"], [wrong])).toContain("Kind");
    rmSync(folder, { recursive: true });
  });
});
