import { layoutOf } from "@outrigger/aws";
import { OutriggerError } from "@outrigger/base";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { openDeployment } from "../connect/deployment.ts";
import { startFakeDeployment } from "../server/fake-deployment.ts";
import { deploymentWorkspace } from "./deployment-workspace.ts";

const SHIPPED = { config: "policy: enabled\n", "templates/sidecar": "spec: {}\n" };
const target = { stage: "dev", layout: layoutOf("/outrigger/dev"), publisher: "outrigger-dev-publish" };

let fake: Awaited<ReturnType<typeof startFakeDeployment>>;
beforeAll(async () => {
  fake = await startFakeDeployment({ target, tier: "Standard", shipped: SHIPPED, tree: {}, port: 0, report: () => {} });
});
afterAll(() => fake.close());

async function open() {
  const io = fakeIo({ connect: async () => fake.connection });
  const deployment = await openDeployment({}, io);
  return { deployment, workspace: deploymentWorkspace(deployment, async () => SHIPPED, io) };
}

it("shows what can be read, and names a parameter whose name means nothing", async () => {
  const { deployment, workspace } = await open();
  const [name, text] = [target.layout.sourceParameter("odd"), "a: 1\n"];
  await deployment.store.putParameter({ name, value: text, overwrite: true, tier: "Standard" });
  const { saved, faults } = await workspace.read();
  expect(saved).toEqual({});
  expect(faults).toEqual([{ severity: "error", path: "", message: expect.stringContaining(`delete ${name}`) }]);
  expect((await workspace.releases?.read())?.refused).toEqual(faults);
  await deployment.store.deleteParameters([name]);
});

it("gives the release that a channel serves, as it is stored", async () => {
  const { workspace } = await open();
  const release = await workspace.releases?.release("stable");
  expect(release).toMatchObject({ config: expect.anything(), templates: expect.anything() });
  await expect(workspace.releases?.release("none-of-these")).rejects.toThrow("none-of-these");
});

const SIDECAR = (privileged: boolean) =>
  `spec:\n  containers:\n  - name: istio-proxy\n    image: a:1\n    securityContext:\n      privileged: ${privileged}\n`;

/** Asks for the effects of edits as the page does. */
async function question(texts: Readonly<Record<string, string | null>>) {
  const { deployment, workspace } = await open();
  const { saved } = await workspace.read();
  const edits = Object.entries(texts).map(([path, text]) => ({ path, base: saved[path] ?? null, text }));
  const { ask, confirm, read } = workspace.releases as NonNullable<typeof workspace.releases>;
  return { deployment, workspace, ask, confirm, read, edits, asked: await ask({ action: "publish", edits }) };
}

it("saves and publishes a template with the new partial that it uses as one push", async () => {
  const { deployment, workspace, asked, confirm, read } = await question({
    "templates/sidecar": "spec:\n  containers:\n  - name: istio-proxy\n    image: {{> proxy-image}}\n",
    "partials/proxy-image": "registry.example/a:1",
  });
  expect(asked).toMatchObject({ channel: "stable", isPublished: true, compare: { after: "edits" } });
  expect(Object.keys((await workspace.read()).saved)).toEqual([]);
  await confirm({ id: asked.id, message: "A partial" });
  expect(Object.keys((await workspace.read()).saved).sort()).toEqual(["partials/proxy-image", "templates/sidecar"]);
  const { changes, unpublished, edits } = await read();
  expect([unpublished, edits]).toEqual([[], "published"]);
  expect(changes.map(({ why }) => why)[0]).toBe("A partial");
  expect(changes).toHaveLength(2);
  const cause = { by: "bob", why: "wait" };
  await deployment.askPublisher({ action: "pin", channel: "stable", cause });
  expect(await read()).toMatchObject({ edits: "published", editsWait: "pinned" });
  await deployment.askPublisher({ action: "unpin", channel: "stable", cause });
});

it("publishes what a person has to accept as it was shown, and names it before", async () => {
  const { asked, confirm, read } = await question({ "templates/sidecar": SIDECAR(true) });
  expect(asked.effects).toContainEqual(expect.objectContaining({ name: "privileges-widened", isHeld: true }));
  const before = (await read()).channels["stable"]?.release;
  await confirm({ id: asked.id, message: "It needs it" });
  const { channels } = await read();
  expect(channels["stable"]?.release).not.toBe(before);
  expect(channels["stable"]?.proposal).toBeUndefined();
});

it.each([
  ["braces that Parameter Store refuses", { "values/10": "a: {limits: {memory: 2Gi}}\n" }, "put a space between"],
  ["a text that no parameter holds", { mesh: `# ${"x".repeat(9000)}\n` }, "a parameter holds 8192; shorten it"],
  ["a text that no standard parameter holds", { mesh: `# ${"x".repeat(5000)}\n` }, "or push it with --advanced"],
])("refuses %s when it is asked, before anybody confirms it", async (_, tree, message) => {
  await expect(question(tree)).rejects.toThrow(message);
});

it("saves nothing where another user was faster, before the question or after it", async () => {
  const { deployment, asked, ask, confirm, edits, workspace } = await question({ mesh: "accessLogFile: /dev/null\n" });
  const name = target.layout.sourceParameter("mesh");
  await deployment.store.putParameter({
    name,
    value: "accessLogFile: /dev/stdout\n",
    overwrite: true,
    tier: "Standard",
  });
  await expect(ask({ action: "publish", edits })).rejects.toThrow("Cannot save mesh: changed by another user");
  await expect(confirm({ id: asked.id, message: "" })).rejects.toThrow("has changed since you looked");
  expect((await workspace.read()).saved["mesh"]).toBe("accessLogFile: /dev/stdout\n");
});

