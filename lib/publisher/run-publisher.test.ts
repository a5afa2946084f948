import { defined, OutriggerError } from "@outrigger/base";
import { beforeEach, describe, expect, it } from "vitest";
import { digestOfTree, layout, publisherSetup } from "../../test/support/publisher-setup.ts";
import type { PublisherResult } from "./request/publisher-result.ts";
import { manifestText, treeDigest } from "./source/push-manifest.ts";

const A = digestOfTree({ mesh: "a" });
const B = digestOfTree({ mesh: "b" });
const C = digestOfTree({ mesh: "c" });
const SHA = "ab".repeat(32);
const SHA2 = "cd".repeat(32);
const SHA3 = "ef".repeat(32);
const HOUR = 60 * 60 * 1000;

let setup: ReturnType<typeof publisherSetup>;
beforeEach(() => {
  setup = publisherSetup();
});

async function publish(text: string, more: object = {}) {
  await setup.edit("mesh", text);
  return setup.run({ action: "publish", ...more });
}

const record = async (channel: string) => JSON.parse(setup.store.values()[layout.channel(channel)] as string);
const names = (below: string) => Object.keys(setup.store.values()).filter((name) => name.startsWith(`${below}/`));
const snapshots = () => [...setup.bucket.objectTable().keys()].filter((key) => /\/objects\/[0-9a-f]{32}$/.test(key));
const isKept = (digest: string) => setup.bucket.objectTable().has(layout.release(digest));

describe("runPublisher() publish", () => {
  it("serves the tree and says what changed when it is the first", async () => {
    expect(await publish("a")).toMatchObject({
      ok: true,
      message: `stable serves ${A} now (a new channel)`,
      release: A,
      channel: "stable",
      changed: true,
    });
    const snapshot = await setup.served();
    expect(snapshot.channels).toEqual({ stable: A });
    expect(snapshot.releases[A]?.values).toEqual({ mesh: "a" });
  });

  it("writes down who, when, why, and from which edits", async () => {
    await publish("a");
    await setup.edit("templates/sidecar", "x");
    await setup.run({ action: "publish", cause: { by: "bob", why: "uses {{x}}" } } as never);
    const { history } = await record("stable");
    expect(history).toMatchObject([
      { action: "publish", by: "bob", why: "uses {{x}}", edits: ["templates/sidecar@1"], at: expect.any(String) },
      { action: "publish", by: "ann", why: "", edits: ["mesh@1"], release: A },
    ]);
  });

  it("names who edited when the store knows, and an edit publishes itself", async () => {
    await publish("a");
    await setup.edit("mesh", "b");
    const editorOf = async ({ name, version }: { readonly name: string; readonly version: number }) =>
      `${name}#${version}`;
    await setup.run({ action: "publish", automatic: true }, { editorOf });
    expect((await record("stable")).history[0].by).toBe(`${layout.source}/mesh#2`);
  });

  it("changes nothing and writes nothing when the tree is what is served", async () => {
    await publish("a");
    setup.store.forgetCalls();
    expect(await setup.run({ action: "publish" })).toMatchObject({ ok: true, changed: false, release: A });
    expect(setup.store.calls().PutParameter).toBeUndefined();
  });

  it("writes nothing when it is a dry run, and says what it would do", async () => {
    await publish("a");
    const before = setup.store.values();
    const result = await publish("b", { dryRun: true });
    expect(result).toMatchObject({ ok: true, changed: true, message: `stable would serve ${B} (${A} before)` });
    expect(setup.store.values()).toEqual({ ...before, [`${layout.source}/mesh`]: "b" });
  });

  it("goes to the channel that the config names, or to the one that is asked for", async () => {
    await setup.edit("config", "publishTo: canary");
    expect(await setup.run({ action: "publish" })).toMatchObject({ channel: "canary" });
    expect(await setup.run({ action: "publish", channel: "stable" })).toMatchObject({ channel: "stable" });
    expect(Object.keys((await setup.served()).channels)).toEqual(["canary", "stable"]);
  });

  it("takes names that objects inherit for what they are when a channel is called constructor", async () => {
    expect(await publish("a", { channel: "constructor" })).toMatchObject({ ok: true, changed: true });
    expect(Object.entries((await setup.served()).channels)).toEqual([["constructor", A]]);
  });

  it("leaves a pinned channel where it is unless the request says otherwise", async () => {
    await publish("a");
    await setup.run({ action: "pin", channel: "stable" });
    const result = await publish("b", { automatic: true });
    expect(result).toMatchObject({ ok: true, changed: false, release: A });
    expect(result).toHaveProperty("message", expect.stringContaining(`stable is pinned to ${A} (pin by ann`));
    expect((await setup.served()).channels).toEqual({ stable: A });
    expect(await setup.run({ action: "publish" })).toMatchObject({
      error: { code: "channel-pinned", message: expect.stringContaining('run "outrigger pin stable --off" first') },
    });
    expect(await setup.run({ action: "publish", unpin: true })).toMatchObject({ ok: true, changed: true, release: B });
    expect(await record("stable")).toMatchObject({ release: B, pinned: false });
  });
});

