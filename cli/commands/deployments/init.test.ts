import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";
import { fakeIo } from "../../../test/cli/fake-io.ts";
import { main } from "../../main.ts";
import { sourceFile } from "../../tree/source-files.ts";

const NO_AWS = () => Promise.reject(new Error("this test has no AWS"));

describe("outrigger init", () => {
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    cli = fakeCli(NO_AWS);
  });
  afterEach(() => cli.remove("."));
  const read = (file: string) => readFileSync(join(cli.cwd, file), "utf8");

  it("writes a project whose tree lints, whose test passes and whose manifest is injected", async () => {
    const { code, out } = await cli.run("init my/project --stage prod");
    expect([code, out]).toEqual([0, expect.stringMatching(/^Wrote package\.json, README\.md, outrigger\.prod\.yml,/)]);
    expect(await cli.run("lint my/project/my-templates --strict")).toMatchObject({ code: 0, err: "" });
    expect((await cli.run("test my/project/my-templates")).out).toContain("1 of 1 tests passed");
    const injected = await cli.run("inject -f my/project/deployment.yaml --dir my/project/my-templates");
    expect(injected.out).toContain("name: istio-proxy");
    expect(JSON.parse(read("my/project/package.json")).devDependencies).toMatchObject({
      "@outrigger/outrigger": "1.2.3",
    });
    expect(read("my/project/README.md")).toContain("`npm install --save-dev PATH/outrigger-outrigger-1.2.3.tgz`");
  });

  it("writes guardrails that admit what the tree uses, and ask for any other image, Secret, token or driver", async () => {
    await cli.run("init my/project --stage prod");
    const guardrails = /^guardrails: (.*)$/m.exec(read("my/project/outrigger.prod.yml"))?.[1];
    expect(guardrails).toBe(
      "baseline,image:registry.istio.io/release/*,secret:none,configMap:istio-ca-crl,configMap:istio-ca-root-cert,audience:istio-ca,csi:none",
    );
    const lint = (tree: string) => cli.run(`lint ${tree} --guardrails ${guardrails}`);
    expect(await lint("my/project/my-templates")).toMatchObject({ code: 0, err: "" });
    const agent = (image: string, volume: string) => {
      const container = `  containers: [{name: agent, image: ${image}, volumeMounts: [{name: own, mountPath: /own}]}]\n`;
      cli.write("other/templates/agent.hbs", `spec:\n${container}  volumes: [{name: own, ${volume}}]\n`);
      cli.write("other/config.yaml", "defaultTemplates: [sidecar, agent]\n");
      return lint("other");
    };
    const known = "registry.istio.io/release/agent:1";
    expect((await agent("evil.example/a:1", "emptyDir: {}")).out).toContain(
      "add container:agent image:evil.example/a:*",
    );
    expect((await agent(known, "secret: {secretName: db}")).out).toContain("add container:agent secret:db to");
    expect((await agent(known, "configMap: {name: db}")).out).toContain("add container:agent configMap:db to");
    expect((await agent(known, "csi: {driver: efs.csi.aws.com}")).out).toContain("container:agent csi:efs.csi.aws.com");
    const token = "projected: {sources: [{serviceAccountToken: {path: t, audience: vault} }]}";
    expect((await agent(known, token)).out).toContain("add container:agent audience:vault to");
  });

  it("writes a project without a word of Istio, whose tree lints at a restricted level and whose tests pass", async () => {
    await cli.run("init own --stage prod --without-istio");
    const files = readdirSync(join(cli.cwd, "own"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(relative(cli.cwd, entry.parentPath), entry.name));
    expect(files.length).toBeGreaterThan(8);
    for (const file of files) expect(read(file), file).not.toMatch(/istio|mesh config|envoy/i);
    const settings = read("own/outrigger.prod.yml");
    expect(settings).toContain("\nmesh: none ");
    const [, guardrails = ""] = /^guardrails: (.*)$/m.exec(settings) ?? [];
    expect(guardrails).toMatch(/^baseline,image:registry\.example\/\*/);
    const { code, out } = await cli.run(`lint own/my-templates --strict --guardrails ${guardrails}`);
    expect([code, out]).toEqual([0, expect.not.stringMatching(/istio/i)]);
    expect((await cli.run("test own/my-templates")).out).toContain("2 of 2 tests passed");
    const { out: injected } = await cli.run("inject -f own/deployment.yaml --dir own/my-templates");
    expect(injected).toContain("name: log-agent");
    expect(injected).not.toMatch(/istio-proxy|15020|15090/);
  });

  it("knows what the folder's own tree uses", async () => {
    cli.write("own/my-templates/values/10-mine.yaml", "global: {hub: mirror.example:5000/istio}\n");
    await cli.run("init own --stage prod");
    expect(read("own/outrigger.prod.yml")).toContain("guardrails: baseline,image:mirror.example:5000/istio/*,");
  });

  it("leaves what exists, and says what a package.json lacks", async () => {
    mkdirSync(join(cli.cwd, "here"));
    const own = '{"name": "mine",\n    "devDependencies": {"@outrigger/outrigger": "file:../outrigger.tgz"}}';
    writeFileSync(join(cli.cwd, "here/package.json"), own);
    writeFileSync(join(cli.cwd, "here/README.md"), "mine\n");
    const { out } = await cli.run("init here");
    expect(out).toContain("Left as it was: package.json, README.md\n");
    expect(read("here/README.md")).toBe("mine\n");
    expect(read("here/package.json")).toBe(own);
    expect(out).not.toContain("@outrigger/outrigger@");
    const all = await cli.run("init here");
    expect(all.out).toContain("Nothing was missing");
  });

  it.each([
    ["file:../outrigger.tgz", "file:../../outrigger.tgz"],
    ["https://registry.example/outrigger.tgz?file:", "1.2.3"],
  ])("installs what this copy was installed from: %s", async (resolved, version) => {
    const templates = "tools/node_modules/@outrigger/outrigger/templates";
    for (const [path, text] of Object.entries(SHIPPED)) cli.write(join(templates, sourceFile(path)), text);
    const packages = { "node_modules/@outrigger/outrigger": { resolved } };
    cli.write("tools/node_modules/.package-lock.json", JSON.stringify({ packages }));
    const io = fakeIo({ cwd: cli.cwd, templates: join(cli.cwd, templates) });
    expect(await main(["init", "my/project"], io)).toBe(0);
    expect(JSON.parse(read("my/project/package.json")).devDependencies["@outrigger/outrigger"]).toBe(version);
  });

  it("asks for nothing that is among the dependencies of a package.json already", async () => {
    cli.write("here/package.json", JSON.stringify({ dependencies: { "@outrigger/outrigger": "1.2.3" } }));
    expect((await cli.run("init here")).out).not.toContain("@outrigger/outrigger@");
  });

  it("says how to take out the name without a scope, which a stranger could take", async () => {
    const own = JSON.stringify({ devDependencies: { mine: "1", outrigger: "0.2.0" } });
    cli.write("old/package.json", own);
    const { out } = await cli.run("init old");
    expect(read("old/package.json")).toBe(own);
    expect(out).toMatch(
      /^package\.json lacks what deploying needs: npm install --save-dev @outrigger\/outrigger@1\.2\.3( |$)/m,
    );
    expect(out).toContain("which a stranger could take: npm uninstall outrigger\n");
  });

  it("says which file it cannot use or make", async () => {
    cli.write("file", "");
    expect(await cli.run("init file/x")).toMatchObject({ code: 3, err: expect.stringContaining("Cannot write ") });
    cli.write("odd/package.json", "{");
    expect(await cli.run("init odd")).toMatchObject({ code: 2, err: "Cannot read package.json: it is not JSON\n" });
    expect(existsSync(join(cli.cwd, "odd/my-templates"))).toBe(false);
  });
});
