import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";

describe("outrigger new", () => {
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    cli = fakeCli(fakeAws().connect, SHIPPED);
  });
  afterEach(() => cli.remove("."));

  it("starts a template and a test that pass as they are", async () => {
    expect((await cli.run("new template log-agent --dir tree")).out).toBe(
      "Wrote tree/templates/log-agent.hbs\nEdit it, then: outrigger lint tree\n",
    );
    expect((await cli.run("new test web --dir tree")).out).toBe(
      "Wrote tree/tests/web/pod.yaml\nEdit it, then: outrigger test tree --update\n",
    );
    expect((await cli.run("lint tree")).code).toBe(0);
    expect((await cli.run("test tree --update")).code).toBe(0);
    expect((await cli.run("test tree")).code).toBe(0);
  });

  it("writes into the current directory where none is named", async () => {
    expect((await cli.run("new template log-agent")).out).toBe(
      "Wrote templates/log-agent.hbs\nEdit it, then: outrigger lint\n",
    );
    expect((await cli.run("new test web")).out).toContain("then: outrigger test --update\n");
    expect(existsSync(join(cli.cwd, "tests/web/pod.yaml"))).toBe(true);
  });

  it.each([
    ["log.agent-2", "log-agent-2", "logAgent2"],
    ["3proxy", "3proxy", "_3proxy"],
  ])("names the container and the values of %s as Kubernetes and templates allow", async (name, container, values) => {
    await cli.run(`new template ${name} --dir tree`);
    expect(cli.read(`tree/templates/${name}.hbs`)).toContain(
      `  - name: ${container}\n    image: {{default "registry.example/${name}:1" values.${values}.image}}\n`,
    );
    cli.write("tree/config.yaml", `defaultTemplates: [sidecar, ${name}]\n`);
    cli.write("tree/values/10-mine.yaml", `${values}: {image: "registry.example/mine:1"}\n`);
    expect(await cli.run("lint tree --strict")).toMatchObject({ code: 0, err: "" });
  });

  it("overwrites nothing", async () => {
    await cli.run("new test web --dir tree");
    expect(await cli.run("new test web --dir tree")).toMatchObject({
      code: 2,
      err: "Cannot write tests/web/pod.yaml: it exists already; choose another name\n",
    });
  });

  it.each([
    ["new template", "Cannot tell what to write: give a name, or --from"],
    ["new template mine --from envoy", "Cannot tell what to write: give a name, or --from"],
    ["new template ../x", 'Cannot make "../x": use lower-case letters, digits, dots and dashes'],
    ["new template a..b", 'Cannot make "a..b"'],
    ["new test -x", "Unknown option '-x'"],
    ["new test web-", 'Cannot make "web-"'],
    ["new test Web", 'Cannot make "Web"'],
  ])("refuses %s", async (line, why) => {
    expect(await cli.run(line)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(why) });
    for (const folder of ["templates", "tests"]) expect(existsSync(join(cli.cwd, folder)), folder).toBe(false);
  });
});