describe("runPublisher() when a tree is refused", () => {
  beforeEach(async () => {
    await publish("a");
  });

  async function refusal(request: object = {}) {
    const before = setup.store.values();
    const result = await setup.run({ action: "publish", ...request });
    expect(setup.store.values()).toEqual(before);
    expect((await setup.served()).channels).toEqual({ stable: A });
    if (result.ok) throw new Error("It was not refused");
    return result.error;
  }

  it("names parameter, version, line and column when it does not compile", async () => {
    await setup.edit("templates/sidecar", "bad");
    expect(await refusal()).toEqual({
      code: "template-invalid",
      message: `Cannot compile templates/sidecar: it is bad (line 3, column 4); the text is in ${layout.source}/templates/sidecar, version 1`,
      path: `${layout.source}/templates/sidecar`,
      line: 3,
      column: 4,
    });
  });

  it("leaves an error of the shipped tree as it is, which no parameter holds", async () => {
    const compile = () => {
      throw new OutriggerError("template-invalid", "Cannot compile the shipped template", {
        path: "templates/shipped",
      });
    };
    await setup.edit("mesh", "a");
    expect(await setup.run({ action: "publish" }, { compile })).toMatchObject({
      error: { message: "Cannot compile the shipped template", path: "templates/shipped" },
    });
  });

  it.each([
    ["templates/a b", "x", "tree-invalid"],
    ["secrets", "x", "tree-invalid"],
    ["mesh", "a %> b", "tree-invalid"],
    ["manifest", "{}", "store-corrupt"],
    ["config", "publishTo: A_B", "config-invalid"],
  ])("names the parameter when %s holds %j", async (path, text, code) => {
    const table = new Map(setup.store.table());
    const name = `${layout.source}/${path}`;
    table.set(name, [{ ...(table.get(`${layout.source}/mesh`)?.[0] as object), value: text }] as never);
    setup = { ...setup, ...publisherSetup({ table }) };
    expect(await refusal()).toMatchObject({ code, path: name });
  });

  it.each(["StringList", "SecureString"])("names the parameter when it is a %s", async (type) => {
    await setup.store.service.call("PutParameter", { Name: `${layout.source}/values/a`, Value: "a", Type: type });
    const error = await refusal();
    expect(error).toMatchObject({ code: "tree-invalid", path: `${layout.source}/values/a` });
    expect(error.message).toContain(`it is a ${type}; delete it`);
  });

  it("says who pushes when a push is half done, and publishes when it is whole", async () => {
    const digest = treeDigest({ mesh: "a", config: "# x" });
    const manifest = { state: "pushing", digest, by: "bob", at: "2026-01-01T00:00:00Z" } as const;
    await setup.put(layout.sourceParameter("manifest"), manifestText(manifest));
    await setup.edit("templates/sidecar", "half");
    expect(await refusal()).toMatchObject({ code: "tree-half-pushed", message: expect.stringContaining("bob") });
    await setup.store.deleteParameters([layout.sourceParameter("templates/sidecar")]);
    await setup.edit("config", "# x");
    expect(await setup.run({ action: "publish" })).toMatchObject({ ok: true, changed: true });
  });

  it("asks for the tree that was pushed when it is another", async () => {
    expect(await refusal({ tree: treeDigest({ mesh: "b" }) })).toMatchObject({ code: "tree-changed" });
    expect(await setup.run({ action: "publish", tree: treeDigest({ mesh: "a" }) })).toMatchObject({ ok: true });
  });

  it("asks whether it was meant when everything is deleted, and takes a person's word for it", async () => {
    await setup.store.deleteParameters([`${layout.source}/mesh`]);
    expect(await refusal()).toMatchObject({
      code: "edit-held",
      message: expect.stringContaining("entries-gone (nothing left of 1 entries)"),
    });
    const accepted = await setup.run({ action: "publish", accept: ["entries-gone"] });
    expect(accepted).toMatchObject({ ok: true, release: digestOfTree({}) });
  });

  it("names the largest texts when the snapshot does not fit", async () => {
    const noise = Array.from({ length: 12 }, (_, index) => [`values/${index}`, noiseOf(4000, index)] as const);
    for (const [path, text] of noise) await setup.edit(path, text);
    const pack = () => {
      throw new OutriggerError("store-full", "It is too large");
    };
    const { error } = (await setup.run({ action: "publish" }, { pack })) as Extract<
      PublisherResult,
      { readonly ok: false }
    >;
    expect(error.code).toBe("store-full");
    expect(error.message).toMatch(
      /; the largest texts, compressed, are values\/\d+ \(\d{4}\), values\/\d+ \(\d{4}\), values\/\d+ \(\d{4}\)$/,
    );
    expect(await setup.run({ action: "publish" })).toMatchObject({ ok: true });
  });

  it("keeps the head, which every container reads, on the standard tier, whose reads are free", async () => {
    await setup.edit("values/1", "a");
    const tiers = new Map<string, string>();
    const store = {
      ...setup.store,
      putParameter: (write: Parameters<typeof setup.store.putParameter>[0]) => {
        tiers.set(write.name, write.tier);
        return setup.store.putParameter(write);
      },
    };
    expect(await setup.run({ action: "publish" }, { tier: "Advanced", store })).toMatchObject({ ok: true });
    expect(tiers.get(layout.head)).toBe("Standard");
    expect([...tiers.values()]).toContain("Advanced");
  });

  it("says that it never settles when it is edited all the time", async () => {
    let count = 0;
    const store = {
      ...setup.store,
      getParametersByPath: async (...call: Parameters<typeof setup.store.getParametersByPath>) => {
        await setup.edit("mesh", `a${count++}`);
        return setup.store.getParametersByPath(...call);
      },
    };
    expect(await setup.run({ action: "publish" }, { store })).toMatchObject({ error: { code: "tree-changed" } });
  });
});

