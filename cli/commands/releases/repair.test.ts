import { readSnapshot } from "@outrigger/serving";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";

/** Returns what a reader is given, except for its number. */
async function servedBy({ store, layout }: ReturnType<typeof fakeAws>) {
  const reading = await readSnapshot(store, layout, undefined);
  return reading.kind === "snapshot" ? { ...reading.snapshot, seq: 0 } : reading;
}

function headOf({ store, layout }: ReturnType<typeof fakeAws>): { readonly digest: string } {
  return JSON.parse(store.values()[layout.head] as string);
}

const SHA = "0123456789abcdef".repeat(4);
const hub = (name: string) => `global:\n  hub: registry.example/${name}\n`;

describe("outrigger repair", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  let release: string;
  beforeEach(async () => {
    aws = fakeAws();
    cli = fakeCli(aws.connect, SHIPPED);
    cli.write("tree/values/10-mine.yaml", hub("one"));
    cli.write("tree/config.yaml", "defaultTemplates: [sidecar]\nneverInjectSelector: [{matchLabels: {app: db} }]\n");
    release = (await cli.json("publish --dir tree")).release;
    const record = {
      revisions: { default: "stable" },
      arn: "",
      tokens: [{ sha256: SHA, created: "2026-01-02T03:04:05Z" }],
    };
    await aws.put(aws.layout.cluster("shop"), JSON.stringify(record));
    await cli.run("clusters set shop network=network-1");
  });
  afterEach(() => cli.remove("."));

  /** All parameters below some folders of the prefix are deleted by mistake. */
  async function lose(...folders: readonly string[]): Promise<void> {
    for (const name of Object.keys(aws.store.values())) {
      if (folders.some((folder) => name.startsWith(`/outrigger/dev/${folder}`)))
        await aws.store.deleteParameters([name]);
    }
  }

  const loseReleases = () => aws.store.objects.emptyFolder(aws.layout.releases);
  const loseBucket = () => aws.store.objects.emptyFolder(aws.layout.objects);

  it("puts a whole prefix back from a directory, and says what cannot be recovered without the bucket", async () => {
    await lose("");
    await loseBucket();
    expect(aws.store.values()).toEqual({});
    const { code, out, err } = await cli.run("repair tree");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe(
      [
        "source/: 2 entries from tree",
        "serve/: published",
        "Nothing is served, so the clusters are unknown: register each again (outrigger register --cluster NAME)",
        "What is served is what the records say",
        "Restored\n",
      ].join("\n"),
    );
    expect((await cli.json("channel")).stable).toMatchObject({ release, pinned: false });
  });

  it.each([
    ["channels and clusters", ["channels", "clusters"]],
    ["all but the source tree", ["channels", "clusters", "changes", "serve"]],
    ["a whole prefix", [""]],
  ])("puts %s back from what is served, tokens included", async (_what, folders) => {
    const before = await servedBy(aws);
    await lose(...folders);
    const { code, out } = await cli.run("repair");
    expect(code).toBe(0);
    expect(out).toContain(`channels/stable: back to release ${release}\n`);
    expect(out).toContain("clusters/shop: as it is served, with its token\n");
    expect(out).toMatch(/\nRestored\n$/);
    expect({ ...(await servedBy(aws)), change: 0 }).toEqual({ ...before, change: 0 });
    expect(aws.store.values()).toHaveProperty([aws.layout.head]);
    expect((await cli.run("repair")).out).toMatch(/There was nothing to restore\n$/);
    expect((await cli.json("channel")).stable).toMatchObject({ release, pinned: false });
    expect(JSON.parse(aws.store.values()[aws.layout.cluster("shop")] as string)).toMatchObject({
      network: "network-1",
      tokens: [{ sha256: SHA, created: "2026-01-02T03:04:05Z" }],
    });
  });

  const damages = {
    "the head is gone": () => aws.store.deleteParameters([aws.layout.head]),
    "a part of the mirror is gone": () => aws.store.deleteParameters([aws.layout.mirrorPart(0)]),
    "the snapshot's object was altered": () =>
      aws.store.objects.putObject({ key: aws.layout.snapshot(headOf(aws).digest), text: "nonsense" }),
    "nothing whole is served": async () => {
      await lose("serve");
      await aws.store.objects.deleteObject(aws.layout.bucketHead);
    },
  };

  it.each(Object.keys(damages) as (keyof typeof damages)[])("derives what is served again when %s", async (damage) => {
    const before = await servedBy(aws);
    await damages[damage]();
    const damaged = aws.store.values();
    const dry = await cli.run("repair --dry-run");
    expect([dry.code, dry.err, dry.out]).toEqual([
      0,
      "",
      "What is served would be derived again\nNothing was written (dry run)\n",
    ]);
    expect(aws.store.values()).toEqual(damaged);
    expect(await cli.json("repair")).toEqual({
      steps: [],
      dryRun: false,
      changed: true,
      message: "What is served was derived again",
      warnings: [],
      problems: [],
    });
    expect(await servedBy(aws)).toEqual(before);
    expect(await cli.run("repair")).toEqual({
      code: 0,
      out: "What is served is what the records say\nThere was nothing to restore\n",
      err: "",
    });
  });

  it("derives all of the bucket again when it is empty", async () => {
    const before = await servedBy(aws);
    const kept = [...aws.store.objects.objectTable().keys()];
    await loseBucket();
    expect(await cli.run("repair --dry-run")).toEqual({
      code: 0,
      out: `releases/${release}: rebuilt from what is served\nNothing was written (dry run)\n`,
      err: "",
    });
    expect(aws.store.objects.objectTable().size).toBe(0);
    const { code, out } = await cli.run("repair");
    expect([code, out]).toEqual([0, expect.stringMatching(/\nRestored\n$/)]);
    // What earlier publications left, nothing derives again.
    const again = [...aws.store.objects.objectTable().keys()];
    expect(again.filter((key) => !kept.includes(key))).toEqual([]);
    const named = [aws.layout.bucketHead, aws.layout.release(release), aws.layout.snapshot(headOf(aws).digest)];
    expect(again.sort()).toEqual(named.sort());
    expect(await servedBy(aws)).toEqual(before);
    expect((await cli.run("repair")).out).toMatch(/There was nothing to restore\n$/);
  });

  it("repairs what is served whatever is wrong with the source tree, and names records that cannot be recovered", async () => {
    await aws.edit("manifest", "nonsense");
    await aws.put(aws.layout.cluster("shop"), "nonsense");
    await lose("serve");
    for (const { key } of await aws.store.objects.listObjects(aws.layout.objects))
      if (!key.startsWith(aws.layout.releases)) await aws.store.objects.deleteObject(key);
    const { code, out, err } = await cli.run("repair");
    expect([code, out]).toEqual([0, "What is served was derived again\nRestored, but for what is named above\n"]);
    expect((await cli.run("repair")).out).toMatch(/\nNothing could be restored of what is named above\n$/);
    expect(err).toMatch(/^Warning: Cannot read \/outrigger\/dev\/clusters\/shop: .*\n$/);
  });

  it("says what to do where there is nothing to derive from", async () => {
    await lose("");
    await loseBucket();
    const { code, out } = await cli.run("repair");
    expect(code).toBe(0);
    expect(out).toContain(
      "Nothing is served, and there are no channels to serve: name the directory of the source tree",
    );
    expect(out).toContain("register each again");
    expect(out).toMatch(/There was nothing to restore\n$/);
  });

  it.each([
    ["releases", []],
    ["releases and channels", ["channels"]],
    ["releases and the source tree", ["source"]],
    ["all but what is served", ["source", "channels", "clusters"]],
  ])("rebuilds %s from what is served, and can take the tree's settings from them", async (_what, folders) => {
    const before = await servedBy(aws);
    await lose(...folders);
    await loseReleases();
    const dry = await cli.run("repair --dry-run");
    expect(dry.out).toContain(`releases/${release}: rebuilt from what is served\n`);
    const { code, out, err } = await cli.run("repair");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(`releases/${release}: rebuilt from what is served\n`);
    expect(out).toMatch(/\nRestored\n$/);
    expect((await cli.json("channel")).stable.release).toBe(release);
    // A channel that is put back is one more change.
    expect({ ...(await servedBy(aws)), change: 0 }).toEqual({ ...before, change: 0 });
    expect((await cli.run("repair")).out).toMatch(/There was nothing to restore\n$/);
    if (folders.includes("source")) {
      expect((await cli.run("repair --from stable")).code).toBe(0);
      const values = Object.entries(aws.store.values()).filter(([name]) => name.includes("/source/values/"));
      expect(values).toEqual([[expect.any(String), expect.stringContaining("registry.example/one")]]);
    }
  });

  it("takes the tree from a release that has to be rebuilt first", async () => {
    await lose("source");
    await loseReleases();
    const { code, out } = await cli.run("repair --from stable");
    expect(code).toBe(0);
    expect(out).toContain(`source/: the settings of release ${release}\n`);
    expect(out).not.toContain("nothing to restore");
  });

  it("names what was served before and is gone for good", async () => {
    cli.write("tree/values/10-mine.yaml", hub("two"));
    const { release: second } = await cli.json("publish --dir tree");
    await loseReleases();
    const { code, out, err } = await cli.run("repair");
    expect(code).toBe(0);
    expect(out).toContain(`releases/${second}: rebuilt from what is served\n`);
    expect(out).toMatch(/\nRestored, but for what is named above\n$/);
    expect(err).toContain(`Warning: Cannot rebuild ${release}, which stable served before: nothing is kept of it`);
    expect((await cli.run("repair")).out).toMatch(/\nNothing could be restored of what is named above\n$/);
  });

  it("takes the very texts of a release as long as their versions are kept", async () => {
    await aws.edit("values/10-mine", hub("two"));
    const refused = await cli.run(`repair --from ${release}`);
    expect(refused.out).toBe("");
    expect(refused.err).toContain(
      "Cannot restore /outrigger/dev/source: it is not empty (config, values/10-mine); push instead, or overwrite it with --force\n",
    );
    const { code, out } = await cli.run(`repair --from ${release} --force`);
    expect(code).toBe(0);
    expect(out).toContain(`source/: 2 entries, the versions that release ${release} was made of\n`);
    expect(aws.stored("values/10-mine")).toBe(hub("one"));
  });

  it("replaces a tree that nobody can read when it is forced", async () => {
    await aws.edit("values/10-mine", "a: <% b");
    expect((await cli.run("repair tree")).err).toContain("the tag is not closed");
    expect((await cli.run("repair tree --force")).code).toBe(0);
    expect(aws.stored("values/10-mine")).toBe(hub("one"));
  });

  it("takes the settings of a release where its texts are gone, and names the templates that are lost", async () => {
    await aws.edit("templates/agent", "spec:\n  containers:\n  - name: agent\n    image: agent:1\n");
    await aws.edit("mesh", "enableTracing: false\ndefaultConfig: {concurrency: 3}\n");
    await aws.edit("namespaces", "shop: {annotations: {openshift.io/sa.scc.uid-range: 1000/1} }\n");
    const rich = (await cli.json("publish")).release;
    await lose("source");
    const { code, out } = await cli.run(`repair --from ${rich}`);
    expect(code).toBe(0);
    expect(out).toContain(`source/: the settings of release ${rich}\n`);
    expect(out).toContain(
      "Cannot be put back from a release: templates/agent; take them from where you keep them, and push\n",
    );
    const { trees } = await cli.json(`diff ${rich} source`);
    expect(trees.map(({ path }: { path: string }) => path)).toEqual(["templates/agent"]);
  });

  it("writes nothing when it is a dry run", async () => {
    await lose("channels", "clusters", "source");
    const before = aws.store.values();
    const { code, out } = await cli.run("repair tree --dry-run");
    expect(code).toBe(0);
    expect(out).toContain("clusters/shop: ");
    expect(out).toMatch(/Nothing was written \(dry run\)\n$/);
    expect(aws.store.values()).toEqual(before);
  });

  it.each<[string, number, string]>([
    ["repair tree --from stable", 2, "Cannot restore from a directory and --from at once"],
    ["repair --force", 2, "Cannot use --force without a directory or --from: there is no tree to put back"],
    ["repair gone", 3, "there is no such directory"],
    ["repair --from 000000000000", 3, "Cannot find release 000000000000"],
  ])("refuses %s", async (line, code, message) => {
    const ran = await cli.run(line);
    expect([ran.code, ran.out]).toEqual([code, ""]);
    expect(ran.err).toContain(message);
  });

  it("restores no tree that would not be published", async () => {
    await lose("source");
    cli.write("tree/values/20.yaml", "a: [\n");
    const { code, err } = await cli.run("repair tree");
    expect(code).toBe(1);
    expect(err).toContain("values/20.yaml:1:4: error: ");
    expect(aws.stored("manifest")).toBeUndefined();
  });
});
