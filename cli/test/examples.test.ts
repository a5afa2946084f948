// Each example tree: linted without a warning, tested with every branch taken, and written as a user starts from it.
import { join } from "node:path";
import type { Release } from "@outrigger/injector";
import { branchCoverage, lintSource, loadRelease } from "@outrigger/injector";
import { readExamples, readSourceTree } from "@outrigger/publisher";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { expectRows } from "../../test/support/page-rows.ts";
import { runTest } from "../tree/run-tests.ts";
import { readTestCases } from "../tree/test-cases.ts";

const ROOT = join(import.meta.dirname, "../..");
const examples = await readExamples(join(ROOT, "docs/examples"));

describe("the examples", () => {
  it.each(examples)("have no warning in $name, and its tests take every branch", async ({ name, tree }) => {
    const { findings, release } = lintSource([await readSourceTree(join(ROOT, "templates")), tree]);
    expect(findings).toEqual([]);
    const coverage = branchCoverage(release as Release, loadRelease(release as Release), new Set(Object.keys(tree)));
    const cases = await readTestCases(join(ROOT, "docs/examples", name));
    expect(cases).not.toEqual([]);
    for (const each of cases) expect(await runTest(each, coverage.injector, false)).toMatchObject({ detail: "" });
    expect(coverage.missed()).toEqual([]);
  });
});

describe("outrigger new example", () => {
  let cli: ReturnType<typeof fakeCli>;
  beforeAll(() => {
    cli = fakeCli(fakeAws().connect, SHIPPED);
  });
  afterAll(() => cli.remove("."));

  it("lists what docs/templates.md lists", async () => {
    const { out } = await cli.run("new example");
    for (const { name } of examples) expect(out).toContain(`${name} `);
    const rows = examples.map(({ name, summary }) => [`[\`${name}\`](examples/${name})`, summary]);
    expectRows({ page: "docs/templates.md", name: "examples", headings: ["name", "what"], rows });
    expect(await cli.json("new example")).toEqual(
      examples.map(({ name, title, summary }) => ({ name, title, summary })),
    );
  });

  it("writes a tree that lints without a warning and passes its tests", async () => {
    const written = await cli.run("new example otel-collector --dir tree");
    expect(written).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^Wrote \d+ files to tree\n/) });
    expect(await cli.run("lint tree --strict")).toMatchObject({ code: 0, err: "" });
    expect(await cli.run("test tree")).toMatchObject({ code: 0, out: expect.stringContaining("2 of 2 tests passed") });
  });

  it("writes nothing over a file that exists, and names what it does not know", async () => {
    cli.write("own/config.yaml", "policy: disabled\n");
    const { code, err } = await cli.run("new example spire --dir own");
    expect([code, err]).toEqual([2, expect.stringContaining("Cannot write config.yaml: it exists already")]);
    expect(() => cli.read("own/README.md")).toThrow("ENOENT");
    expect(await cli.run("new example spyre --dir other")).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean "spire"'),
    });
  });
});
