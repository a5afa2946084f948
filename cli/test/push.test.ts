import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@outrigger/base";
import { treeDigest } from "@outrigger/publisher";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CALLER, fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";

const VALUES = "global:\n  hub: registry.example/one\n";
const PARTIAL = "image: {{values.global.hub}}/proxyv2\n";
const PROXY_IMAGE = "partials/proxy-image";

/** The stored texts below `source/`, by path. */
function sourceOf({ store, layout }: ReturnType<typeof fakeAws>): Readonly<Record<string, string>> {
  const start = `${layout.source}/`;
  const entries = Object.entries(store.values()).filter(([name]) => name.startsWith(start));
  return Object.fromEntries(entries.map(([name, text]) => [name.slice(start.length), text]));
}

describe("outrigger push", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    aws = fakeAws();
    cli = otherUser(aws);
  });
  afterEach(() => cli.remove("."));

  /** A second user with the same directory. */
  function otherUser({ connect }: ReturnType<typeof fakeAws>) {
    const user = fakeCli(connect, SHIPPED);
    user.write("tree/values/10-mine.yaml", VALUES);
    user.write(`tree/${PROXY_IMAGE}.hbs`, PARTIAL);
    return user;
  }

  it.each(["push my", "publish --dir my"])(
    "names a directory that is missing before AWS is asked: %s",
    async (line) => {
      const offline = fakeCli(() => {
        throw new Error("AWS was asked");
      }, SHIPPED);
      const { code, err } = await offline.run(line);
      offline.remove(".");
      expect([code, err]).toEqual([3, expect.stringMatching(/^Cannot read .*my: there is no such directory/)]);
    },
  );

  it("takes an edit of the directory that was published, and keeps each byte of it", async () => {
    cli.write(`tree/${PROXY_IMAGE}.hbs`, `\ufeff${PARTIAL}`);
    expect((await cli.run("publish --dir tree")).code).toBe(0);
    cli.write("tree/values/10-mine.yaml", VALUES.replace("one", "two"));
    expect((await cli.run("push tree")).code).toBe(0);
    expect(sourceOf(aws)["values/10-mine"]).toContain("/two");
    expect((await cli.run("pull other")).code).toBe(0);
    expect(cli.read(`other/${PROXY_IMAGE}.hbs`)).toBe(`\ufeff${PARTIAL}`);
  });

  it("ends with 1 for a link to nothing: that is the tree, and not AWS", async () => {
    symlinkSync("nowhere", join(cli.cwd, "tree/values/20-more.yaml"));
    const { code, err } = await cli.run("push tree");
    expect([code, err]).toEqual([1, expect.stringContaining("link to nothing")]);
  });

  it("writes what Parameter Store has not, tags in its own writing, and the manifest first and last", async () => {
    const writes: JsonObject[] = [];
    aws = fakeAws({
      around: async ({ operation, input }, perform) => {
        if (operation === "PutParameter") writes.push(input);
        return perform();
      },
    });
    cli = otherUser(aws);
    const { code, out, err } = await cli.run("push tree");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("+++ yours/partials/proxy-image\n@@ -0,0 +1,1 @@\n+image: {{values.global.hub}}/proxyv2\n");
    expect(out).toMatch(
      /Pushed 2 changes to \/outrigger\/dev\/source\nRelease: \d+ characters, \d+ free\nSource: 2 parameters; the largest, partials\/proxy-image.hbs, takes 37 of 4096 bytes/,
    );
    expect(aws.stored(PROXY_IMAGE)).toBe("image: <%values.global.hub%>/proxyv2\n");
    expect(writes.map((input) => String(input["Name"]).slice("/outrigger/dev/source/".length))).toEqual([
      "manifest",
      "partials/proxy-image",
      "values/10-mine",
      "manifest",
    ]);
    const digest = treeDigest({ "values/10-mine": VALUES, [PROXY_IMAGE]: PARTIAL });
    const manifests = writes.flatMap((input) => (String(input["Name"]).endsWith("manifest") ? [input["Value"]] : []));
    expect(manifests.map((text) => JSON.parse(String(text)))).toEqual([
      { state: "pushing", digest, by: CALLER, at: expect.any(String) },
      { state: "complete", digest, by: CALLER, at: expect.any(String) },
    ]);
  });

  it("writes and deletes only what was edited here since", async () => {
    await cli.run("push tree");
    await aws.edit("mesh", "enableTracing: true\n");
    cli.write("tree/values/10-mine.yaml", VALUES.replace("one", "two"));
    cli.remove(`tree/${PROXY_IMAGE}.hbs`);
    expect(await cli.json("push tree")).toMatchObject({ pushed: [PROXY_IMAGE, "values/10-mine"], kept: ["mesh"] });
    expect(aws.stored("values/10-mine")).toContain("registry.example/two");
    expect(aws.stored(PROXY_IMAGE)).toBeUndefined();
    expect(aws.stored("mesh")).toBe("enableTracing: true\n");
  });

  it("says so when there is nothing to push", async () => {
    await cli.run("push tree");
    const before = aws.store.values();
    const { code, out } = await cli.run("push tree");
    expect([code, out]).toEqual([0, "Nothing to push: /outrigger/dev/source has it all\n"]);
    expect(aws.store.values()).toEqual(before);
  });

  it("writes nothing when it is a dry run", async () => {
    const { code, out } = await cli.run("push tree --dry-run");
    expect(code).toBe(0);
    expect(out).toContain("Would push 2 changes to /outrigger/dev/source\n");
    expect(aws.store.values()).toEqual({});
  });

  it("refuses, shows the differences and writes nothing when another user has edited the same", async () => {
    await cli.run("push tree");
    await aws.edit("values/10-mine", VALUES.replace("one", "theirs"));
    cli.write("tree/values/10-mine.yaml", VALUES.replace("one", "ours"));
    const before = aws.store.values();
    const { code, out, err } = await cli.run("push tree");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("-  hub: registry.example/theirs\n+  hub: registry.example/ours\n");
    expect(err).toContain(
      "Cannot push values/10-mine: changed in /outrigger/dev/source since you pulled, as shown above; ",
    );
    expect(aws.store.values()).toEqual(before);

    expect((await cli.run("push tree --force")).code).toBe(0);
    expect(aws.stored("values/10-mine")).toContain("registry.example/ours");
  });

  it("refuses to replace what it has never seen when nothing was pulled", async () => {
    await aws.edit("values/10-mine", "global: {}\n");
    expect((await cli.run("push tree")).err).toContain("Cannot push values/10-mine: changed in ");
  });

  it("makes Parameter Store what the directory is when it is forced", async () => {
    await aws.edit("mesh", "enableTracing: true\n");
    await cli.run("push tree --force");
    expect(aws.stored("mesh")).toBeUndefined();
  });

  it.each([
    [
      "values/10-mine",
      "a: <% b\n",
      "the tag is not closed; close it with }}, which is %> in Parameter Store (line 1, column 4)",
    ],
    ["README", "hello", "delete /outrigger/dev/source/README"],
    ["manifest", "nonsense", "it is not JSON"],
    ["manifest", "{}", "it must have a state"],
  ])("overwrites %s when nobody can read it, but only when it is forced", async (path, text, message) => {
    await cli.run("push tree");
    const before = aws.store.values();
    await aws.edit(path, text);
    for (const line of ["push tree", "publish --dir tree"]) {
      const { code, out, err } = await cli.run(line);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toContain(message);
      expect(err).toMatch(/; or overwrite it with --force\n$/);
      expect(aws.stored(path)).toBe(text);
    }
    expect((await cli.run("push tree --force")).code).toBe(0);
    const { [aws.layout.sourceParameter("manifest")]: manifest = "", ...after } = aws.store.values();
    expect(before).toMatchObject(after);
    expect(JSON.parse(manifest)).toMatchObject({ state: "complete" });
    expect((await cli.run("publish")).code).toBe(0);
  });

  it("refuses a tree that would not be published, with every place", async () => {
    cli.write(`tree/${PROXY_IMAGE}.hbs`, "image: {{nonsense 1}}\n{{{raw}}}\n");
    const { code, err } = await cli.run("push tree");
    expect(code).toBe(1);
    expect(err).toContain('partials/proxy-image.hbs:1:8: error: helper "nonsense" is not known');
    expect(err).toContain("partials/proxy-image.hbs:2:1: error: ");
    expect(err).toContain("Cannot push: the tree has 2 errors; fix the errors above\n");
    expect(aws.store.values()).toEqual({});
  });

  it.each([
    ["holds more than a parameter", "x".repeat(8200), "it has 8204 bytes, and a parameter holds 8192; split it in two"],
    ["has two braces in quotes", "a: '{b: {c: 1}}'", "values/10-mine.yaml:1:14: error: "],
  ])("refuses a text that %s before anything is written", async (_what, text, message) => {
    cli.write("tree/values/10-mine.yaml", text.startsWith("a:") ? text : `a: ${text}\n`);
    const { code, err } = await cli.run("push tree");
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(err).toContain("values/10-mine.yaml");
    expect(aws.store.values()).toEqual({});
  });

  it("stores a space between the braces that end two flow maps, and finds nothing to push again", async () => {
    cli.write("tree/values/10-mine.yaml", "a: {b: {c: 1}}\n");
    expect((await cli.run("push tree")).code).toBe(0);
    expect(aws.store.values()[aws.layout.sourceParameter("values/10-mine")]).toBe("a: {b: {c: 1} }\n");
    expect((await cli.run("push tree")).out).toMatch(/^Nothing to push/);
  });

  it("takes the advanced tier, which costs money, only when it is asked to, and stays on it", async () => {
    cli.write("tree/values/10-mine.yaml", `a: ${"x".repeat(5000)}\n`);
    const before = aws.store.values();
    const { code, err } = await cli.run("push tree");
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("it takes 5004 bytes, and a standard parameter holds 4096"),
    ]);
    expect(aws.store.values()).toEqual(before);
    expect((await cli.run("push tree --advanced")).code).toBe(0);
    cli.write("tree/values/10-mine.yaml", `a: ${"y".repeat(5000)}\n`);
    expect((await cli.run("push tree")).code).toBe(0);
    cli.write("tree/values/10-mine.yaml", VALUES);
    expect((await cli.run("push tree")).code).toBe(0);
    expect(aws.stored("values/10-mine")).toBe(VALUES);
  });

  it("leaves what was begun unpublished when it breaks off, and completes it when it is run again", async () => {
    let writes = 0;
    const broken = fakeAws({
      fault: ({ operation }) => {
        if (operation === "PutParameter") writes += 1;
        return operation === "PutParameter" && writes === 3
          ? { kind: "error", name: "AccessDeniedException", status: 400 }
          : undefined;
      },
    });
    const user = otherUser(broken);
    expect((await user.run("push tree")).code).toBe(3);
    const { code, err } = await user.run("publish");
    expect(code).toBe(3);
    expect(err).toContain(`a push by ${CALLER}, begun at `);
    expect((await user.run("push tree --publish")).out).toContain("stable serves ");
    user.remove(".");
  });

  it("says the last word of a push that was broken off just before it", async () => {
    await cli.run("push tree");
    const whole = aws.stored("manifest") as string;
    await aws.edit("manifest", whole.replace("complete", "pushing"));
    expect((await cli.run("push tree")).code).toBe(0);
    expect(aws.stored("manifest")).toContain('"complete"');
  });

  it("waits for another's push to be complete, unless it is forced", async () => {
    await aws.edit(
      "manifest",
      JSON.stringify({ state: "pushing", digest: "0", by: "bob", at: "2026-01-02T03:04:05Z" }),
    );
    const { code, err } = await cli.run("push tree");
    expect(code).toBe(3);
    expect(err).toBe(
      "Cannot push: a push by bob, begun at 2026-01-02T03:04:05Z, is not complete; wait for it, or push with --force if it was broken off\n",
    );
    expect((await cli.run("push tree --force")).code).toBe(0);
  });

  it("does not complete a push into which another user has written", async () => {
    let done = false;
    const raced = fakeAws({
      onChange: ({ name }) => {
        if (!name.endsWith("values/10-mine") || done) return;
        done = true;
        void raced.edit("mesh", "enableTracing: true\n");
      },
    });
    const user = otherUser(raced);
    const { code, err } = await user.run("push tree");
    expect(code).toBe(1);
    expect(err).toContain("another writer changed it at the same time; nothing of it is published");
    expect(raced.stored("manifest")).toContain('"pushing"');
    user.remove(".");
  });

  it("takes back what it wrote, and names the way out, when the oldest of a parameter's 100 versions has a label", async () => {
    await cli.run("push tree");
    const name = `/outrigger/dev/source/${PROXY_IMAGE}`;
    const label = { Name: name, ParameterVersion: 1, Labels: ["keep"] };
    expect(await aws.store.service.call("LabelParameterVersion", label)).toMatchObject({ kind: "answer" });
    for (let version = 2; version <= 100; version++)
      await aws.edit(PROXY_IMAGE, PARTIAL.replace("{{", "<%").replace("}}", "%>"));
    const before = sourceOf(aws);
    cli.write("tree/mesh.yaml", "enableTracing: true\n");
    cli.write("tree/values/10-mine.yaml", VALUES.replace("one", "two"));
    cli.write(`tree/${PROXY_IMAGE}.hbs`, PARTIAL.replace("proxyv2", "proxyv3"));
    const { code, err } = await cli.run("push tree");
    expect(code).not.toBe(0);
    expect(err).toContain(`aws ssm unlabel-parameter-version --name ${name} --parameter-version 1 --labels LABEL`);
    expect(err).toContain("nothing of the push is left there");
    expect(sourceOf(aws)).toEqual(before);
    // What another user pushes is published.
    const other = otherUser(aws);
    other.write("tree/values/20-theirs.yaml", "global: {}\n");
    expect(await other.run("push tree --publish")).toMatchObject({ code: 0 });
    other.remove(".");
  });

  it("appears in the channel's history, with who and why, when the deployment publishes it", async () => {
    await cli.run("push tree -m", "Another hub");
    const { askPublisher } = await aws.connect({ stage: "dev", layout: aws.layout, publisher: "" });
    await askPublisher({ action: "publish", automatic: true, cause: { by: "an edit", why: "" } });
    expect((await cli.json("channel stable")).history[0]).toMatchObject({ by: CALLER, why: "Another hub" });
    await aws.edit("mesh", "enableTracing: false\n");
    await askPublisher({ action: "publish", automatic: true, cause: { by: "an edit", why: "" } });
    expect((await cli.json("channel stable")).history[0]).toMatchObject({ by: "an edit", why: "", edits: ["mesh@1"] });
  });

  it("publishes and waits when it is asked to", async () => {
    cli.write("tree/config.yaml", "publishTo: canary\n");
    const { code, out } = await cli.run("push tree --publish --channel canary -m", "Another hub");
    expect(code).toBe(0);
    expect(out).toMatch(/^canary serves [0-9a-f]{12} now \(a new channel\)$/m);
    expect(aws.asked).toEqual([
      {
        action: "publish",
        channel: "canary",
        id: expect.any(String),
        tree: expect.any(String),
        cause: { by: CALLER, why: "Another hub" },
      },
    ]);
  });

  it("takes no advanced parameter because an account has no more standard ones", async () => {
    const full = fakeAws({ maxStandard: 1 });
    const user = otherUser(full);
    expect((await user.run("push tree")).code).toBe(1);
    const tiers = [...full.store.table().values()].map((versions) => versions.at(-1)?.tier);
    expect(tiers).not.toContain("Advanced");
  });

  it("refuses to write to a store that is empty and was not, unless it is forced", async () => {
    await cli.run("push tree");
    await aws.store.deleteParameters(Object.keys(aws.store.values()));
    const { code, err } = await cli.run("push tree --publish");
    expect([code, err]).toEqual([1, expect.stringContaining("/outrigger/dev/source is empty, and had ")]);
    expect(aws.store.values()).toEqual({});
    expect((await cli.run("push tree --force")).code).toBe(0);
    expect(aws.stored("values/10-mine")).toBe(VALUES);
  });

  it("keeps apart what it pushed to the same stage in two Regions", async () => {
    const other = fakeAws({}, SHIPPED, "111122223333/eu-west-2/");
    const user = fakeCli((target) => (target.region === "eu-west-2" ? other : aws).connect(target), SHIPPED);
    user.write("tree/values/10-mine.yaml", VALUES);
    expect((await user.run("push tree")).code).toBe(0);
    expect((await user.run("push tree --publish --region eu-west-2")).code).toBe(0);
    expect(other.stored("values/10-mine")).toBe(VALUES);
    expect((await user.run("pull tree --region eu-west-2")).code).toBe(0);
    expect(user.read("tree/values/10-mine.yaml")).toBe(VALUES);
    user.remove(".");
  });

  it("refuses to publish to another channel than the one that edits go to by themselves", async () => {
    const { code, err } = await cli.run("push tree --publish --channel canary");
    expect(code).toBe(2);
    expect(err).toBe(
      'Cannot push to channel canary alone: every edit is published to stable by itself; send edits to it with "outrigger channel edits canary"\n',
    );
    expect(aws.store.values()).toEqual({});
  });

  it("goes to the deployment that is named", async () => {
    expect((await cli.run("push tree --deployment prod")).err).toContain("there is dev; correct");
    expect(aws.store.values()).toEqual({});
    aws.deployed.push("/outrigger/prod");
    expect((await cli.run("push tree --deployment prod")).code).toBe(0);
    expect(Object.keys(aws.store.values())[0]).toMatch(/^\/outrigger\/prod\/source\//);
    expect((await cli.run("push tree --prefix x")).err).toContain('Cannot use "x" as a prefix');
    expect((await cli.run("push tree --deployment 1/2")).code).toBe(2);
  });

  it("sends the prefix to the publish function when it is not the default", async () => {
    aws.deployed.push("/outrigger/prod", "/team/outrigger");
    await cli.run("publish --deployment prod");
    await cli.run("publish --prefix /team/outrigger/");
    await cli.run("publish --deployment dev --publisher theirs");
    expect(aws.asked.map(({ prefix }) => prefix)).toEqual([undefined, "/team/outrigger", "/outrigger/dev"]);
  });
});
