// What `serverless package` makes of each variant, with no credentials and no network: the template that is deployed, kept
// as a golden file. UPDATE_GOLDEN=1 writes them again.
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeTemplate } from "../../../infra/template.ts";
import { findCfnLint, lintTemplates } from "../support/cfn-lint.ts";
import { versionedStack, versionOf } from "../support/lambda-versions.ts";
import { builtServiceDirectory, offlineEnvironment, runServerless } from "../support/serverless.ts";
import { goldenTemplate, normalisedTemplate, writeGolden } from "../support/template.ts";
import { VARIANTS, type Variant, variantWords } from "../support/variants.ts";

const linter = findCfnLint();

let directory: string;
let service: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-package-"));
  service = builtServiceDirectory(directory);
});

afterAll(() => rmSync(directory, { recursive: true }));

function packageVariant(variant: Variant) {
  const words = ["package", "--package", join(directory, variant.name), ...variantWords(variant)];
  return runServerless(words, service, offlineEnvironment(directory));
}

function templateFile(name: string): string {
  return join(directory, name, "cloudformation-template-update-stack.json");
}

describe("serverless package", () => {
  it.each(VARIANTS.map((variant) => [variant.name, variant] as const))(
    "makes the template of %s in test/infra/golden, offline",
    async (name, variant) => {
      const { status, output } = await packageVariant(variant);
      expect(status, output).toBe(0);
      const template = normalisedTemplate(readFileSync(templateFile(name), "utf8"));
      if (process.env["UPDATE_GOLDEN"] === "1") writeGolden(name, template);
      expect(template).toStrictEqual(goldenTemplate(name));
    },
  );

  it("names a version of Lambda so that any of them can follow any other, with Lambda's rule for versions", async () => {
    const unlike = { name: "reserved", parameters: ["reserved=50", "tags=team=platform"] };
    const { status, output } = await packageVariant(unlike);
    expect(status, output).toBe(0);
    const templates = [...VARIANTS, unlike].map(({ name }) =>
      decodeTemplate(JSON.parse(readFileSync(templateFile(name), "utf8"))),
    );
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

  it("refuses settings before it packages anything, and says the fix", async () => {
    const parameters = ["sources=203.0.113.0/24", "aip=rest", "memory=lots"];
    const { status, output } = await packageVariant({ name: "refused", parameters });
    expect(status).not.toBe(0);
    expect(output).toContain("Cannot use sources with api=http: only a REST API checks who calls");
    expect(output).toContain("Cannot use the setting aip of --param: it is not a setting; the nearest is api");
    expect(output).toContain("Cannot use memory=lots: it must be a whole number from 256 to 10240");
    expect(existsSync(join(directory, "refused"))).toBe(false);
  });

  it("refuses to continue without a Region", async () => {
    const words = ["package", "--package", join(directory, "nowhere")];
    const { status, output } = await runServerless(words, service, offlineEnvironment(directory));
    expect(status).not.toBe(0);
    expect(output).toContain("no Region is given. Use --region, or set AWS_REGION");
  });

  it("takes the settings of the stage's file, and of --param over them", async () => {
    writeFileSync(join(service, "outrigger.prod.yml"), "reserved: 300\nttl: 30\n");
    const words = ["package", "--stage", "prod", "--package", join(directory, "prod")];
    const env = { ...offlineEnvironment(directory), AWS_DEFAULT_REGION: "eu-west-1" };
    const { status, output } = await runServerless([...words, "--param", "ttl=20"], service, env);
    expect(status, output).toBe(0);
    const { Resources, Metadata } = JSON.parse(readFileSync(templateFile("prod"), "utf8"));
    const { ReservedConcurrentExecutions, Environment } = Resources.InjectLambdaFunction.Properties;
    expect([ReservedConcurrentExecutions, Environment.Variables.OUTRIGGER_TTL_SECONDS]).toEqual([300, "20"]);
    expect(Metadata).toEqual({ Outrigger: { Settings: { reserved: "300", ttl: "20" } } });
    expect(output).toContain("eu-west-1");
  });
});

describe.skipIf(linter.lacking !== undefined)(`cfn-lint (${linter.lacking ?? linter.command})`, () => {
  it("finds no error in any of them, for a commercial, a China and a GovCloud Region", async () => {
    const files = VARIANTS.map(({ name }) => templateFile(name));
    expect(await lintTemplates(linter.command, ["us-east-1", "cn-north-1", "us-gov-west-1"], files)).toBe("");
  }, 300_000);

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
    expect(await lintTemplates(linter.command, ["eu-west-1"], files)).toBe("");
    // It is not silent about everything.
    const wrong = join(folder, "wrong.yml");
    writeFileSync(
      wrong,
      blocks.map(({ text }) => text.replace("Type: CLOUDWATCH_METRIC", "Kind: CLOUDWATCH_METRIC")).join(""),
    );
    expect(await lintTemplates(linter.command, ["eu-west-1"], [wrong])).toContain("Kind");
    rmSync(folder, { recursive: true });
  }, 100_000);
});
