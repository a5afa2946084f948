// What `serverless package` makes of each variant, with no credentials and no network: the template that is deployed, kept
// as a golden file. UPDATE_GOLDEN=1 writes them anew.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findCfnLint, lintTemplates } from "../support/cfn-lint.ts";
import { offlineEnvironment, parameterWords, runServerless, serviceDirectory } from "../support/serverless.ts";
import { goldenFile, normalisedTemplate } from "../support/template.ts";
import { VARIANTS } from "../support/variants.ts";

const linter = findCfnLint();

let directory: string;
let service: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-package-"));
  service = serviceDirectory(directory);
});

afterAll(() => rmSync(directory, { recursive: true }));

function packageVariant(name: string, parameters: readonly string[]) {
  const words = ["package", "--package", join(directory, name), ...parameterWords(parameters)];
  return runServerless(words, service, offlineEnvironment(directory));
}

function templateFile(name: string): string {
  return join(directory, name, "cloudformation-template-update-stack.json");
}

describe("serverless package", () => {
  it.each(VARIANTS.map(({ name, parameters }) => [name, parameters] as const))(
    "makes test/infra/golden/%s.yml, offline",
    async (name, parameters) => {
      const { status, output } = await packageVariant(name, parameters);
      expect(status, output).toBe(0);
      const template = normalisedTemplate(readFileSync(templateFile(name), "utf8"));
      if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(goldenFile(name), template);
      expect(template).toBe(readFileSync(goldenFile(name), "utf8"));
    },
  );

  it("says what is wrong with parameters, and the way out", async () => {
    const { status, output } = await packageVariant("refused", ["api=soap"]);
    expect(status).not.toBe(0);
    expect(output).toContain('Cannot deploy the API "soap": use --param api=http, rest or private');
  });
});

describe.skipIf(linter.lacking !== undefined)(`cfn-lint (${linter.lacking ?? linter.command})`, () => {
  it("finds no error in any of them", async () => {
    expect(
      await lintTemplates(
        linter.command,
        VARIANTS.map(({ name }) => templateFile(name)),
      ),
    ).toBe("");
  });
});
