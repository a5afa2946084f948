import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";
import { fakeIo } from "../../../test/cli/fake-io.ts";
import { main } from "../../main.ts";

/** Patience with a busy machine, not a time that anything takes. */
const WITHIN = { timeout: 60_000, interval: 20 };

const TEMPLATE = `{{#if metadata.labels.agent}}
spec:
  containers:
  - name: agent
    image: agent:1
{{/if}}
`;
const POD = "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";

describe("outrigger test", () => {
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    cli = fakeCli(fakeAws().connect, SHIPPED);
    cli.write("tree/templates/agent.hbs", TEMPLATE);
    cli.write("tree/config.yaml", "mesh: none\ndefaultTemplates: [agent]\n");
    cli.write("tree/tests/web/pod.yaml", POD.replace("{name: web}", "{name: web, labels: {agent: 'yes'}}"));
  });
  afterEach(() => cli.remove("."));

  it("passes when the result has the expected fields, and names the branch that no test takes", async () => {
    cli.write("tree/tests/web/expected.yaml", "spec: {containers: [{name: agent, image: 'agent:1'}]}\n");
    const { code, out, err } = await cli.run("test tree");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe(
      "ok   web\ntemplates/agent.hbs:1:1: warning: the branch {{#if}} at line 1 was never false in any test\n1 of 2 branches taken\n1 of 1 tests passed\n",
    );
  });

  it("prints the results for machines", async () => {
    cli.write("tree/tests/web/expected.yaml", "spec: {containers: [{name: agent, image: 'agent:2'}]}\n");
    const { code, out } = await cli.run("test tree -o json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      tests: [{ name: "web", outcome: "failed", detail: expect.stringContaining("agent:2") }],
      branches: { taken: 1, all: 2, missed: [{ path: "templates/agent", line: 1 }] },
    });
    cli.remove("tree/tests");
    expect(await cli.run("test tree -o yaml")).toMatchObject({ code: 0, out: "tests: []\n" });
  });

  it("counts blocks that the argument of a partial decides", async () => {
    cli.write(
      "tree/partials/agent.hbs",
      [
        "{{#if port}}\nmetadata: {annotations: {a: 'yes'} }\n{{else}}\nspec: {priority: 1}\n{{/if}}\n",
        "{{#unless port}}\n{{/unless}}\n",
        "{{#with name}}\n{{/with}}\n",
        "{{#each name}}\n{{/each}}\n",
      ].join(""),
    );
    cli.write("tree/templates/agent.hbs", "{{> agent port=1 name='a'}}\n{{> agent port=false name=''}}\n");
    cli.write("tree/tests/web/decision", "injected\n");
    expect((await cli.run("test tree")).out).toBe(
      "ok   web\npartials/agent.hbs:10:1: warning: the branch {{#each}} at line 10 had no item in any test\n7 of 8 branches taken\n1 of 1 tests passed\n",
    );
  });

  it("fails with a diff of the fields that differ", async () => {
    cli.write("tree/tests/web/expected.yaml", "spec: {containers: [{name: agent, image: 'agent:2'}]}\n");
    const { code, out, err } = await cli.run("test tree");
    expect(code).toBe(1);
    expect(out).toMatch(/^FAIL web:\n[\s\S]*-.*agent:2\n.*\+.*agent:1\n/);
    expect(err).toBe("Cannot pass: 1 of 1 tests failed\n");
  });

  it("writes expectations that are compared whole", async () => {
    expect((await cli.run("test tree --update")).out).toMatch(/^new {2}web\n/);
    expect(cli.read("tree/tests/web/expected.yaml")).toMatch(/^# exact: /);
    expect((await cli.run("test tree")).code).toBe(0);
    cli.write("tree/templates/agent.hbs", TEMPLATE.replace("image: agent:1", "image: agent:1\n    tty: true"));
    expect((await cli.run("test tree")).code).toBe(1);
  });

  it("compares a decision and an error", async () => {
    cli.write("tree/tests/web/decision", "injected\n");
    cli.write(
      "tree/tests/out/pod.yaml",
      POD.replace("{name: web}", "{name: web, labels: {sidecar.istio.io/inject: 'false'}}"),
    );
    cli.write("tree/tests/out/decision", "skipped\n");
    cli.write(
      "tree/tests/wrong/pod.yaml",
      POD.replace("{name: web}", "{name: web, annotations: {inject.istio.io/templates: gone}}"),
    );
    cli.write("tree/tests/wrong/error", "template-unknown\n");
    const { code, out, err } = await cli.run("test tree -o junit");
    expect(err).toContain("3 of 3 tests passed");
    expect(code).toBe(0);
    expect(out).toContain('<testsuite name="outrigger" tests="3" failures="0">');
    cli.write("tree/tests/out/decision", "injected\n");
    const failed = await cli.run("test tree -o junit");
    expect(failed.err).toContain("FAIL out:\n  expected injected, got skipped");
    expect(failed.out).toContain("<failure");
  });

  it("reports every test that cannot be run, and passes none that says nothing", async () => {
    const files: Readonly<Record<string, string>> = {
      "both/decision": "injected\n",
      "both/error": "pod-invalid\n",
      "misspelt/decision": "injcted\n",
      "unknown/decision": "whatever it may be\n",
      "blank/error": "\n",
      "comments/expected.yaml": "# exact\n# later\n",
      "broken/expected.yaml": "spec: [\n",
      "near/pod.yml": POD,
      "near/decision": "skipped\n",
    };
    for (const [file, text] of Object.entries(files)) cli.write(`tree/tests/${file}`, text);
    for (const name of ["both", "misspelt", "unknown", "blank", "comments", "broken"]) {
      cli.write(`tree/tests/${name}/pod.yaml`, POD);
    }
    cli.write("tree/tests/loose.yaml", POD);
    cli.write("tree/tests/README.md", "notes\n");
    cli.write("tree/tests/podless/decision", "skipped\n");
    cli.write("tree/tests/web/decision", "injected\n");
    const { code, out, err } = await cli.run("test tree");
    expect([code, err]).toEqual([1, "Cannot pass: 9 of 10 tests failed\n"]);
    const reasons = [
      ["blank", "error is empty: the test would say nothing"],
      ["both", "it has decision and error: keep one of them"],
      ["broken", "Cannot read tests/broken/expected.yaml as YAML"],
      ["comments", "expected.yaml is empty"],
      ["loose.yaml", "it is a file: a test is a folder, as tests/loose/pod.yaml"],
      ["misspelt", 'its decision is not known, did you mean "injected"'],
      ["near", 'tests/near/pod.yml is not read, did you mean "pod.yaml"'],
      ["podless", "tests/podless has no pod.yaml"],
      ["unknown", "its decision is not known: use injected, skipped, host-network"],
    ];
    for (const [name, reason] of reasons) expect(out).toContain(`FAIL ${name}:\n  ${reason}`);
    expect((await cli.run("publish --dir tree")).err).toContain("Cannot pass: 9 of 10 tests failed");
  });

  it("reports all that is wrong with the tree, as lint does", async () => {
    cli.write("tree/tests/web/decision", "injected\n");
    cli.write("tree/templates/agent.hbs", "{{#if\n");
    cli.write("tree/templates/other.hbs", "spec: {dnsPolicy: Foo}\n");
    const { code, out, err } = await cli.run("test tree");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^templates\/agent\.hbs:2:1: error: /);
    expect(err).toContain("Cannot run the tests: the tree has ");
  });

  it("follows links to tests, and writes through none", async () => {
    cli.write("elsewhere/linked/pod.yaml", POD);
    cli.write("elsewhere/linked/decision", "skipped\n");
    cli.write("elsewhere/other.yaml", "precious\n");
    const at = (path: string) => join(cli.cwd, path);
    symlinkSync(at("elsewhere/linked"), at("tree/tests/linked"));
    symlinkSync(at("elsewhere/gone"), at("tree/tests/gone"));
    symlinkSync(at("elsewhere/other.yaml"), at("tree/tests/web/expected.yaml"));
    const { code, out } = await cli.run("test tree --update");
    expect(code).toBe(1);
    expect(out).toContain("FAIL gone:\n  it cannot be read: there is no such file");
    expect(out).toContain("FAIL linked:\n  expected skipped, got injected");
    expect(out).toContain("FAIL web:\n  tests/web/expected.yaml cannot be written: it is a symbolic link");
    expect(cli.read("elsewhere/other.yaml")).toBe("precious\n");
  });

  it("prints a report without tests", async () => {
    cli.remove("tree/tests");
    const { code, out, err } = await cli.run("test tree -o junit");
    expect([code, err]).toEqual([0, "There are no tests: outrigger new test NAME makes one\n"]);
    expect(out).toContain('tests="0" failures="0"');
  });

  it("runs again whenever a file of the tree or of a test changes, until it is stopped", async () => {
    const io = fakeIo({ cwd: cli.cwd, templates: join(cli.cwd, "shipped") });
    const isPrinted = (text: string) => vi.waitFor(() => expect(io.out() + io.err()).toContain(text), WITHIN);
    cli.write("tree/tests/web/decision", "injected\n");
    const ended = main(["test", "tree", "--watch"], io);
    await isPrinted("1 of 1 tests passed");
    cli.write("tree/tests/web/decision", "opted-out\n");
    await isPrinted("Cannot pass: 1 of 1 tests failed");
    cli.write("tree/templates/agent.hbs", "{{#if\n");
    await isPrinted("Cannot run the tests: the tree has 1 error");
    cli.write("tree/templates/agent.hbs", TEMPLATE);
    cli.write("tree/tests/web/decision", "injected\n");
    await vi.waitFor(() => expect(io.out().match(/1 of 1 tests passed/g)).toHaveLength(2), WITHIN);
    io.stop();
    expect(await ended).toBe(0);
  });

  it("keeps a tree whose tests fail from being published", async () => {
    cli.write("tree/tests/web/decision", "skipped\n");
    const { code, err } = await cli.run("publish --dir tree");
    expect(code).toBe(1);
    expect(err).toContain("FAIL web");
    expect(err).toContain("Cannot pass: 1 of 1 tests failed");
  });
});