it("saves nothing where its channel has moved since, and says where edits are saved that the publisher refuses", async () => {
  const mesh = (name: string) => ({ mesh: `accessLogFile: /dev/${name}\n` });
  const moved = await question(mesh("moved"));
  const cause = { by: "bob", why: "back" };
  await moved.deployment.askPublisher({ action: "rollback", channel: "stable", cause });
  const before = (await moved.workspace.read()).saved;
  await expect(moved.confirm({ id: moved.asked.id, message: "" })).rejects.toMatchObject({ code: "channel-moved" });
  expect((await moved.workspace.read()).saved).toEqual(before);
  await moved.deployment.askPublisher({ action: "unpin", channel: "stable", cause });
  const { deployment, asked, confirm, workspace } = await question(mesh("refused"));
  vi.spyOn(deployment, "askPublisher").mockRejectedValue(new OutriggerError("channel-moved", "Cannot move stable"));
  await expect(confirm({ id: asked.id, message: "" })).rejects.toMatchObject({
    code: "channel-moved",
    message: "The edits are saved, but not published: Cannot move stable",
  });
  expect((await workspace.read()).saved).toMatchObject(mesh("refused"));
});

it("does nothing that changed nothing when it was asked, where the channel has moved since", async () => {
  const { deployment, ask, confirm } = await question({});
  const { id, message } = await ask({ action: "unpin", channel: "stable" });
  expect(message).toContain("as before");
  await deployment.askPublisher({ action: "pin", channel: "stable", cause: { by: "bob", why: "wait" } });
  await expect(confirm({ id, message: "" })).rejects.toMatchObject({ code: "channel-moved" });
  await deployment.askPublisher({ action: "unpin", channel: "stable", cause: { by: "bob", why: "go on" } });
});

it("only saves what a pinned channel does not take", async () => {
  const { ask, confirm, read } = await question({ config: "policy: disabled\n" });
  const pin = await ask({ action: "pin", channel: "stable" });
  await confirm({ id: pin.id, message: "" });
  const { asked, ...after } = await question({ config: "policy: disabled\n" });
  expect(asked).toMatchObject({ isPublished: false, message: expect.stringContaining("stable is pinned") });
  const before = (await read()).channels["stable"]?.release;
  await after.confirm({ id: asked.id, message: "" });
  const { channels, unpublished, edits } = await read();
  expect([channels["stable"]?.release, edits]).toEqual([before, "pinned"]);
  expect(unpublished).toContain("config");
});

it("says whether a channel stays pinned, and that is what it is afterwards", async () => {
  const { deployment, workspace } = await open();
  const { ask, confirm, read } = workspace.releases as NonNullable<typeof workspace.releases>;
  const carryOut = async (move: Parameters<typeof ask>[0]) => {
    const { id, message } = await ask(move);
    await confirm({ id, message: "" });
    return [message, (await read()).channels["stable"]?.pinned];
  };
  await carryOut({ action: "unpin", channel: "stable" });
  await carryOut({ action: "set-channel", channel: "canary", edits: true });
  await deployment.store.putParameter({
    name: target.layout.sourceParameter("mesh"),
    value: "accessLogFile: /dev/pins\n",
    overwrite: true,
    tier: "Standard",
  });
  await carryOut({ action: "publish" });
  const promote = { action: "promote", from: "canary", to: "stable" } as const;
  expect(await carryOut({ action: "pin", channel: "stable" })).toEqual([expect.stringContaining(", pinned"), true]);
  await expect(ask({ ...promote, share: 5 })).rejects.toMatchObject({ code: "channel-pinned" });
  // A share leaves the release of the channel, and its pin.
  expect(await carryOut({ ...promote, share: 5, unpin: true })).toEqual([expect.stringContaining(", pinned"), true]);
  expect(await carryOut({ ...promote, unpin: true })).toEqual([
    expect.stringContaining(", not pinned any more"),
    false,
  ]);
});

it("reads older moves than a record has", async () => {
  const { deployment, workspace } = await open();
  const { changes, read } = workspace.releases as NonNullable<typeof workspace.releases>;
  const moves = Array.from({ length: 30 }, (_, at) => `move ${at}`);
  for (const [at, why] of moves.entries()) {
    const action = at % 2 === 0 ? "pin" : "unpin";
    await deployment.askPublisher({ action, channel: "stable", cause: { by: "ann", why } });
  }
  const [known, whole] = [(await read()).changes, await changes()].map(([latest]) =>
    latest?.steps.filter(({ channel }) => channel === "stable"),
  );
  expect(known?.length).toBeLessThanOrEqual(20);
  expect(whole?.slice(-30).map(({ why }) => why)).toEqual(moves);
  expect(whole?.slice(-(known?.length ?? 0))).toEqual(known);
});

it("takes no key that every object has for the channel that edits go to", async () => {
  const { deployment, workspace } = await open();
  const put = (path: string, value: string) =>
    deployment.store.putParameter({
      name: target.layout.sourceParameter(path),
      value,
      overwrite: true,
      tier: "Standard",
    });
  await put("values/10-a", "a: [\n");
  await put("config", "publishTo: constructor\n");
  await deployment.store.deleteParameters(["stable", "canary"].map(target.layout.channel));
  const state = await workspace.releases?.read();
  expect(state).toMatchObject({ channels: {}, publishTo: "constructor", edits: "refused", editsWait: null });
});
