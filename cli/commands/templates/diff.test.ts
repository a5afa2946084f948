import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";

const hub = (name: string) => `global:\n  hub: registry.example/${name}\n`;

describe("outrigger diff", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    aws = fakeAws();
    cli = fakeCli(aws.connect, SHIPPED);
  });
  afterEach(() => cli.remove("."));

  it("shows texts and sample pods of two directories, and asks no AWS for it", async () => {
    cli.write("one/values/10-mine.yaml", hub("one"));
    cli.write("two/values/10-mine.yaml", hub("two"));
    const { code, out, err } = await cli.run("diff one/ ./two");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^one\/ is release [0-9a-f]{12}, \.\/two is release [0-9a-f]{12}\n/);
    expect(out).toContain(
      "--- one/values/10-mine\n+++ ./two/values/10-mine\n@@ -1,2 +1,2 @@\n global:\n-  hub: registry.example/one\n+  hub: registry.example/two\n",
    );
    expect(out).toContain("--- one/samples/plain-pod\n+++ ./two/samples/plain-pod\n");
    expect(out).toContain("-  - image: registry.example/one/proxyv2\n+  - image: registry.example/two/proxyv2\n");
    expect(aws.store.calls()).toEqual({});
  });

  it("takes a directory by its name where no channel has it, a release by the first digits, and a channel before both", async () => {
    await cli.run("publish");
    cli.write("mine/values/10-mine.yaml", hub("mine"));
    cli.write("stable/values/10-mine.yaml", hub("other"));
    const { code, out, err } = await cli.run("diff mine stable");
    const [, mine = "", stable = ""] = /^mine is release (\w+), stable is release (\w+)\n/.exec(out) ?? [];
    expect([code, err, mine === stable]).toEqual([0, "", false]);
    expect(out).not.toContain("registry.example/other");
    const { out: same } = await cli.run("diff", stable.slice(0, 5), "stable");
    expect(same).toContain(`${stable.slice(0, 5)} is release ${stable}, stable is release ${stable}\n`);
    expect((await cli.run("diff", "beef1", "stable")).err).toBe(
      "Cannot find a release that begins with beef1: no channel has one (outrigger releases)\n",
    );
  });

  it("compares a channel with the contents of Parameter Store, in the texts of the release that is served", async () => {
    await aws.edit("values/10-mine", hub("one"));
    await cli.run("publish");
    await aws.edit("values/10-mine", hub("two"));
    const { out } = await cli.run("diff stable source");
    expect(out).toContain("-  hub: registry.example/one\n+  hub: registry.example/two\n");
    expect(out).toContain("-  - image: registry.example/one/proxyv2\n");
    const value = await cli.json("diff stable source");
    expect(value.trees.map(({ path }: { path: string }) => path)).toEqual(["values/10-mine"]);
    expect(value.pods.map(({ path }: { path: string }) => path)).toEqual(["samples/plain-pod"]);
  });

  it("compares what releases came to where their texts are not kept any more", async () => {
    await aws.edit("values/10-mine", hub("one"));
    await aws.edit("templates/agent", "spec:\n  containers:\n  - name: agent\n    image: agent:1\n");
    await cli.run("publish");
    await aws.remove("values/10-mine", "templates/agent");
    const { out } = await cli.run("diff stable shipped");
    expect(out).toContain("--- stable/values\n+++ shipped/values\n");
    expect(out).toContain("-  hub: registry.example/one\n+  hub: registry.example/shipped\n");
    expect(out).toContain("templates/agent differs; its text is not kept any more\n");
    expect(out).toContain("Injected pods:\n--- stable/samples/plain-pod\n");
  });

  it("compares the pods of a manifest when it is given one", async () => {
    cli.write("one/values/10-mine.yaml", hub("one"));
    cli.write(
      "web.yaml",
      "kind: Deployment\napiVersion: apps/v1\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: web}]}}}\n",
    );
    cli.write("two/templates/agent.hbs", "metadata: {labels: {agent: a}}\n");
    expect((await cli.run("diff shipped two -f web.yaml")).out).toMatch(/\nNo pod of web.yaml changes\n$/);
    const { out } = await cli.run("diff shipped one/ -f web.yaml");
    expect(out).toContain("--- shipped/web.yaml\n+++ one/web.yaml\n");
    expect(out).not.toContain("samples/");
  });

  it("shows which pods are injected only on one side, and why", async () => {
    cli.write("off/config.yaml", "policy: disabled\ndefaultTemplates: [sidecar]\n");
    expect((await cli.run("diff shipped off/")).out).toContain(
      '+# not injected (policy-disabled): the policy is "disabled"',
    );
  });

  it("says so when nothing differs, and exits 1 for differences only when it is asked to", async () => {
    cli.write("one/values/10-mine.yaml", hub("one"));
    const { code, out } = await cli.run("diff one/ one/ --exit-code");
    expect([code, out]).toEqual([0, expect.stringContaining("They inject every pod in the same way\n")]);
    expect((await cli.run("diff shipped one/")).code).toBe(0);
    expect((await cli.run("diff shipped one/ --exit-code")).code).toBe(1);
  });

  it.each<[string, number, string]>([
    ["diff stable source", 3, 'Cannot find channel stable below /outrigger/dev/channels: "outrigger channel" lists'],
    ["diff 0123456789ab source", 3, "Cannot find release 0123456789ab: nothing is kept of it"],
    ["diff Stable source", 2, 'Cannot find "Stable": name a channel, a release, source, shipped or a directory'],
    ["diff ./gone shipped", 3, "there is no such directory"],
    ["diff stable", 2, "Missing required argument 'after'"],
  ])("refuses %s", async (line, code, message) => {
    const ran = await cli.run(line);
    expect([ran.code, ran.out]).toEqual([code, ""]);
    expect(ran.err).toContain(message);
  });

  it("lets no text steer the terminal", async () => {
    cli.write("one/partials/mine.hbs", "{{! \u001b[2J\u202e }}\n");
    const { out } = await cli.run("diff shipped one/");
    expect(out).toContain("?[2J?");
    expect(out).not.toContain("\u001b");
  });
});
