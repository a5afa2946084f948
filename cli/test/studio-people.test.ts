// Random people on one deployment: two pages with edits of their own, a command line, a server that is stopped and started, a store
// that takes its time. What a person confirmed is what was done, or nothing; and no edit is lost. OUTRIGGER_STEPS=2000 takes longer.
import { layoutOf } from "@outrigger/aws";
import { readChannelRecord } from "@outrigger/publisher";
import type { Edit, Question } from "@outrigger/studio";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { pick, randomOf } from "../../test/support/random.ts";
import { servedBy } from "../../test/support/served-by.ts";
import { type Deployment, openDeployment } from "../connect/deployment.ts";
import { startFakeDeployment } from "../server/fake-deployment.ts";
import { deploymentWorkspace } from "../studio/deployment-workspace.ts";
import type { AskedMove } from "../studio/parse-move.ts";
import type { StudioReleases } from "../studio/releases.ts";

const STEPS = Number(process.env["OUTRIGGER_STEPS"] ?? 200);
const SEED = Number(process.env["OUTRIGGER_SEED"] ?? 1);
const SHIPPED = { config: "policy: enabled\n", "templates/sidecar": "metadata:\n  labels:\n    a: '{{values.a}}'\n" };
const target = { stage: "dev", layout: layoutOf("/outrigger/dev"), publisher: "outrigger-dev-publish" };

let fake: Awaited<ReturnType<typeof startFakeDeployment>>;
beforeAll(async () => {
  fake = await startFakeDeployment({ target, tier: "Standard", shipped: SHIPPED, tree: {}, port: 0, report: () => {} });
});
afterAll(() => fake.close());

/** A page: what it has read, its edits, and the question that its sheet shows. */
interface Tab {
  saved: Readonly<Record<string, string>>;
  edits: readonly Edit[];
  asked?: { readonly question: Question; readonly move: AskedMove };
}

it(`keeps every promise of ${STEPS} random steps`, { timeout: 30_000 + STEPS * 3000 }, async () => {
  const random = randomOf(SEED);
  const io = fakeIo({ connect: async () => fake.connection });
  const opened = await openDeployment({}, io);
  // Calls take their time, so that two people's overlap.
  const late = () => new Promise((resolve) => setTimeout(resolve, random() * 4));
  const store: Deployment["store"] = {
    ...opened.store,
    putParameter: async (parameter) => {
      await late();
      return opened.store.putParameter(parameter);
    },
  };
  const deployment: Deployment = { ...opened, store };
  const start = () => deploymentWorkspace(deployment, async () => SHIPPED, io);
  let server = start();
  const moves = () => server.releases as StudioReleases;
  const tabs: Tab[] = [
    { saved: {}, edits: [] },
    { saved: {}, edits: [] },
  ];
  const counts: Record<string, number> = { confirmed: 0, refused: 0 };
  let number = 0;
  await deployment.askPublisher({
    action: "set-channel",
    channel: "canary",
    edits: true,
    cause: { by: "ann", why: "" },
  });

  async function edit(tab: Tab): Promise<void> {
    tab.saved = (await server.read()).saved;
    const path = pick(random, ["values/10-a", "values/20-b", "mesh"]);
    number += 1;
    const text = path === "mesh" ? `accessLogFile: /dev/${number}\n` : `a: "${number}"\n`;
    tab.edits = [...tab.edits.filter((one) => one.path !== path), { path, base: tab.saved[path] ?? null, text }];
  }

  async function ask(tab: Tab): Promise<void> {
    const move = pick<AskedMove>(random, [
      { action: "publish", edits: tab.edits },
      { action: "publish" },
      { action: "promote", from: "canary", to: "stable" },
      { action: "promote", from: "canary", to: "stable", share: 5, rollout: { next: [25, 100], alarms: [] } },
      { action: "step-rollout", channel: "stable", direction: pick(random, ["next", "back"]) },
      { action: "rollback", channel: pick(random, ["canary", "stable"]) },
      { action: "pin", channel: "stable" },
      { action: "unpin", channel: pick(random, ["canary", "stable"]) },
    ]);
    delete tab.asked;
    const question = await moves()
      .ask(move)
      .catch(() => undefined);
    if (question !== undefined) tab.asked = { question, move };
  }

  async function confirm(tab: Tab): Promise<void> {
    const { asked } = tab;
    if (asked === undefined) return;
    delete tab.asked;
    number += 1;
    const message = `change ${number}`;
    const { question, move } = asked;
    const before = await server.read();
    const failure = await moves()
      .confirm({ id: question.id, message })
      .then(
        () => undefined,
        (error: unknown) => String(error),
      );
    const ended = failure === undefined ? "confirmed" : "refused";
    counts[ended] = (counts[ended] ?? 0) + 1;
    const record = await recordOf(question.channel);
    const edits = move.action === "publish" ? (move.edits ?? []) : [];
    if (failure !== undefined) {
      // Nothing of it, or it says what.
      if (!failure.includes("are saved")) {
        expect(record?.history).not.toContainEqual(expect.objectContaining({ why: message }));
        expect({ failure, saved: (await server.read()).saved }).toEqual({ failure, saved: before.saved });
      }
      return;
    }
    const { saved } = await server.read();
    for (const { path, base, text } of edits) {
      // It replaced what its person saw, and nothing newer.
      expect([base, text]).toContain(before.saved[path] ?? null);
      expect(saved[path] ?? null).toBe(text);
    }
    if (edits.length > 0) tab.edits = [];
    const wanted = question.after?.release;
    if (wanted !== undefined) expect(servedBy(record, message)).toContain(wanted);
  }

  /** A channel as it is stored. */
  async function recordOf(channel: string) {
    const [record] = await deployment.store.getParameters([target.layout.channel(channel)]);
    return record && readChannelRecord(record);
  }

  async function commandLine(): Promise<void> {
    const cause = { by: "bob", why: "by hand" };
    number += 1;
    const name = target.layout.sourceParameter("values/20-b");
    const value = `a: "${number}"\n`;
    await pick(random, [
      () => store.putParameter({ name, value, overwrite: true, tier: "Standard" }),
      () => deployment.askPublisher({ action: "publish", cause }),
      () => deployment.askPublisher({ action: "promote", from: "canary", to: "stable", cause }),
      () => deployment.askPublisher({ action: "rollback", channel: "stable", cause }),
      () => deployment.askPublisher({ action: "unpin", channel: "stable", cause }),
    ])().catch(() => {});
  }

  for (let step = 0; step < STEPS; step += 1) {
    const tab = pick(random, tabs);
    const what = random();
    if (what < 0.3) await edit(tab);
    else if (what < 0.6) await ask(tab);
    else if (what < 0.85) await confirm(tab);
    else if (what < 0.97) await commandLine();
    // The server is killed: what it was asked is not known any more.
    else server = start();
  }
  process.stdout.write(process.env["OUTRIGGER_STEPS"] === undefined ? "" : `${JSON.stringify(counts)}\n`);
  expect(Object.values(counts).every((count) => count > 0)).toBe(true);
});
