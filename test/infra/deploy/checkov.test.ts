// checkov on every variant's template: each finding is explained, and each explanation is of a finding.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CheckovReport, EXPLAINED, findCheckov, runCheckov } from "../support/checkov.ts";
import { goldenTemplate } from "../support/template.ts";
import { VARIANTS } from "../support/variants.ts";

const checkov = findCheckov();

describe.skipIf(checkov.lacking !== undefined)(`checkov (${checkov.lacking ?? checkov.python})`, () => {
  let reports: Readonly<Record<string, CheckovReport>>;
  const files = VARIANTS.map(({ name }) => `${name}.yml`);
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "outrigger-checkov-"));
    const paths = files.map((file) => join(directory, file));
    // JSON is YAML.
    for (const [at, { name }] of VARIANTS.entries())
      writeFileSync(paths[at] ?? "", JSON.stringify(goldenTemplate(name), undefined, 1));
    reports = await runCheckov(checkov.python, paths);
  }, 300_000);
  afterAll(() => rmSync(directory, { recursive: true }));

  it("reads every variant", () => {
    expect(Object.keys(reports).sort()).toEqual(files.toSorted());
    for (const { passed } of Object.values(reports)) expect(passed).toBeGreaterThan(60);
  });

  it("finds nothing that is not explained", () => {
    const found = Object.entries(reports).flatMap(([file, { failed }]) =>
      failed.map(([check, resource, name]) => ({ file, check, id: resource.split(".").at(-1) ?? "", name })),
    );
    expect(found.filter(({ check, id }) => !new RegExp(EXPLAINED[check]?.resources ?? "$^").test(id))).toEqual([]);
  });

  it("finds everything that is explained", () => {
    const checks = new Set(Object.values(reports).flatMap(({ failed }) => failed.map(([check]) => check)));
    const steady = Object.entries(EXPLAINED).filter(([, { isUnsteady }]) => isUnsteady !== true);
    expect(steady.filter(([check]) => !checks.has(check)).map(([check]) => check)).toEqual([]);
  });
});
