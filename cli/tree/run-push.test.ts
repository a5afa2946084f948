// A push and what it returns, prints, asks and refuses, over Parameter Store in memory and the publisher in this process.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { OutriggerError } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import { treeDigest } from "@outrigger/publisher";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CALLER, fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { Deployment } from "../connect/deployment.ts";
import { type PushSettings, runPush } from "./run-push.ts";

const values = (hub: string) => `global:\n  hub: registry.example/${hub}\n`;
const ONE: SourceTree = { "values/10-mine": values("one") };
const TWO: SourceTree = { "values/10-mine": values("two"), mesh: "enableTracing: true\n" };
/** What publishing it would do waits for a person. */
const HELD: SourceTree = { ...ONE, config: "policy: disabled\n" };
const HINT = "It is published within seconds; outrigger channel shows when, and outrigger publish why not\n";

let aws: ReturnType<typeof fakeAws>;
let cli: ReturnType<typeof fakeCli>;
beforeEach(() => {
  aws = fakeAws();
  cli = fakeCli(aws.connect, SHIPPED);
});
afterEach(() => cli.remove("."));

interface Asked extends PushSettings {
  readonly isTruth?: boolean;
  readonly directory?: string;
  /** Answers in place of the publish function. */
  readonly askPublisher?: Deployment["askPublisher"];
}

async function push(tree: SourceTree, { isTruth = false, directory, askPublisher, ...settings }: Asked = {}) {
  const io = fakeIo({ cwd: cli.cwd, templates: join(cli.cwd, "shipped") });
  const target = { layout: aws.layout, stage: "dev", publisher: "outrigger-dev-publish" };
  const connection = await aws.connect(target);
  const deployment = { ...connection, target, ...(askPublisher && { askPublisher }) };
  const run = { directory: directory ?? join(cli.cwd, "tree"), tree, isTruth, settings };
  const result = await runPush(run, deployment, io).catch((error: OutriggerError) => error);
  return { result, out: io.out(), err: io.err() };
}

const refused = (code: OutriggerError["code"], message: string | RegExp) =>
  expect.objectContaining({
    code,
    message: typeof message === "string" ? message : expect.stringMatching(message),
  });
const served = async () => (await cli.json("channel"))["stable"].release as string;

