// What a promotion or a rollback does to pods: it is said before the act, in the words of a publication, and held as an edit would be.
import { compileRelease } from "@outrigger/injector";
import { beforeEach, describe, expect, it } from "vitest";
import { SHIPPED } from "../../../test/support/attacks.ts";
import { layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { compareReleases } from "../effect/compare-releases.ts";

const AGENT = "spec:\n  containers:\n  - name: agent\n    image: registry.example/agent:1\n";
const CONFIG = "defaultTemplates: [sidecar, agent]\n";

let setup: ReturnType<typeof publisherSetup>;
const served = async () => (await setup.served()).channels;
const promote = (more: object = {}) => setup.run({ action: "promote", from: "canary", to: "stable", ...more });
const gone = { name: "container-gone", example: expect.stringContaining("agent"), isHeld: true };

/** stable has an agent, and canary has none. */
beforeEach(async () => {
  setup = publisherSetup({ shipped: SHIPPED, compile: compileRelease, compare: compareReleases });
  await setup.edit("config", CONFIG);
  await setup.edit("templates/agent", AGENT);
  await setup.run({ action: "publish" });
  await setup.edit("config", "defaultTemplates: [sidecar]\n");
  await setup.run({ action: "publish", channel: "canary" });
});

describe("a promotion", () => {
  it("is held as the edit would be, until a person accepts it by its name between the two releases", async () => {
    const { stable, canary } = await served();
    const command = `outrigger promote canary stable --accept container-gone@${canary} --if-serving ${stable}`;
    for (const dryRun of [true, false]) {
      expect(await promote({ dryRun })).toMatchObject({
        ok: false,
        error: { code: "edit-held", message: expect.stringContaining(command) },
      });
    }
    expect((await served())["stable"]).toBe(stable);
    expect(await promote({ accept: ["image"] })).toMatchObject({ ok: false });
    expect(await promote({ accept: ["container-gone"], release: "0123456789ab" })).toMatchObject({ ok: false });
    expect(await promote({ accept: ["container-gone"], release: canary, serving: stable })).toMatchObject({
      ok: true,
      message: expect.stringMatching(/; what changes for pods: container-gone$/),
    });
    const record = JSON.parse(setup.store.values()[layout.channel("stable")] as string);
    expect(record.history[0]).toMatchObject({ action: "promote", effects: ["container-gone"] });
  });

  it("says what it does before it is made, with an example", async () => {
    expect(await promote({ accept: ["container-gone"], dryRun: true })).toMatchObject({ ok: true, effects: [gone] });
  });

  it("is held from its first share on, and not again for a larger one", async () => {
    expect(await promote({ share: 5 })).toMatchObject({ ok: false, error: { code: "edit-held" } });
    expect(await promote({ share: 5, accept: ["container-gone"] })).toMatchObject({ ok: true });
    expect(await promote({ share: 25 })).toMatchObject({ ok: true });
    expect(await promote()).toMatchObject({ ok: true });
  });

  it("of what the channel has served is not held", async () => {
    await promote({ accept: ["container-gone"] });
    await setup.run({ action: "rollback", channel: "stable" });
    expect(await promote({ unpin: true })).toMatchObject({ ok: true });
  });

  it("is judged where the source tree has moved on, or is broken", async () => {
    await setup.edit("config", "<% broken");
    await setup.edit("samples/mine", "kind: [");
    expect(await promote()).toMatchObject({ ok: false, error: { code: "edit-held" } });
  });

  it.each([
    ["everyday", false],
    ["powers", true],
    ["off", true],
  ] as const)("with hold: %s, what no list of everyday changes has goes out by itself: %s", async (hold, ok) => {
    await setup.edit("config", CONFIG);
    await setup.edit("templates/agent", `${AGENT}    args: [a]\n`);
    await setup.run({ action: "publish", channel: "canary" });
    expect((await setup.run({ action: "promote", from: "canary", to: "stable" }, { hold })).ok).toBe(ok);
  });
});

describe("a rollback", () => {
  it("says what it does before it is made, and waits for nobody", async () => {
    await promote({ accept: ["container-gone"] });
    await setup.edit("config", "policy: disabled\n");
    await setup.run({ action: "publish", channel: "stable", accept: ["sidecar-gone"] });
    expect(await setup.run({ action: "rollback", channel: "stable", dryRun: true })).toMatchObject({
      ok: true,
      message: expect.stringMatching(/; what changes for pods: .*added/),
      effects: expect.arrayContaining([expect.objectContaining({ name: "added", isHeld: false })]),
    });
    expect(await setup.run({ action: "rollback", channel: "stable" })).toMatchObject({ ok: true, changed: true });
  });

  it("is made though what it does cannot be known", async () => {
    await promote({ accept: ["container-gone"] });
    const compare = () => {
      throw new TypeError("a fault of the comparison");
    };
    expect(await setup.run({ action: "rollback", channel: "stable", dryRun: true }, { compare })).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining("What changes for pods is not known: a fault of the comparison")],
    });
  });
});
