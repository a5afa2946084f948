// What an edit may not do by itself, and where it goes: tried with the shipped templates, on a deployment as it is made.
import { parseGuardrails } from "@outrigger/guardrails";
import type { SourceTree } from "@outrigger/injector";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { compileUntried as compile, shippedTree } from "../../../test/support/shipped-tree.ts";
import { compareReleases } from "../effect/compare-releases.ts";
import { EFFECT_NAMES } from "../effect/effects.ts";
import { previewPublication } from "../effect/preview-publication.ts";
import { reconcileSource } from "../source/reconcile-source.ts";

let shipped: SourceTree;
let setup: ReturnType<typeof publisherSetup>;

beforeAll(async () => {
  shipped = await shippedTree();
});

beforeEach(async () => {
  // What is held is what the comparison finds in the samples and branches: compiling need not try them as well.
  setup = publisherSetup({ shipped, compile, compare: compareReleases });
  await edit({ "values/10-mine": "global: {logAsJson: true}", "values/20-more": "{}", "templates/agent": AGENT });
  await automatic();
});

const AGENT = "spec:\n  containers:\n  - name: agent\n    image: registry.example/agent:1\n";

async function edit(tree: SourceTree): Promise<void> {
  for (const [path, text] of Object.entries(tree)) await setup.edit(path, text);
}

const remove = (...paths: readonly string[]) => setup.store.deleteParameters(paths.map(layout.sourceParameter));
const automatic = () => setup.run({ action: "publish", automatic: true });
const record = (channel = "stable") => JSON.parse(setup.store.values()[layout.channel(channel)] as string);
const served = async () => (await setup.served()).channels;

describe("an edit that the guardrails do not admit", () => {
  it("is refused with its line, by hand and by itself, and nobody can accept it", async () => {
    const guardrails = parseGuardrails("baseline");
    const before = await served();
    await edit({ config: "defaultTemplates: [sidecar, evil]", "templates/evil": "spec:\n  hostPID: true\n" });
    for (const more of [{}, { automatic: true as const }, { accept: EFFECT_NAMES }]) {
      expect(await setup.run({ action: "publish", ...more }, { guardrails })).toMatchObject({
        ok: false,
        error: {
          code: "guardrail-violated",
          message: expect.stringContaining("hostPID (spec.hostPID)"),
          path: layout.sourceParameter("templates/evil"),
          line: 2,
        },
      });
    }
    expect(await served()).toEqual(before);
  });
});