describe("runPublisher() promote, rollback, pin and unpin", () => {
  it("goes back one release at a time, pins, and never goes forth again", async () => {
    for (const text of ["a", "b", "c"]) await publish(text);
    expect(await setup.run({ action: "rollback", channel: "stable" })).toMatchObject({ release: B, changed: true });
    expect(await record("stable")).toMatchObject({ release: B, pinned: true });
    expect(await setup.run({ action: "rollback", channel: "stable" })).toMatchObject({ release: A });
    expect(await setup.run({ action: "rollback", channel: "stable" })).toMatchObject({
      error: { code: "release-unknown", message: expect.stringContaining(`no release before ${A}`) },
    });
    expect((await setup.served()).channels).toEqual({ stable: A });
    expect(await setup.run({ action: "rollback", channel: "stable", release: C })).toMatchObject({ release: C });
  });

  it("stays rolled back when the source is edited, until it is unpinned", async () => {
    for (const text of ["a", "b"]) await publish(text);
    await setup.run({ action: "rollback", channel: "stable" });
    await publish("c", { automatic: true });
    expect((await setup.served()).channels).toEqual({ stable: A });
    await setup.run({ action: "unpin", channel: "stable" });
    expect((await setup.served()).channels).toEqual({ stable: A });
    await setup.run({ action: "publish", automatic: true });
    expect((await setup.served()).channels).toEqual({ stable: A });
    await publish("d", { automatic: true });
    expect((await setup.served()).channels).toEqual({ stable: digestOfTree({ mesh: "d" }) });
  });

  it("tries a release on one channel and promotes it to another", async () => {
    await publish("a");
    await publish("b", { channel: "canary" });
    expect((await setup.served()).channels).toEqual({ canary: B, stable: A });
    const result = await setup.run({ action: "promote", from: "canary", to: "stable" });
    expect(result).toMatchObject({ message: `stable serves ${B} now (${A} before)`, channel: "stable", release: B });
    expect((await setup.served()).releases).toHaveProperty(B);
    expect(Object.keys((await setup.served()).releases)).toEqual([B]);
  });

  it.each([
    [{ action: "promote", from: "canary", to: "stable" }, "channel-unknown", "channels are stable"],
    [{ action: "pin", channel: "beta" }, "channel-unknown", "there is none of that name"],
    [{ action: "rollback", channel: "stable", release: "0".repeat(12) }, "release-unknown", "nothing is kept of it"],
  ] as const)("refuses %j and changes nothing", async (request, code, words) => {
    await publish("a");
    const before = setup.store.values();
    const result = await setup.run(request);
    expect(result).toMatchObject({ ok: false, error: { code, message: expect.stringContaining(words) } });
    expect(setup.store.values()).toEqual(before);
  });

  it("refuses a release that cannot be loaded, or is of another format", async () => {
    for (const text of ["a", "b"]) await publish(text);
    const load = () => {
      throw new OutriggerError("release-unsupported", "Cannot load");
    };
    const refused = await setup.run({ action: "rollback", channel: "stable" }, { load });
    expect(refused).toMatchObject({ error: { code: "release-unsupported" } });
    expect((await setup.served()).channels).toEqual({ stable: B });
  });

  it("removes a channel only when no cluster is served from it", async () => {
    await publish("a");
    await publish("b", { channel: "canary" });
    await setup.run({ action: "put-cluster", cluster: "c1", record: { revisions: { default: "canary" }, arn: "" } });
    const refused = await setup.run({ action: "remove-channel", channel: "canary" });
    expect(refused).toMatchObject({ error: { code: "channel-unknown", message: expect.stringContaining("(c1)") } });
    await setup.run({ action: "remove-cluster", cluster: "c1" });
    const before = setup.store.values();
    const dry = await setup.run({ action: "remove-channel", channel: "canary", dryRun: true });
    expect(dry).toMatchObject({ ok: true, changed: true, message: "canary would be removed" });
    expect(setup.store.values()).toEqual(before);
    const removed = await setup.run({ action: "remove-channel", channel: "canary" });
    expect(removed).toMatchObject({ ok: true, changed: true, message: "canary is removed" });
    const again = await setup.run({ action: "remove-channel", channel: "canary" });
    expect(again).toMatchObject({ ok: true, changed: false, message: "There is no channel canary" });
    expect((await setup.served()).channels).toEqual({ stable: A });
  });
});

