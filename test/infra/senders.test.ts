// Holds the table "Who can send what" of docs/contributing/threat-model.md: the entry points that each sender may invoke, from the
// deployed template, and what each kind of event does there, by sending it.
import { readFileSync } from "node:fs";
import { readRelease } from "outrigger:bundled-release";
import { describe, expect, it } from "vitest";
import { createHandler as injectHandler } from "../../functions/inject/index.ts";
import { publishHandler } from "../../functions/publish/handler.ts";
import { registerHandler } from "../../functions/register/handler.ts";
import { eventOf } from "../support/gateway-event.ts";
import { digestOfTree, layout, publisherSetup } from "../support/publisher-setup.ts";
import { goldenTemplate } from "./support/template.ts";

const template = goldenTemplate("http");
const FUNCTION = "arn:aws:lambda:us-east-1:1:function:outrigger-dev-publish";
const STACK = "arn:aws:cloudformation:us-east-1:1:stack/outrigger-dev/1";
const cause = { by: "mallory", why: "" };

const custom = (RequestType: string, LogicalResourceId: string, StackId = STACK) => ({
  RequestType,
  ResponseURL: "https://any-bucket.s3.us-east-1.amazonaws.com/x",
  StackId,
  RequestId: "1",
  LogicalResourceId,
});

/** Every kind of event that any of the functions takes, by its name in the table's head. */
const EVENTS: Readonly<Record<string, unknown>> = {
  "stack's delete": custom("Delete", "PublishRelease"),
  "stack's update": custom("Update", "PublishRelease"),
  "another stack's delete": custom("Delete", "PublishRelease", STACK.replace("outrigger-dev", "other")),
  edit: { source: "aws.ssm", time: "2026-01-02T03:04:05Z", detail: { name: layout.sourceParameter("mesh") } },
  "publisher's request": { action: "rollback", channel: "stable", cause },
  "admission review": eventOf({ object: { metadata: {}, spec: { containers: [] } }, namespace: "shop" }),
  schedule: { action: "reconcile" },
  rollouts: { action: "reconcile-rollouts" },
};

/**
 * Sets up what a deployment holds before each event: two published trees, so that there is something to roll back and
 * to lose.
 */
async function publishFunction() {
  const setup = publisherSetup();
  const { clock, store } = setup;
  const responses: string[] = [];
  const handler = publishHandler({
    ...setup.dependencies,
    stage: "dev",
    version: "1.2.3",
    stackId: STACK,
    stackStatus: async () => "UPDATE_IN_PROGRESS",
    write: () => {},
    sleep: async (milliseconds) => {
      if (milliseconds > 30_000) return new Promise(() => {});
      clock.time += milliseconds;
    },
    respond: async ({ response: { status } }) => void responses.push(status),
    canaryToken: `${layout.prefix}/canary/token`,
    makeToken: () => "t".repeat(43),
    putSecret: async () => {},
  });
  for (const text of ["a", "b"]) {
    await setup.edit("mesh", text);
    await handler({ action: "publish", cause });
  }
  await setup.edit("mesh", "c");
  clock.time += 60_000;
  return { setup, store, handler };
}

async function outcomeAtPublisher(event: unknown, alias: string): Promise<string> {
  const { setup, store, handler } = await publishFunction();
  // What a look notes of what it has seen changes nothing.
  const held = () => {
    const { [layout.settled]: _, ...values } = store.values();
    return JSON.stringify(values);
  };
  const before = held();
  const invokedFunctionArn = alias === "" ? FUNCTION : `${FUNCTION}:${alias}`;
  const result = await handler(event, { invokedFunctionArn }).catch(() => ({ ok: false }));
  if (held() === before) return result === undefined || result.ok ? "ignored" : "refused";
  if (store.values()[layout.head] === undefined) return "derived data removed";
  const { stable } = (await setup.served()).channels;
  return stable === digestOfTree({ mesh: "c" }) ? "published" : "carried out";
}

const ENTRY_POINTS: Readonly<Record<string, (event: unknown) => Promise<string>>> = {
  "publish:deploy-hook": (event) => outcomeAtPublisher(event, "deploy-hook"),
  publish: (event) => outcomeAtPublisher(event, ""),
  register: async (event) => {
    const calls: string[] = [];
    const respond = async () => void calls.push("respond");
    const handler = registerHandler({ respond, write: () => {} } as never);
    const isTaken = await handler(event).then(
      () => calls.length > 0,
      () => false,
    );
    return isTaken ? "a cluster" : "refused";
  },
  inject: async (event) => {
    const handler = injectHandler({ release: readRelease(), write: () => {} });
    const result = await handler(event as never).catch(() => ({ statusCode: 0 }));
    return result.statusCode >= 400 || result.statusCode === 0 ? "refused" : "answered";
  },
};

const PAGE = readFileSync("docs/contributing/threat-model.md", "utf8");
const [, SECTION = ""] = PAGE.split("### Who can send what\n");
const [HEAD = [], , ...ROWS] = (SECTION.split("\n##")[0] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) => line.slice(2, -2).split(" | "));
const KINDS = HEAD.slice(2);

describe("who can send what", () => {
  it("has a column for every kind of event and a row for every entry point", () => {
    expect(KINDS).toEqual(Object.keys(EVENTS));
    const places = new Set(ROWS.map(([, place = ""]) => place.replaceAll("`", "")));
    expect([...places].sort()).toEqual([...Object.keys(ENTRY_POINTS), "canary"].sort());
  });

  const cells = ROWS.flatMap(([sender = "", place = "", ...outcomes]) =>
    outcomes.map((outcome, index) => [sender, place.replaceAll("`", ""), KINDS[index] ?? "", outcome] as const),
  ).filter(([, place]) => place !== "canary");

  it.each(cells)("%s, through %s: %s is %s", async (_sender, place, kind, outcome) => {
    expect(await ENTRY_POINTS[place]?.(EVENTS[kind])).toBe(outcome);
  });
});

describe("who may invoke what", () => {
  const invokers = Object.entries(template.Resources).flatMap(([id, { Properties }]) => {
    const text = JSON.stringify(Properties ?? {});
    return text.includes("lambda:InvokeFunction") ? [[id, text] as const] : [];
  });

  it("lets policies and permissions invoke functions, and nobody the alias of the deploy hook", () => {
    expect(invokers.length).toBeGreaterThan(5);
    for (const [id, text] of invokers) expect(text, id).not.toMatch(/DeployHook|deploy-hook|function:\*/);
    const users = Object.entries(template.Resources).filter(([, { Properties }]) =>
      /"DeployHook"|:deploy-hook"/.test(JSON.stringify(Properties ?? {})),
    );
    expect(users.map(([id]) => id).sort()).toEqual(["CheckRelease", "PublishRelease"]);
  });

  it("lets people and functions invoke the publish function only, without an alias", () => {
    const holders = Object.entries(template.Resources).filter(([, { Type }]) => /^AWS::IAM::/.test(Type));
    const targets = holders.flatMap(([id, { Properties }]) =>
      [...JSON.stringify(Properties).matchAll(/"Action":"lambda:InvokeFunction","Resource":(\{[^}]*\})/g)].map(
        ([, resource]) => [id, resource] as const,
      ),
    );
    const publish = '{"Fn::GetAtt":["PublishLambdaFunction","Arn"]}';
    expect(targets).toEqual([
      ["RegisterRole", publish],
      ["ChannelMovers", publish],
      ["ClusterRegistrars", publish],
    ]);
  });
});
