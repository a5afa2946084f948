// One tree for several environments: each command lays one over it, and a deployment takes only its own.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";

const hub = (name: string) => `global:\n  hub: registry.example/${name}\n`;

let aws: ReturnType<typeof fakeAws>;
let cli: ReturnType<typeof fakeCli>;
beforeEach(() => {
  aws = fakeAws();
  cli = fakeCli(aws.connect, SHIPPED);
  cli.write("tree/values/10-mine.yaml", hub("all"));
  cli.write("tree/mesh.yaml", "# the mesh\ntrustDomain: all.example\n");
  cli.write("tree/environments/dev/values.yaml", hub("dev"));
  cli.write("tree/environments/prod/values.yaml", hub("prod"));
  cli.write("tree/environments/prod/mesh.yaml", "trustDomain: prod.example\n");
});
afterEach(() => cli.remove("."));

const fails = async (words: string) => {
  const { code, err } = await cli.run(words);
  expect(code).not.toBe(0);
  return err;
};

describe("outrigger lint of a tree with environments", () => {
  it("lints each of them, and says once what all have", async () => {
    const { code, out } = await cli.run("lint tree");
    expect(code).toBe(0);
    expect(out).toMatch(/^No errors: environment dev compiles to release \w{12}\n/m);
    expect(out).toMatch(/^No errors: environment prod compiles to release \w{12}\n/m);
    cli.write("tree/config.yaml", "polcy: enabled\n");
    const { out: bad } = await cli.run("lint tree");
    expect(bad.match(/polcy/g)).toHaveLength(1);
  });

  it("names the file that people edit, with its own line", async () => {
    cli.write("tree/environments/prod/values.yaml", "# prod\nglobal: {hub: [1]}\nglobl: {}\n");
    cli.write("tree/environments/prod/mesh.yaml", "# prod\ntrustDomain: prod.example\nodd: 1\n");
    const { out } = await cli.run("lint tree");
    expect(out).toMatch(/^environments\/prod\/values\.yaml:3:1: warning/m);
    expect(out).toMatch(/^environments\/prod\/mesh\.yaml:3:1: warning/m);
    expect(out).not.toContain("zzz-environment");
    const { out: dev, code } = await cli.run("lint tree --env dev --strict");
    expect([code, dev]).toEqual([0, expect.stringContaining("environment dev compiles")]);
  });

  it("leaves a finding about the tree's own line at the tree's own file", async () => {
    cli.write("tree/mesh.yaml", "# the mesh\ntrustDomain: all.example\nodd: 1\n");
    const { out } = await cli.run("lint tree --env prod");
    expect(out).toMatch(/^mesh\.yaml:3:1: warning/m);
  });

  it("says of a finding of one environment which", async () => {
    cli.write("tree/templates/agent.hbs", "spec:\n  {{#if values.odd}}\n  nonsense: 1\n  {{/if}}\n");
    cli.write("tree/config.yaml", "defaultTemplates: [sidecar, agent]\n");
    cli.write("tree/environments/dev/values.yaml", "odd: true\n");
    cli.write("tree/environments/prod/values.yaml", "odd: false\n");
    const { out } = await cli.run("lint tree");
    expect(out).toMatch(/^templates\/agent\.hbs:3:.*nonsense/m);
  });

  it.each([
    [
      "lint tree --env stage",
      "there is no such environment (there are dev, prod); values.yaml in that folder makes it",
    ],
    ["lint source --env prod", "Cannot use --env with source"],
    ["publish --env prod", "Cannot use --env without --dir"],
    ["values --env prod", "Cannot use --env without --dir"],
    ["diff shipped shipped --env prod", "Cannot use --env without a directory"],
  ])("refuses %s", async (words, message) => {
    expect(await fails(words)).toContain(message);
  });

  it("refuses what an environment does not hold", async () => {
    cli.write("tree/environments/prod/templates/a.hbs", "x: 1\n");
    expect(await fails("lint tree")).toContain("an environment holds values.yaml, mesh.yaml, config.yaml and tests/");
  });
});

describe("outrigger publish --dir, and push, of a tree with environments", () => {
  it("publishes the environment that the deployment is for, and keeps its name in the source", async () => {
    aws.setEnvironment("prod");
    expect(await cli.run("publish --dir tree")).toMatchObject({ code: 0 });
    expect(aws.stored("values/zzz-environment-prod")).toBe(hub("prod"));
    expect(aws.stored("mesh")).toBe("# the mesh\ntrustDomain: prod.example\n");
    expect((await cli.run("diff source tree --env prod")).out).toContain("They inject every pod in the same way");
  });

  it("refuses another environment by name, before anything is written", async () => {
    aws.setEnvironment("prod");
    expect(await fails("publish --dir tree --env dev")).toContain(
      "Cannot publish environment dev to deployment dev: it is for environment prod; leave out --env",
    );
    expect(await fails("push tree --env dev")).toContain("it is for environment prod");
    expect(aws.stored("mesh")).toBeUndefined();
  });

  it("asks for one where the deployment is for none", async () => {
    expect(await fails("publish --dir tree")).toContain("there are dev, prod; name one with --env");
    expect(await cli.run("push tree --env dev --publish")).toMatchObject({ code: 0 });
    expect(aws.stored("values/zzz-environment-dev")).toBe(hub("dev"));
  });

  it("is refused by the publisher too, by whatever way the tree came", async () => {
    await aws.edit("values/zzz-environment-dev", hub("dev"));
    aws.setEnvironment("prod");
    expect(await fails("publish")).toContain(
      "Cannot publish /outrigger/dev/source: this deployment is for environment prod, and the tree is of environment dev",
    );
  });

  it("takes a tree that was pulled from there, and no pull into one with environments", async () => {
    aws.setEnvironment("prod");
    await cli.run("publish --dir tree");
    await cli.run("pull pulled");
    expect(await cli.run("publish --dir pulled")).toMatchObject({ code: 0 });
    expect(await fails("pull tree")).toContain("it has environments (dev, prod)");
  });

  it("runs the tests of the environment besides those of all", async () => {
    const pod = "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";
    const expected = (name: string) =>
      `spec: {containers: [{name: istio-proxy, image: registry.example/${name}/proxyv2}]}\n`;
    cli.write("tree/environments/prod/tests/web/pod.yaml", pod);
    cli.write("tree/environments/prod/tests/web/expected.yaml", expected("dev"));
    expect(await fails("publish --dir tree --env prod")).toContain("1 of 1 tests failed");
    cli.write("tree/environments/prod/tests/web/expected.yaml", expected("prod"));
    expect((await cli.run("test tree --env prod")).out).toContain("ok   prod/web\n");
    cli.write("tree/tests/any/pod.yaml", pod);
    cli.write("tree/tests/any/expected.yaml", "spec: {restartPolicy: Never}\n");
    const { out } = await cli.run("test tree --env prod --update");
    expect(out).toContain("FAIL any");
  });
});

describe("outrigger diff and values with --env", () => {
  it("compares two environments of a tree", async () => {
    const { code, out } = await cli.run("diff tree/ tree/ --env dev --env prod");
    expect(code).toBe(0);
    expect(out).toContain("-  - image: registry.example/dev/proxyv2\n+  - image: registry.example/prod/proxyv2\n");
    expect(out).toContain("-trustDomain: all.example\n+trustDomain: prod.example\n");
  });

  it("shows the values of one", async () => {
    expect((await cli.run("values --dir tree --env prod")).out).toContain("registry.example/prod");
  });
});