describe("runPublisher() for clusters", () => {
  const put = (tokens?: readonly string[]) => {
    const live = tokens?.map((sha256) => ({ sha256, created: "2026-01-01" }));
    const record = defined({ revisions: { default: "stable" }, arn: "", tokens: live });
    return setup.run({ action: "put-cluster", cluster: "c1", record });
  };
  const token = (action: "add-token" | "retire-token", sha256: string) => setup.run({ action, cluster: "c1", sha256 });

  beforeEach(async () => {
    await publish("a");
  });

  it("refuses a record that another command has changed meanwhile, unless it is the same", async () => {
    await put([SHA]);
    const record = { revisions: { default: "stable" }, arn: "arn:2", tokens: [{ sha256: SHA, created: "2026-01-01" }] };
    const change = { action: "put-cluster", cluster: "c1", expect: "none", record } as const;
    expect(await setup.run(change)).toMatchObject({ error: { code: "cluster-conflict" } });
    expect(await setup.run({ action: "put-cluster", cluster: "c1", record })).toMatchObject({ ok: true });
    expect(await setup.run(change)).toMatchObject({ ok: true, changed: false });
  });

  it("says what happened to the cluster, and what would", async () => {
    const record = { revisions: { default: "stable" }, arn: "", tokens: [{ sha256: SHA, created: "2026-01-01" }] };
    const change =
      (action: object, message: string, changed = true) =>
      async () => {
        const request = { cluster: "c1", ...action } as Parameters<typeof setup.run>[0];
        const before = setup.store.values();
        const dry = changed ? "Cluster c1: something would change" : message;
        expect(await setup.run({ ...request, dryRun: true })).toMatchObject({ ok: true, changed, message: dry });
        expect(setup.store.values()).toEqual(before);
        expect(await setup.run(request)).toMatchObject({ ok: true, changed, message });
      };
    const putOf = (arn: string) => ({ action: "put-cluster", record: { ...record, arn } });
    const remove = { action: "remove-cluster" };
    const same = "Cluster c1: it is so already";
    for (const step of [
      change(remove, "There is no cluster c1", false),
      change(putOf("1"), "Cluster c1 is registered"),
      change(putOf("1"), same, false),
      change(putOf("2"), "Cluster c1 is changed"),
      change({ action: "add-token", sha256: SHA2 }, "Cluster c1 has one more token"),
      change({ action: "add-token", sha256: SHA2 }, same, false),
      change({ action: "retire-token", sha256: SHA2 }, "Cluster c1 has one token less"),
      change({ action: "retire-token", sha256: SHA2 }, same, false),
      change(remove, "Cluster c1 is not registered any more"),
      change(remove, "There is no cluster c1", false),
    ]) {
      await step();
    }
    await setup.put(layout.cluster("c1"), "nonsense");
    await change(remove, "Cluster c1 is not registered any more")();
    expect(setup.store.values()).not.toHaveProperty([layout.cluster("c1")]);
  });

  it("rotates tokens, two live at most and one at least", async () => {
    await put([SHA]);
    expect(await token("add-token", SHA2)).toMatchObject({ ok: true, changed: true });
    expect(await token("add-token", SHA2)).toMatchObject({ ok: true, changed: false });
    expect(await token("add-token", SHA3)).toMatchObject({ error: { code: "cluster-invalid" } });
    expect((await setup.served()).clusters["c1"]?.tokens.map(({ sha256 }) => sha256)).toEqual([SHA, SHA2]);
    expect(await token("retire-token", SHA)).toMatchObject({ ok: true, changed: true });
    expect(await token("retire-token", SHA)).toMatchObject({ ok: true, changed: false });
    const last = await token("retire-token", SHA2);
    expect(last).toMatchObject({ error: { message: expect.stringContaining("Cannot retire the last token") } });
    expect((await setup.served()).clusters["c1"]?.tokens.map(({ sha256 }) => sha256)).toEqual([SHA2]);
  });

  it("keeps tokens when a record is replaced without any, even one that cannot be read", async () => {
    await put([SHA]);
    await put();
    expect((await setup.served()).clusters["c1"]?.tokens).toHaveLength(1);
    await setup.put(layout.cluster("c1"), "nonsense");
    await put();
    expect((await setup.served()).clusters["c1"]?.tokens).toHaveLength(1);
  });

  it("refuses a channel that does not exist, and a token that another cluster has", async () => {
    const record = { revisions: { default: "beta" }, arn: "" };
    expect(await setup.run({ action: "put-cluster", cluster: "c2", record })).toMatchObject({
      error: { code: "channel-unknown", message: expect.stringContaining("channels are stable") },
    });
    await put([SHA]);
    const tokens = [{ sha256: SHA, created: "x" }];
    const twin = { revisions: { default: "stable" }, arn: "", tokens };
    const refused = await setup.run({ action: "put-cluster", cluster: "c2", record: twin });
    expect(refused).toMatchObject({ error: { code: "cluster-invalid" } });
    expect(JSON.stringify(refused)).not.toContain(SHA);
  });

  it("says what is registered when a cluster is not", async () => {
    await put([SHA]);
    const refused = await setup.run({ action: "add-token", cluster: "c2", sha256: SHA2 });
    expect(refused).toMatchObject({
      error: { code: "cluster-unknown", message: expect.stringContaining("registered are: c1") },
    });
    expect(await setup.run({ action: "remove-cluster", cluster: "c2" })).toMatchObject({ ok: true, changed: false });
  });
});