describe("an edit that no person has accepted", () => {
  it.each<[string, SourceTree, string]>([
    ["a sidecar of nothing but a comment", { "templates/sidecar": "<%! nothing %>" }, "container-gone"],
    ["no policy", { config: "policy: disabled" }, "sidecar-gone"],
    [
      "the sidecar for fewer pods than every one",
      { config: 'defaultTemplates: [{name: sidecar, match: {podLabels: {mesh: "yes"} } }]' },
      "sidecar-gone",
    ],
    ["another default template", { config: "defaultTemplates: [grpc-agent]" }, "container-gone"],
    [
      "a selector that matches every app",
      { config: "neverInjectSelector: [{matchExpressions: [{key: app, operator: Exists} ]} ]" },
      "sidecar-gone",
    ],
    [
      "a typo in the control plane's address",
      { mesh: "defaultConfig: {discoveryAddress: istoid.istio-system.svc:15012}" },
      "control-plane-address",
    ],
    ["a typo in the registry", { "values/10-mine": "global: {hub: docker.io/istoi}" }, "registry-misspelt"],
    [
      "a container that owns the node",
      { config: "defaultTemplates: [sidecar, evil]", "templates/evil": "spec:\n  hostPID: true\n" },
      "privileges-widened",
    ],
  ])("waits in the record, and nothing else does, when it is %s", async (_what, tree, held) => {
    const before = await served();
    await edit(tree);
    const result = await automatic();
    const message = expect.stringContaining(`outrigger publish --accept ${held}`);
    const waits = expect.arrayContaining([expect.objectContaining({ name: held })]);
    expect(result).toMatchObject({ ok: true, changed: true, message, held: waits });
    expect(await served()).toEqual(before);
    expect(record().proposal).toMatchObject({ from: "source", serving: before["stable"], held: waits });
    // Looked at again, it is the same; the schedule does not even compile it.
    expect(await automatic()).toMatchObject({ ok: true, changed: false, held: waits });
    expect(await reconcileSource(setup.dependencies)).toMatchObject({ age: 0, result: { held: waits } });
    // Everything else continues.
    expect(await setup.run({ action: "pin", channel: "stable" })).toMatchObject({ ok: true, changed: true });
    expect(await setup.run({ action: "unpin", channel: "stable" })).toMatchObject({ ok: true, changed: true });
    await setup.run({ action: "publish", channel: "canary" });
    expect(await setup.run({ action: "promote", from: "stable", to: "canary", accept: EFFECT_NAMES })).toMatchObject({
      ok: true,
    });
  });

  it("is refused to a person until they accept it by name, and is in the history then", async () => {
    await edit({ config: "policy: disabled", "values/10-mine": "global: {tag: 1.31.1}" });
    await automatic();
    expect(await setup.run({ action: "publish" })).toMatchObject({
      ok: false,
      error: { code: "edit-held", message: expect.stringContaining("outrigger publish --accept sidecar-gone") },
    });
    expect(await setup.run({ action: "publish", accept: ["image"] })).toMatchObject({ error: { code: "edit-held" } });
    expect(await setup.run({ action: "publish", accept: ["sidecar-gone"] })).toMatchObject({ ok: true, changed: true });
    expect(record()).not.toHaveProperty("proposal");
    expect(record().history[0]).toMatchObject({
      action: "publish",
      effects: ["sidecar-gone", "image", "command"],
      entries: 4,
    });
  });

  it("waits no more when it is reverted", async () => {
    await edit({ config: "policy: disabled" });
    await automatic();
    await remove("config");
    expect(await automatic()).toMatchObject({ ok: true });
    expect(record()).not.toHaveProperty("proposal");
  });

  it("is published when a small edit follows that reverts it", async () => {
    await edit({ config: "policy: disabled" });
    await automatic();
    await edit({ config: "{}", "values/10-mine": "global: {tag: 1.31.1}" });
    expect(await automatic()).toMatchObject({ ok: true, changed: true });
    expect(record()).not.toHaveProperty("proposal");
    expect(record().history[0]).toMatchObject({ effects: ["image", "command"] });
  });

  it.each<[string, SourceTree]>([
    ["another tag", { "values/10-mine": "global: {tag: 1.31.1}" }],
    ["another registry", { "values/10-mine": "global: {hub: registry.example/istio}" }],
    ["a value", { "values/10-mine": "global: {logAsJson: false}" }],
    ["more memory", { "values/10-mine": "global: {proxy: {resources: {requests: {memory: 512Mi} } } }" }],
    ["a port that is not captured", { "values/10-mine": "global: {proxy: {excludeOutboundPorts: '3306'} }" }],
    ["a sidecar more", { config: "defaultTemplates: [sidecar, agent]" }],
  ])("is published by itself when it is %s", async (_what, tree) => {
    await edit(tree);
    expect(await automatic()).toMatchObject({ ok: true, changed: true });
    expect(record()).not.toHaveProperty("proposal");
  });

  it("is held by what the channel's record says, and by the default again", async () => {
    const hold = (holds: readonly string[] | null) =>
      setup.run({ action: "set-channel", channel: "stable", holds: holds as never });
    expect(await hold(["image"])).toMatchObject({ message: "stable holds edits that come to image", changed: true });
    await edit({ "values/10-mine": "global: {tag: 1.31.1}" });
    expect(await automatic()).toMatchObject({ held: [{ name: "image" }] });
    expect(await hold([])).toMatchObject({ message: "stable holds no edit" });
    expect(await automatic()).toMatchObject({ ok: true, changed: true, release: record().release });
    expect(await hold(null)).toMatchObject({ ok: true, changed: true });
    await edit({ config: "policy: disabled" });
    expect(await automatic()).toMatchObject({ held: [{ name: "sidecar-gone" }] });
  });

  it("is held when a new version of Outrigger makes it, until it is accepted", async () => {
    const before = await served();
    const next = { ...shipped, "templates/sidecar": "{{! a new version }}" };
    const more = { shipped: next };
    const result = await setup.run({ action: "publish", automatic: true }, more);
    expect(result).toMatchObject({ ok: true, held: [{ name: "container-gone" }, { name: "volume-gone" }, {}] });
    expect(await served()).toEqual(before);
    // It waits for as long as nobody accepts it, though the tree is the one that is served.
    expect(await reconcileSource({ ...setup.dependencies, ...more })).toMatchObject({
      age: 0,
      result: { held: [{ name: "container-gone" }, {}, {}] },
    });
    const accept = ["container-gone", "volume-gone", "capture-changed"] as const;
    expect(await setup.run({ action: "publish", accept }, more)).toMatchObject({ ok: true, changed: true });
  });
});