describe("runPush()", () => {
  it("writes a tree, shows what was edited, and says when it is published", async () => {
    const { result, out, err } = await push(ONE, { message: "because" });
    expect(result).toEqual({ changed: true, release: expect.stringMatching(/^[0-9a-f]{12}$/) });
    expect(out).toMatch(/^--- \/dev\/null\n\+\+\+ yours\/values\/10-mine\n/);
    const summary = /\nPushed 1 change to \/outrigger\/dev\/source\nRelease: \d+ characters, \d+ free\nSource: 1 param/;
    expect(out).toMatch(summary);
    expect(out.endsWith(HINT)).toBe(true);
    expect(err).toBe("");
    expect(aws.stored("values/10-mine")).toBe(values("one"));
    expect(JSON.parse(aws.stored("manifest") ?? "")).toMatchObject({ state: "complete", by: CALLER, why: "because" });
    expect(aws.asked).toEqual([]);
  });

  it("says that there is nothing to push, and what others have edited", async () => {
    await push(ONE);
    expect(await push(ONE)).toMatchObject({
      result: { changed: false },
      out: "Nothing to push: /outrigger/dev/source has it all\n",
    });
    await aws.edit("mesh", "enableTracing: true\n");
    expect((await push(ONE)).out).toBe(
      "Left as others have edited it there: mesh (outrigger pull has it)\nNothing to push: /outrigger/dev/source has it all\n",
    );
  });

  it("shows a dry run and writes nothing", async () => {
    const before = aws.store.values();
    const { result, out } = await push(TWO, { dryRun: true });
    expect(result).toMatchObject({ changed: true });
    expect(out).toContain("Would push 2 changes to /outrigger/dev/source\n");
    expect(out).not.toContain(HINT);
    expect(aws.store.values()).toEqual(before);
  });

  it("prints JSON and nothing else where it is asked for", async () => {
    const { out } = await push(TWO, { json: true });
    expect(JSON.parse(out)).toEqual({
      tree: treeDigest(TWO),
      pushed: ["mesh", "values/10-mine"],
      kept: [],
      dryRun: false,
    });
    expect(JSON.parse((await push(TWO, { json: true, dryRun: true })).out)).toMatchObject({ pushed: [], dryRun: true });
    const { out: published } = await push(ONE, { json: true, publish: true });
    expect(JSON.parse(published)).toMatchObject({
      pushed: ["mesh", "values/10-mine"],
      release: await served(),
    });
  });

  it("publishes exactly what it has written, once", async () => {
    const { result, out, err } = await push(ONE, { publish: true, message: "because" });
    const release = await served();
    expect(result).toEqual({ changed: true, release });
    expect(out).toMatch(new RegExp(`\nstable serves ${release} now .*\n$`));
    expect(out).not.toContain(HINT);
    expect(err).toBe("");
    expect(aws.asked).toEqual([
      {
        action: "publish",
        tree: treeDigest(ONE),
        id: expect.any(String),
        cause: { by: CALLER, why: "because" },
      },
    ]);
    expect((await push(ONE, { publish: true })).result).toEqual({ changed: false, release });
    await push(TWO);
    expect((await push(TWO, { publish: true })).result).toMatchObject({ changed: true });
  });

  it("says in a dry run of a publication whether another release would be served", async () => {
    await push(ONE, { publish: true });
    const release = await served();
    const dry = { publish: true, dryRun: true } as const;
    expect((await push(ONE, dry)).result).toEqual({ changed: false, release });
    expect((await push(TWO, dry)).result).toMatchObject({ changed: true });
    // What was pushed and is not published yet is still a change.
    await push(TWO);
    expect((await push(TWO, dry)).result).toMatchObject({ changed: true });
    expect((await push(TWO, { dryRun: true })).result).toMatchObject({ changed: false });
  });

  it("warns that a pushed edit waits for a person, and leaves that to the publisher where it publishes", async () => {
    await push(ONE, { publish: true });
    const dry = await push(HELD, { dryRun: true });
    expect(dry.err).toMatch(/^Warning: On stable, this waits for a person: sidecar-gone .*\nWhat changes for pods:\n/);
    const published = await push(HELD, { publish: true, dryRun: true, dir: "tree" });
    expect(published.err).toMatch(/^What changes for pods:\n {2}sidecar-gone/);
    const pushed = await push(HELD);
    expect(pushed.err).toMatch(/^Warning: On stable, this waits for a person: [^\n]+\n$/);
  });

  it("refuses a dry run as the publisher would refuse the run", async () => {
    await push(ONE, { publish: true });
    const release = await served();
    const settings = { publish: true, dryRun: true, dir: "tree" } as const;
    const { result } = await push(HELD, settings);
    const held =
      /^Cannot publish to stable: it would do what a person has to accept: sidecar-gone .*; look at "outrigger diff stable tree", then run "outrigger publish --dir tree --accept sidecar-gone@([0-9a-f]{12}) --if-serving ([0-9a-f]{12})"$/;
    expect(result).toEqual(refused("edit-held", held));
    const [, made = "", serving] = held.exec((result as OutriggerError).message) ?? [];
    expect(serving).toBe(release);
    expect((await push(HELD, { ...settings, accept: "image" })).result).toEqual(refused("edit-held", held));
    expect((await push(HELD, { ...settings, accept: "sidecar-gone" })).result).toMatchObject({ release: made });
    const seen = { ...settings, accept: `sidecar-gone@${made}`, ifServing: release.slice(0, 6) };
    expect((await push(HELD, seen)).result).toMatchObject({ release: made });
    expect((await push(HELD, { ...seen, ifServing: "0000" })).result).toEqual(
      refused(
        "channel-moved",
        `Cannot publish to stable: it serves ${release}, and not 0000; look at "outrigger channel stable" and ask again`,
      ),
    );
    expect((await push(HELD, { ...seen, accept: "sidecar-gone@000000000000" })).result).toEqual(
      refused(
        "tree-changed",
        `Cannot publish to stable: this tree makes release ${made}, and 000000000000 was accepted; look at "outrigger diff stable tree" again`,
      ),
    );
  });

  it("says of a channel that serves nothing yet that it does not serve what was seen", async () => {
    const { result } = await push(ONE, { publish: true, dryRun: true, ifServing: "0000" });
    expect(result).toEqual(refused("channel-moved", /it serves nothing, and not 0000;/));
  });

  it("passes on what a person accepts", async () => {
    await push(ONE, { publish: true });
    const { result } = await push(HELD, { publish: true, accept: "sidecar-gone" });
    expect(result).toMatchObject({ changed: true });
    expect(aws.asked.at(-1)).toMatchObject({ accept: ["sidecar-gone"], tree: treeDigest(HELD) });
  });

  it("says what was written where the publisher refuses the tree, or does not answer", async () => {
    await push(ONE, { publish: true });
    expect((await push(HELD, { publish: true })).result).toEqual(
      refused(
        "edit-held",
        /; 1 change was written to \/outrigger\/dev\/source before \(config\) and waits there: what is served is as before$/,
      ),
    );
    const lost = new OutriggerError("aws-unavailable", "Cannot reach it", { path: "stable" });
    const { result } = await push(TWO, { publish: true, force: true, askPublisher: () => Promise.reject(lost) });
    expect(result).toEqual(
      refused(
        "aws-unavailable",
        "Cannot reach it; 3 changes were written to /outrigger/dev/source before (config, mesh, values/10-mine)",
      ),
    );
    expect(result).toMatchObject({ path: "stable", cause: lost });
    const again = await push(TWO, { publish: true, askPublisher: () => Promise.reject(lost) });
    expect(again.result).toBe(lost);
  });

  it.each([
    [false, "since you pulled"],
    [true, "since the last push"],
  ])(
    "shows what both have edited, and writes nothing (the directory is the only truth: %s)",
    async (isTruth, since) => {
      await push(ONE);
      await aws.edit("values/10-mine", values("theirs"));
      const before = aws.store.values();
      const { result, out, err } = await push(TWO, { isTruth });
      expect(result).toEqual(
        refused(
          "tree-changed",
          `Cannot push values/10-mine: changed in /outrigger/dev/source ${since}, as shown above; take it over (outrigger pull), or overwrite it with --force`,
        ),
      );
      expect([out, err]).toEqual(["", expect.stringContaining("-  hub: registry.example/theirs\n")]);
      expect(aws.store.values()).toEqual(before);
      expect((await push(TWO, { isTruth, force: true })).result).toMatchObject({ changed: true });
    },
  );

  it("shows what is wrong with the tree, and writes nothing", async () => {
    const { result, err } = await push({ "partials/proxy-image": "image: {{nonsense 1}}\n" });
    expect(result).toEqual(refused("tree-invalid", "Cannot push: the tree has 1 error; fix the error above"));
    expect(err).toContain("partials/proxy-image.hbs:1:8: error: ");
    expect(aws.store.values()).toEqual({});
  });

  it("refuses another channel than edits go to", async () => {
    expect((await push(ONE, { channel: "canary" })).result).toEqual(
      refused("usage", /^Cannot push to channel canary alone: every edit is published to stable by itself; /),
    );
    expect(aws.store.values()).toEqual({});
    expect((await push(ONE, { channel: "stable", publish: true })).result).toMatchObject({ changed: true });
    expect(aws.asked.at(-1)).toMatchObject({ channel: "stable" });
  });

  it("publishes to a pinned channel where that is asked for, and pushes to it anyway", async () => {
    await push(ONE, { publish: true });
    await cli.run("pin stable");
    const before = aws.store.values();
    const { result } = await push(TWO, { publish: true });
    expect(result).toEqual(
      refused("channel-pinned", /^Cannot push: .*stable is pinned.*, and --unpin publishes this one$/),
    );
    expect(result).toMatchObject({ path: "stable" });
    expect(aws.store.values()).toEqual(before);
    expect((await push(TWO)).result).toMatchObject({ changed: true });
    expect((await push(TWO, { publish: true, unpin: true })).result).toMatchObject({ changed: true });
    expect(aws.asked.at(-1)).toMatchObject({ action: "publish", unpin: true });
  });

  it("offers no --unpin where a rollout keeps edits away", async () => {
    await push(ONE, { publish: true });
    const { layout } = aws;
    const record = JSON.parse(aws.store.values()[layout.channel("stable")] ?? "");
    const rollout = { next: [100], alarms: [], since: "2026-01-02T03:04:05Z" };
    const rolling = { ...record, share: { release: record.release, percent: 5 }, rollout };
    await aws.put(layout.channel("stable"), JSON.stringify(rolling, null, 1));
    const { result } = await push(TWO, { publish: true });
    expect(result).toEqual(
      refused("channel-pinned", /^Cannot push: stable stays at .*\("outrigger rollout status stable"\)$/),
    );
  });

  it("writes nothing for a channel that takes what another person approves, and what it has served", async () => {
    await push(ONE, { publish: true });
    await push(TWO, { publish: true });
    await cli.run("channel approval stable required");
    const before = aws.store.values();
    const other = { ...ONE, mesh: "enableTracing: false\n" };
    for (const dryRun of [{ dryRun: true }, {}] as const) {
      const { result } = await push(other, { publish: true, ...dryRun });
      expect(result).toEqual(
        refused("channel-pinned", /^Cannot move stable to .*: it takes what another person approves/),
      );
    }
    expect(aws.store.values()).toEqual(before);
    expect((await push(ONE, { publish: true })).result).toMatchObject({ changed: true });
  });

  it("needs a directory that can be written to only where a person pushes from it again", async () => {
    writeFileSync(join(cli.cwd, "file"), "");
    const directory = join(cli.cwd, "file");
    expect((await push(ONE, { directory })).result).toBeInstanceOf(Error);
    expect((await push(TWO, { directory, isTruth: true, force: true })).result).toMatchObject({ changed: true });
  });
});