describe("runPublisher() when what is kept is broken", () => {
  beforeEach(async () => {
    await publish("a");
    await publish("b", { channel: "canary" });
    await setup.run({ action: "put-cluster", cluster: "c1", record: { revisions: { default: "stable" }, arn: "" } });
  });

  it.each([
    [layout.channel("stable"), "nonsense", "it is not JSON"],
    [layout.channel("stable"), '{"release":"x"}', "it names no release"],
    [layout.cluster("c1"), '{"revisions":{"default":"stable"},"tokens":[{"sha256":"x"}]}', "tokens[0].sha256"],
  ])("continues serving what it served, and reports it, when %s is %j", async (name, value, words) => {
    const { channels, clusters } = await setup.served();
    await setup.put(name, value);
    const result = await publish("c", { channel: "canary" });
    expect(result).toMatchObject({ ok: true, problems: [{ path: name, message: expect.stringContaining(words) }] });
    const snapshot = await setup.served();
    expect(snapshot.channels).toEqual({ ...channels, canary: C });
    expect(snapshot.clusters).toEqual(clusters);
  });

  /** Deletes a record that is served, long after the log has forgotten how it came about. */
  async function lose(...lost: readonly string[]) {
    setup.clock.time += HOUR;
    await setup.run({ action: "repair" });
    await setup.store.deleteParameters([...lost, ...names(layout.changes)]);
  }

  it("continues serving a channel and a cluster whose records were deleted by hand, and reports them", async () => {
    await setup.run({ action: "pin", channel: "stable" });
    const { channels, clusters } = await setup.served();
    await lose(layout.channel("stable"), layout.cluster("c1"));
    const result = await publish("c", { channel: "canary" });
    const remedy = expect.stringContaining('run "outrigger repair"');
    expect(result).toMatchObject({
      ok: true,
      problems: [
        { code: "store-corrupt", path: layout.channel("stable"), message: remedy },
        { code: "store-corrupt", path: layout.cluster("c1"), message: remedy },
      ],
    });
    expect(await setup.served()).toMatchObject({ channels: { ...channels, canary: C }, clusters, pins: ["stable"] });
    expect(await setup.run({ action: "remove-cluster", cluster: "c1" })).toMatchObject({ ok: true, changed: true });
    expect(await setup.run({ action: "remove-channel", channel: "stable" })).toMatchObject({ ok: true, changed: true });
    expect(await setup.served()).toMatchObject({ channels: { canary: C }, clusters: {} });
  });

  it("repairs a broken record when it is written again", async () => {
    await setup.put(layout.channel("stable"), "nonsense");
    await setup.put(layout.cluster("c1"), "nonsense");
    expect(await publish("c")).toMatchObject({ ok: true, problems: [{ path: layout.cluster("c1") }] });
    await setup.run({ action: "put-cluster", cluster: "c1", record: { revisions: { default: "stable" }, arn: "" } });
    const result = await setup.run({ action: "repair" });
    expect(result).not.toHaveProperty("problems");
    expect((await setup.served()).channels).toEqual({ canary: B, stable: C });
  });

  it("serves the other channels when a release is lost", async () => {
    await setup.store.deleteParameters([layout.head]);
    for (const key of [layout.bucketHead, layout.release(B)]) await setup.bucket.deleteObject(key);
    const result = await setup.run({ action: "repair" });
    const message = expect.stringContaining("canary cannot be moved to it");
    expect(result).toMatchObject({ ok: true, changed: true, problems: [{ code: "release-unknown", message }] });
    expect((await setup.served()).channels).toEqual({ stable: A });
  });

  it.each([
    ["the head", () => [layout.head]],
    ["the mirror", () => [layout.mirrorPart(0)]],
    ["the snapshot", snapshots],
    ["the bucket's head", () => [layout.bucketHead]],
    ["all that is served", () => [layout.head, layout.bucketHead, layout.mirrorPart(0), ...snapshots()]],
    ["nothing", () => []],
  ])("serves the same again, and says so, when %s was deleted", async (_what, deleted) => {
    const { seq, ...before } = await setup.served();
    const changed = deleted().length > 0;
    for (const name of deleted())
      await (name.startsWith("/") ? setup.store.deleteParameters([name]) : setup.bucket.deleteObject(name));
    const damaged = [setup.store.values(), setup.bucket.objectTable()];
    expect(await setup.run({ action: "repair", dryRun: true })).toMatchObject({ ok: true, changed });
    expect([setup.store.values(), setup.bucket.objectTable()]).toEqual(damaged);
    expect(await setup.run({ action: "repair" })).toMatchObject({ ok: true, changed });
    expect(await setup.run({ action: "repair" })).toMatchObject({ ok: true, changed: false });
    const { seq: after, ...snapshot } = await setup.served();
    expect(snapshot).toEqual(before);
    expect(after).toBeGreaterThanOrEqual(seq);
    const calls = setup.store.calls().GetParameters ?? 0;
    await setup.served();
    expect((setup.store.calls().GetParameters ?? 0) - calls).toBe(1);
  });

  it("overwrites nothing that a newer version wrote", async () => {
    const pack = (await import("@outrigger/aws")).packParts;
    const { digest, text } = pack('{"format":2,"seq":9e12}', "Standard", "snapshot", "releases");
    await setup.bucket.putObject({ key: layout.snapshot(digest), text });
    await setup.put(layout.head, JSON.stringify({ digest, parts: 1, seq: 9e12 }));
    const before = setup.store.values();
    const result = await setup.run({ action: "rollback", channel: "stable", release: B });
    expect(result).toMatchObject({
      error: { code: "release-unsupported", message: expect.stringContaining("a newer version of Outrigger wrote") },
    });
    expect(setup.store.values()).toEqual(before);
  });
});