describe("a tree that loses its entries", () => {
  it.each([
    ["all of them", ["values/10-mine", "values/20-more", "templates/agent"], "nothing left of 3 entries"],
    ["more than half", ["values/10-mine", "values/20-more"], "1 left of 3 entries"],
  ])("is held, whatever else was deleted, when it loses %s", async (_what, gone, example) => {
    const before = await served();
    await remove(...gone);
    const releases = await setup.store.objects.listObjects(layout.releases);
    expect(releases.length).toBeGreaterThan(0);
    for (const { key } of releases) await setup.store.objects.deleteObject(key);
    const result = await automatic();
    expect(result).toMatchObject({ ok: true, held: expect.arrayContaining([{ name: "entries-gone", example }]) });
    expect(await served()).toEqual(before);
  });

  it("is published when it loses half of them", async () => {
    await edit({ "values/30-last": "{}" });
    await automatic();
    await remove("values/20-more", "values/30-last");
    expect(await automatic()).toMatchObject({ ok: true });
    expect(record()).not.toHaveProperty("proposal");
  });
});

describe("where edits go", () => {
  const toCanary = () => setup.run({ action: "set-channel", channel: "canary", edits: true });

  it.each([
    ["is deleted", () => remove("config")],
    ["loses its line", () => edit({ config: "policy: enabled" })],
  ])("stays a record when source/config %s", async (_what, harm) => {
    setup = publisherSetup({ shipped, compile, compare: compareReleases });
    await edit({ config: "publishTo: canary", "values/10-mine": "{}" });
    await automatic();
    await setup.run({ action: "promote", from: "canary", to: "stable" });
    const before = await served();
    await harm();
    await edit({ "values/10-mine": "global: {tag: 1.31.1}" });
    expect(await automatic()).toMatchObject({ ok: true, channel: "canary", changed: true });
    expect((await served())["stable"]).toBe(before["stable"]);
  });

  it("refuses a channel that the tree names and the record does not, with the command", async () => {
    const before = await served();
    await edit({ config: "publishTo: cannary" });
    const message = expect.stringContaining("edits go to stable, and publishTo does not change that");
    expect(await automatic()).toMatchObject({ ok: false, error: { code: "config-invalid", message } });
    expect(await automatic()).toMatchObject({
      error: { message: expect.stringContaining("outrigger channel edits cannary") },
    });
    expect((await reconcileSource(setup.dependencies)).result).toMatchObject({ ok: false });
    expect(await served()).toEqual(before);
  });

  it("is another channel once a person says so, which is made as what edits have come to", async () => {
    const { stable } = await served();
    const message = expect.stringContaining("edits go to canary from now on (stable before)");
    expect(await toCanary()).toMatchObject({ ok: true, changed: true, message });
    expect(await served()).toEqual({ canary: stable, stable });
    await edit({ "values/10-mine": "global: {tag: 1.31.1}" });
    expect(await automatic()).toMatchObject({ ok: true, channel: "canary", changed: true });
    expect((await served())["stable"]).toBe(stable);
    expect(await setup.run({ action: "remove-channel", channel: "canary" })).toMatchObject({
      error: { message: expect.stringContaining("edits go to it") },
    });
    expect(await setup.run({ action: "set-channel", channel: "stable", edits: true })).toMatchObject({ changed: true });
    expect(await automatic()).toMatchObject({ channel: "stable" });
    expect(await setup.run({ action: "remove-channel", channel: "canary" })).toMatchObject({ ok: true });
  });

  it("is known of a record that is damaged or deleted, and when it is made again", async () => {
    await toCanary();
    await setup.put(layout.channel("canary"), "nonsense");
    await edit({ "values/10-mine": "global: {tag: 1.31.1}" });
    const { stable } = await served();
    expect(await automatic()).toMatchObject({ ok: true, channel: "canary" });
    expect(record("canary")).toHaveProperty("editsSince");
    expect((await served())["stable"]).toBe(stable);
  });

  it("is taken over from the tree by a deployment that an earlier version has made", async () => {
    const { editsSince: _, ...old } = record();
    await setup.put(layout.channel("stable"), JSON.stringify(old));
    expect(await automatic()).toMatchObject({ ok: true });
    expect(record()).toHaveProperty("editsSince");
  });

  it("is said to reach no pod when no cluster is served from it", async () => {
    await setup.run({ action: "put-cluster", cluster: "c1", record: { revisions: { default: "stable" }, arn: "" } });
    await toCanary();
    await edit({ "values/10-mine": "global: {tag: 1.31.1}" });
    const warning = expect.stringContaining("No cluster is served from canary");
    expect(await setup.run({ action: "publish" })).toMatchObject({ warnings: [warning] });
  });
});

