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
import { guardrailEntries, isOnShelf } from "../tree/take-example.ts";
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

describe("the shelf", () => {
  const shelf = examples.filter(isOnShelf);
  let cli: ReturnType<typeof fakeCli>;
  beforeAll(() => {
    cli = fakeCli(fakeAws().connect);
  });
  afterAll(() => cli.remove("."));

  it("has the sidecars that teams ask for first", () => {
    expect(shelf.map(({ name }) => name)).toEqual([
      "cloudwatch-agent",
      "config-reloader",
      "datadog-agent",
      "envoy",
      "log-shipper",
      "otel-collector",
      "pgbouncer",
      "vault-agent",
    ]);
  });

  it.each(shelf)("$name lints strictly with the entries that are printed", async ({ name }) => {
    const tree = `none-${name}`;
    cli.write(`${tree}/config.yaml`, "# ours\nmesh: none\n");
    const { code, out } = await cli.run(`new template --from ${name} --dir ${tree}`);
    expect(code).toBe(0);
    expect(cli.read(`${tree}/config.yaml`)).toMatch(
      /^# ours\nmesh: none\n(injectedAnnotations:\n.*\n)?defaultTemplates:/,
    );
    const [, entries = ""] = /settings, add: (.*)$/m.exec(out) ?? [];
    expect(entries).toMatch(/\bcontainer:\S+ image:/);
    const closed = "baseline,image:none,secret:none,configMap:none,audience:none,csi:none";
    const lint = (guardrails: string) => cli.run(`lint ${tree} --strict --guardrails`, guardrails);
    expect(await lint(`${closed},${entries}`)).toMatchObject({ code: 0, err: "" });
    for (const entry of entries.split(",")) {
      const without = entries.split(",").filter((one) => one !== entry);
      expect((await lint([closed, ...without].join(","))).code, `without ${entry}`).toBe(1);
    }
    expect((await cli.run(`test ${tree}`)).out).toMatch(/^(\d+) of \1 tests passed$/m);
  });

  it.each(shelf)("$name, for the pods with a label: its samples and tests have it", async ({ name }) => {
    const tree = `labelled-${name}`;
    cli.write(`${tree}/config.yaml`, "mesh: none\n");
    const { code, out } = await cli.run(`new template --from ${name} --pod-label team/logs=yes --dir ${tree}`);
    expect([code, out]).toEqual([0, expect.stringContaining(`config.yaml gives ${name} to pods with team/logs=yes\n`)]);
    expect(cli.read(`${tree}/config.yaml`)).toContain(
      `- name: ${name}\n  match:\n    podLabels:\n      team/logs: "yes"\n`,
    );
    expect(await cli.run(`lint ${tree} --strict`)).toMatchObject({ code: 0, err: "" });
    expect((await cli.run(`test ${tree}`)).out).toMatch(/^(\d+) of \1 tests passed$/m);
  });

  it("asks by the label of the tree in the samples and tests of a sidecar of the shelf", async () => {
    const label = "sidecars.example.com/inject";
    cli.write("own-label/config.yaml", `mesh: none\ninjectionLabel: ${label}\n`);
    expect(await cli.run("new template --from vault-agent --dir own-label")).toMatchObject({ code: 0 });
    for (const file of ["samples/vault-agent-web.yaml", "tests/vault-agent-job/pod.yaml"]) {
      expect(cli.read(`own-label/${file}`)).toContain(`${label}: "true"`);
      expect(cli.read(`own-label/${file}`)).not.toContain("istio");
    }
    expect((await cli.run("test own-label")).out).toMatch(/^(\d+) of \1 tests passed$/m);
  });

  it("takes labels for a sidecar of the shelf alone, and names a label without a value", async () => {
    expect((await cli.run("new template mine --pod-label a=b")).err).toContain("Cannot use --pod-label without --from");
    expect((await cli.run("new template --from envoy --pod-label a")).err).toContain(
      "Cannot use --pod-label a: write key=value, as in logs=yes",
    );
  });

  it.each(shelf)("$name has resources, by values", ({ name, tree, files }) => {
    const texts = Object.entries(tree).filter(([path]) => /^(templates|partials)/.test(path));
    const all = texts.map(([, text]) => text).join("");
    expect(all, name).toMatch(/^ +resources: \{\{/m);
    expect(tree["schema"], name).toContain("additionalProperties: false");
    expect(Object.values(files).join(""), name).toMatch(/limits: \{.*memory/);
  });

  it.each(shelf)("$name passes its tests beside Istio's sidecar, which stays", async ({ name }) => {
    const tree = `mesh-${name}`;
    cli.write(`${tree}/values/10-mine.yaml`, "global: {logAsJson: true}\n");
    expect(await cli.run(`new template --from ${name} --dir ${tree}`)).toMatchObject({ code: 0 });
    expect(cli.read(`${tree}/config.yaml`)).toMatch(/^defaultTemplates:\n- sidecar\n/);
    expect((await cli.run(`lint ${tree}`)).code).toBe(0);
    expect((await cli.run(`test ${tree}`)).out).toMatch(/^(\d+) of \1 tests passed$/m);
  });

  it("takes several, whose schemas are one, and names what is there", async () => {
    cli.write("both/config.yaml", "mesh: none\n");
    await cli.run("new template --from envoy --dir both");
    await cli.run("new template --from pgbouncer --dir both");
    expect((await cli.run("test both")).code).toBe(0);
    cli.write("both/values/50-mine.yaml", "envoy: {logLevel: loud}\npgbouncer: {port: 0}\n");
    const { out } = await cli.run("lint both");
    expect(out).toContain("logLevel");
    expect(out).toContain("port");
    const again = await cli.run("new template --from envoy --dir both");
    expect([again.code, again.err]).toEqual([2, expect.stringContaining("it exists already")]);
    const other = await cli.run("new template --from istio-sidecar --dir both");
    expect([other.code, other.err]).toEqual([
      2,
      expect.stringContaining("there are cloudwatch-agent, config-reloader"),
    ]);
  });

  it("needs no more than is printed", () => {
    const pgbouncer = examples.find(({ name }) => name === "pgbouncer");
    expect(guardrailEntries(pgbouncer ?? { tree: {} }, {})).toEqual([
      "container:pgbouncer image:edoburu/pgbouncer:*",
      "container:pgbouncer secret:database",
      "field:spec.containers[*].env[PGHOST]",
      "field:spec.containers[*].env[PGPORT]",
    ]);
  });
});