describe("runPublisher() for another deployment", () => {
  it("refuses what was meant for it, whatever it is", async () => {
    await publish("a");
    expect(await setup.run({ action: "repair", prefix: layout.prefix })).toMatchObject({ ok: true });
    const before = setup.store.values();
    for (const action of [{ action: "publish" }, { action: "remove-cluster", cluster: "c1" }] as const) {
      expect(await setup.run({ ...action, prefix: "/outrigger/prod" })).toMatchObject({
        ok: false,
        error: {
          code: "usage",
          message: expect.stringContaining('writes below /outrigger/dev, and "/outrigger/prod" is meant'),
        },
      });
    }
    expect(setup.store.values()).toEqual(before);
  });
});

describe("runPublisher() repair", () => {
  it("keeps superseded snapshots an hour, and what a channel's history names for good", async () => {
    for (const text of ["a", "b"]) await publish(text);
    await setup.run({ action: "repair" });
    expect(snapshots()).toHaveLength(2);
    setup.clock.time += HOUR;
    await setup.run({ action: "repair" });
    expect(snapshots()).toHaveLength(1);
    expect(isKept(A)).toBe(true);
  });

  it("takes away releases that no channel names any more", async () => {
    await publish("a");
    await publish("b", { channel: "canary" });
    setup.clock.time += HOUR;
    await setup.run({ action: "remove-channel", channel: "canary" });
    await setup.run({ action: "repair" });
    expect([isKept(B), isKept(A)]).toEqual([false, true]);
    expect((await setup.served()).channels).toEqual({ stable: A });
  });

  it("has nothing to do when nothing was ever published", async () => {
    expect(await setup.run({ action: "repair" })).toMatchObject({ ok: true, changed: false, seq: 0 });
    expect(setup.store.values()).toEqual({});
  });
});