describe("the first tree, after the deployment has published its shipped templates", () => {
  const WITHOUT_ISTIO = { config: "defaultTemplates: [agent]", "templates/agent": AGENT };
  const cluster = { arn: "", revisions: { default: "stable" }, tokens: [] };
  let fresh: ReturnType<typeof publisherSetup>;
  beforeEach(async () => {
    fresh = publisherSetup({ shipped, compile, compare: compareReleases });
    await fresh.run({ action: "publish" });
  });
  const editFresh = async (tree: SourceTree) => {
    for (const [path, text] of Object.entries(tree)) await fresh.edit(path, text);
  };

  it.each(["powers", "everyday"] as const)("loses nothing that a pod has got: hold is %s", async (hold) => {
    await fresh.run({ action: "put-cluster", cluster: "canary", record: cluster });
    await editFresh(WITHOUT_ISTIO);
    const { message, ...result } = (await fresh.run({ action: "publish" }, { hold })) as { message?: string };
    expect(result).toMatchObject({ ok: true });
    // It is still said.
    expect(message).toContain("container-gone, volume-gone");
    // The second one takes the place of a tree that a person wrote.
    await editFresh({ "templates/agent": AGENT.replaceAll("agent", "other") });
    expect(await fresh.run({ action: "publish" }, { hold })).toMatchObject({
      error: { code: "edit-held", message: expect.stringContaining("container-gone") },
    });
  });

  it("waits for a person where a cluster is registered, whatever channel it is on", async () => {
    await fresh.run({ action: "put-cluster", cluster: "shop", record: cluster });
    await editFresh(WITHOUT_ISTIO);
    expect(await fresh.run({ action: "publish" })).toMatchObject({
      error: { code: "edit-held", message: expect.stringContaining("container-gone") },
    });
  });

  it("waits for a person where it gives pods powers", async () => {
    await editFresh({ ...WITHOUT_ISTIO, "templates/agent": `${AGENT}    securityContext: {privileged: true}\n` });
    const result = await fresh.run({ action: "publish" });
    expect(result).toMatchObject({
      error: { code: "edit-held", message: expect.stringContaining("privileges-widened") },
    });
    expect(JSON.stringify(result)).not.toContain("container-gone");
  });

  it("is previewed as it is published", async () => {
    await editFresh(WITHOUT_ISTIO);
    const preview = () => previewPublication({ tree: WITHOUT_ISTIO, shipped }, fresh.dependencies);
    expect(await preview()).not.toHaveProperty("held");
    await fresh.run({ action: "put-cluster", cluster: "shop", record: cluster });
    expect((await preview()).held).toContain("container-gone");
  });
});
