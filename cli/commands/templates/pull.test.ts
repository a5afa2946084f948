import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";

const VALUES = "global:\n  hub: registry.example/one\n";

describe("outrigger pull", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(async () => {
    aws = fakeAws();
    cli = fakeCli(aws.connect, SHIPPED);
    await aws.edit("values/10-mine", VALUES);
    await aws.edit("partials/proxy-image", "image: <%values.global.hub%>/proxyv2\n");
  });
  afterEach(() => cli.remove("."));

  it("makes files of parameters, and remembers what it pulled", async () => {
    const { code, out, err } = await cli.run("pull tree");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe(
      "added    partials/proxy-image.hbs\nadded    values/10-mine.yaml\nPulled 2 files from /outrigger/dev/source into tree\n",
    );
    expect(cli.read("tree/partials/proxy-image.hbs")).toBe("image: {{values.global.hub}}/proxyv2\n");
    expect(cli.read("tree/values/10-mine.yaml")).toBe(VALUES);
    expect(
      Object.keys(
        JSON.parse(cli.read("tree/.outrigger/base.json")).deployments["111122223333/eu-west-1//outrigger/dev"],
      ),
    ).toEqual(["partials/proxy-image", "values/10-mine"]);
    expect((await cli.run("pull tree")).out).toBe("Nothing to pull: tree has it all\n");
    expect(await cli.json("push tree")).toMatchObject({ pushed: [] });
  });

  it("deletes no files because the store is empty, unless it is forced", async () => {
    await cli.run("pull tree");
    await aws.remove("values/10-mine", "partials/proxy-image");
    const { code, err } = await cli.run("pull tree");
    expect([code, err]).toEqual([1, expect.stringContaining("/outrigger/dev/source is empty, and had 2 entries")]);
    expect(cli.read("tree/values/10-mine.yaml")).toBe(VALUES);
    expect((await cli.run("pull tree --force")).out).toContain("deleted  values/10-mine.yaml");
  });

  it("takes over what others edited, added and deleted, and leaves what was edited here", async () => {
    await cli.run("pull tree");
    cli.write("tree/values/20-own.yaml", "a: 1\n");
    await aws.edit("values/10-mine", VALUES.replace("one", "two"));
    await aws.edit("mesh", "enableTracing: true\n");
    await aws.remove("partials/proxy-image");
    expect((await cli.run("pull tree")).out).toBe(
      [
        "added    mesh.yaml",
        "deleted  partials/proxy-image.hbs",
        "changed  values/10-mine.yaml",
        "Left as you have edited it: values/20-own.yaml",
        "Pulled 3 files from /outrigger/dev/source into tree\n",
      ].join("\n"),
    );
    expect(readdirSync(join(cli.cwd, "tree"), { recursive: true }).sort()).toEqual([
      ".outrigger",
      ".outrigger/.gitignore",
      ".outrigger/base.json",
      "mesh.yaml",
      "partials",
      "values",
      "values/10-mine.yaml",
      "values/20-own.yaml",
    ]);
  });

  it("refuses, shows both and writes nothing when both sides were edited", async () => {
    await cli.run("pull tree");
    cli.write("tree/values/10-mine.yaml", VALUES.replace("one", "ours"));
    await aws.edit("values/10-mine", VALUES.replace("one", "theirs"));
    await aws.edit("mesh", "enableTracing: true\n");
    const { code, out, err } = await cli.run("pull tree");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("-  hub: registry.example/ours\n+  hub: registry.example/theirs\n");
    expect(err).toContain(
      "Cannot pull values/10-mine.yaml: edited here and in /outrigger/dev/source, as shown above; ",
    );
    expect(cli.read("tree/values/10-mine.yaml")).toContain("ours");
    expect(readdirSync(join(cli.cwd, "tree"))).not.toContain("mesh.yaml");

    expect((await cli.run("pull tree --force")).code).toBe(0);
    expect(cli.read("tree/values/10-mine.yaml")).toContain("theirs");
  });

  it("writes nothing when it is a dry run", async () => {
    expect((await cli.run("pull tree --dry-run")).out).toContain("Would pull 2 files");
    expect(readdirSync(cli.cwd)).toEqual(["shipped"]);
  });

  it("keeps the name of a file that ends in .yml", async () => {
    await cli.run("pull tree");
    cli.remove("tree/values/10-mine.yaml");
    cli.write("tree/values/10-mine.yml", VALUES);
    await aws.edit("values/10-mine", VALUES.replace("one", "two"));
    expect((await cli.run("pull tree")).code).toBe(0);
    expect(readdirSync(join(cli.cwd, "tree/values"))).toEqual(["10-mine.yml"]);
  });

  it("says what is served when there is nothing to pull at all", async () => {
    aws.deployed.push("/outrigger/empty");
    const { code, out } = await cli.run("pull tree --deployment empty");
    expect(code).toBe(0);
    expect(out).toContain("/outrigger/empty/source is empty: the shipped templates are served as they are");
  });

  it("warns while a push is under way", async () => {
    const manifest = { state: "pushing", digest: "0", by: "bob", at: "2026-01-02T03:04:05Z" };
    await aws.edit("manifest", JSON.stringify(manifest));
    const { code, err } = await cli.run("pull tree");
    expect([code, err]).toEqual([
      0,
      "Warning: a push by bob, begun at 2026-01-02T03:04:05Z, is not complete: part of it may be missing\n",
    ]);
  });

  it.each(["templates/../../x", "values/.hidden", "elsewhere/x", "values/a/b"])(
    "makes no file of a parameter that is called %s",
    async (name) => {
      await aws.edit(name, "x");
      const { code, err } = await cli.run("pull tree");
      expect(code).toBe(1);
      expect(err).toContain(`/outrigger/dev/source/${name}`);
      expect(readdirSync(cli.cwd)).toEqual(["shipped"]);
    },
  );

  it("follows no link out of the directory", async () => {
    mkdirSync(join(cli.cwd, "outside"));
    cli.write("outside.yaml", "kept: true\n");
    mkdirSync(join(cli.cwd, "tree"));
    symlinkSync("../outside", join(cli.cwd, "tree/values"));
    const { code, err } = await cli.run("pull tree --force");
    expect(code).toBe(1);
    expect(err).toContain("it is a link to a place outside the tree; put a folder there instead");
    expect(readdirSync(join(cli.cwd, "outside"))).toEqual([]);

    cli.remove("tree/values");
    await aws.edit("mesh", "enableTracing: true\n");
    mkdirSync(join(cli.cwd, "tree/templates"), { recursive: true });
    symlinkSync("../outside.yaml", join(cli.cwd, "tree/mesh.yaml"));
    expect((await cli.run("pull tree --force")).err).toContain("it is a link to a place outside the tree");
    expect(cli.read("outside.yaml")).toBe("kept: true\n");
  });

  it.each(["{", '{"format":1,"deployments":{}}', '{"format":2,"deployments":{"/outrigger/dev":{"mesh":1}}}'])(
    "says what to do when what it remembers is damaged: %s",
    async (text) => {
      cli.write("tree/.outrigger/base.json", text);
      const { code, err } = await cli.run("pull tree");
      expect(code).toBe(1);
      expect(err).toContain("base.json: it is damaged, or of another version; remove it, and ");
    },
  );

  it("gives back the bytes of every shipped file after a push", async () => {
    const templates = fileURLToPath(new URL("../../../templates", import.meta.url));
    const user = fakeCli(aws.connect, SHIPPED);
    const entries = readdirSync(templates, { recursive: true, encoding: "utf8" });
    // Layers of Istio's releases are the shipped tree's alone.
    const shipped = entries.filter((file) => /\.(yaml|hbs)$/.test(file) && !file.startsWith("releases"));
    for (const file of shipped) {
      user.write(`mine/${file}`, readFileSync(join(templates, file), "utf8"));
    }
    expect((await user.run("push mine --force")).code).toBe(0);
    expect((await user.run("pull back")).code).toBe(0);
    const files = readdirSync(join(user.cwd, "back"), { recursive: true, encoding: "utf8" }).filter((file) =>
      /\.(yaml|hbs)$/.test(file),
    );
    expect(files.length).toBeGreaterThan(30);
    for (const file of files) {
      expect(user.read(`back/${file}`), file).toBe(readFileSync(join(templates, file), "utf8"));
    }
    expect(files.sort()).toEqual(shipped.sort());
    user.remove(".");
  }, 30_000);
});
