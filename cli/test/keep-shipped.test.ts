// A channel that keeps its shipped templates, through the command line: what says so, and what ends it.
import { type PublisherDependencies, runPublisher } from "@outrigger/publisher";
import { expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";

const NEXT = { ...SHIPPED, "values/00-default": "global:\n  hub: registry.example/next\n" };

it("is not moved by a deploy; channel, lint, push and publish say so, and a promotion ends it", async () => {
  const aws = fakeAws();
  const cli = fakeCli(aws.connect, SHIPPED);
  await cli.run("publish");
  expect((await cli.run("channel holds stable default,shipped-templates")).out).toMatch(
    /^stable holds edits that come to entries-gone, sidecar-gone, .*shipped-templates$/m,
  );
  expect((await cli.run("channel holds stable default,none")).err).toContain(
    '"holds" must be a list of entries-gone, ',
  );
  const { release } = await cli.json("channel stable");

  // The deploy publishes with the shipped templates of its version.
  const deployed: PublisherDependencies = {
    store: aws.store,
    layout: aws.layout,
    tier: "Standard",
    bucket: "releases",
    shipped: NEXT,
    now: () => new Date(),
    sleep: async () => {},
  };
  const cause = { by: "deploy", why: "" };
  const request = { action: "publish", automatic: true, cause } as const;
  expect(await runPublisher(request, deployed)).toMatchObject({ ok: true, held: [{ name: "shipped-templates" }] });
  expect((await cli.json("channel stable")).release).toBe(release);

  const next = fakeCli(aws.connect, NEXT);
  const said = "waits for a person on stable: shipped-templates (those of another version of Outrigger)";
  expect((await next.run("channel stable")).out).toContain(said);
  expect((await next.run("channel")).err).toContain(said);
  const waits =
    'shipped-templates (those of another version of Outrigger); publish it with "outrigger publish --accept shipped-templates@';
  expect((await next.run("lint source")).out).toContain(waits);
  next.write("mine/values/10-mine.yaml", "global: {tag: 1.31.1}\n");
  expect((await next.run("push mine")).err).toContain(waits);
  expect((await next.run("deploy --dry-run")).out).toContain(waits);

  const publish = await runPublisher({ action: "publish", cause }, deployed);
  expect(publish).toMatchObject({ ok: false, error: { code: "edit-held" } });
  expect(await runPublisher({ action: "publish", channel: "canary", cause }, deployed)).toMatchObject({ ok: true });
  await next.run("promote canary stable");
  expect((await next.run("channel stable")).out).not.toContain("waits for a person");
  expect((await next.run("channel")).err).not.toContain("Source differs");
  expect(await runPublisher(request, deployed)).toMatchObject({ ok: true, changed: false });
});

it("is previewed for an editor, who may not read the records of clusters", async () => {
  const aws = fakeAws();
  const { connect, layout } = aws;
  const cli = fakeCli(async (target) => {
    const connection = await connect(target);
    const { store } = connection;
    const denied: typeof store = {
      ...store,
      getParametersByPath: (page, options) =>
        page.path === layout.clusters
          ? Promise.reject(new Error("not an editor's"))
          : store.getParametersByPath(page, options),
    };
    return { ...connection, store: denied };
  }, SHIPPED);
  await cli.run("publish");
  await aws.edit("config", "policy: disabled");
  expect((await cli.run("lint source")).out).toContain("What changes for pods of stable: sidecar-gone (");
});