/** Text that does not compress. */
function noiseOf(length: number, seed: number): string {
  let state = seed + 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(97 + (state % 26));
  })
    .join("")
    .replaceAll("bad", "bed");
}

describe("runPublisher() when something fails", () => {
  it("answers with an error of Outrigger's, and throws any other", async () => {
    await setup.edit("mesh", "a");
    const failing = (error: Error) =>
      setup.run({ action: "publish" }, { store: { ...setup.store, putParameter: () => Promise.reject(error) } });
    const refused = new OutriggerError("store-unavailable", "Cannot write");
    expect(await failing(refused)).toMatchObject({ ok: false, error: { code: "store-unavailable" } });
    await expect(failing(new TypeError("a fault"))).rejects.toThrow(new TypeError("a fault"));
  });

  it("does not take a failed write of a release for another publisher's", async () => {
    await setup.edit("mesh", "a");
    const putObject: typeof setup.bucket.putObject = (write) =>
      write.key === layout.release(A)
        ? Promise.reject(new OutriggerError("store-unavailable", "Cannot write"))
        : setup.bucket.putObject(write);
    const store = { ...setup.store, objects: { ...setup.bucket, putObject } };
    const result = await setup.run({ action: "publish" }, { store });
    expect(result).toMatchObject({ ok: false, error: { code: "store-unavailable" } });
  });
});
