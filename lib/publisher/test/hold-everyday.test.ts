// A deployment with `hold: everyday`: an edit goes out by itself only if all that it changes is on the list.
import { compileRelease, type SourceTree } from "@outrigger/injector";
import { beforeEach, describe, expect, it } from "vitest";
import { SHIPPED } from "../../../test/support/attacks.ts";
import { publisherSetup } from "../../../test/support/publisher-setup.ts";
import { compareReleases } from "../effect/compare-releases.ts";
import { EFFECT_NAMES } from "../effect/effects.ts";

const AGENT = "spec:\n  containers:\n  - name: agent\n    image: registry.example/agent:1\n    args: [a]\n";
const HIDDEN = "{{#if spec.tolerations}}\n    args: [b]\n    {{else}}\n    args: [a]\n    {{/if}}\n"
  .replaceAll("{{", "<%")
  .replaceAll("}}", "%>");

const withMatch = (values: string) =>
  `defaultTemplates: [sidecar, {name: agent, match: {podLabels: {logs: ${values}} } }]\n`;

let setup: ReturnType<typeof publisherSetup>;
const automatic = () => setup.run({ action: "publish", automatic: true });
const served = async () => (await setup.served()).channels["stable"];
const edit = (text: string) => setup.edit("templates/agent", text);

beforeEach(async () => {
  setup = publisherSetup({ shipped: SHIPPED, compile: compileRelease, compare: compareReleases, hold: "everyday" });
  await setup.edit("config", "defaultTemplates: [sidecar, agent]\n");
  await edit(AGENT);
  await automatic();
});

describe("with hold: everyday", () => {
  it("publishes an everyday change by itself", async () => {
    const before = await served();
    await edit(AGENT.replace("agent:1", "agent:2"));
    expect(await automatic()).toMatchObject({ ok: true });
    expect(await served()).not.toBe(before);
  });

  it("holds what no sample shows, with its line and condition, until a person accepts it", async () => {
    const before = await served();
    await edit(AGENT.replace("    args: [a]\n", `    ${HIDDEN}`));
    const held = await automatic();
    expect(held).toMatchObject({ ok: true, message: expect.stringContaining("unlisted (templates/agent:") });
    expect(await served()).toBe(before);
    expect(await setup.run({ action: "publish" })).toMatchObject({ ok: false, error: { code: "edit-held" } });
    expect(await setup.run({ action: "publish", accept: ["unlisted"] })).toMatchObject({ ok: true });
    expect(await served()).not.toBe(before);
  });

  it.each(["powers", "off"] as const)("with hold: %s, the same edit goes out", async (hold) => {
    const before = await served();
    await edit(AGENT.replace("    args: [a]\n", `    ${HIDDEN}`));
    expect(await setup.run({ action: "publish", automatic: true }, { hold })).toMatchObject({ ok: true });
    expect(await served()).not.toBe(before);
  });

  it("holds a selector that spares the samples", async () => {
    const before = await served();
    await setup.edit(
      "config",
      "defaultTemplates: [sidecar, agent]\nneverInjectSelector: [{matchExpressions: [{key: pod-template-hash, operator: Exists}]}]\n",
    );
    await automatic();
    expect(await served()).toBe(before);
  });

  it("holds another match, with what it was and is", async () => {
    await setup.edit("config", withMatch("[all]"));
    await automatic();
    await setup.run({ action: "publish", accept: EFFECT_NAMES });
    const before = await served();
    await setup.edit("config", withMatch("[all, some]"));
    const held = await automatic();
    expect(held).toMatchObject({
      ok: true,
      message: expect.stringContaining("unlisted (config: config.defaultTemplates"),
    });
    expect(await served()).toBe(before);
    expect(await setup.run({ action: "publish", accept: ["unlisted"] })).toMatchObject({ ok: true });
    expect(await served()).not.toBe(before);
  });

  it("takes what another version of Outrigger ships: no edit of the tree wrote it", async () => {
    const before = await served();
    const shipped: SourceTree = {
      ...SHIPPED,
      "templates/sidecar": `${SHIPPED["templates/sidecar"]}  dnsConfig: {options: [{name: ndots, value: "2"}]}\n`,
    };
    expect(await setup.run({ action: "publish", automatic: true }, { shipped })).toMatchObject({ ok: true });
    expect(await served()).not.toBe(before);
  });
});
