// What an event has, and that docs/events.md says so: what was sent once is what others have written rules for.
import { readFileSync } from "node:fs";
import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import type { ChannelMove } from "../records/channel-record.ts";
import type { Proposal } from "../records/channel-settings.ts";
import type { LogEntry, LoggedChange } from "../records/log-entry.ts";
import { changeEventKind } from "./change-event.ts";
import { eventOfEntry } from "./event-of-entry.ts";

const PAGE = readFileSync(new URL("../../../docs/events.md", import.meta.url), "utf8");

const [A, B] = ["77aa88bb99cc", "1f2e3d4c5b6a"];
const at = "2026-11-03T09:30:00.000Z";
const ann = { by: "arn:aws:iam::111122223333:user/ann", why: "ticket 12" };
const cluster = { revisions: { default: "stable" }, arn: "", tokens: [{ sha256: "a".repeat(64), created: at }] };
const proposal: Proposal = { from: "canary", release: B, serving: A, share: 5, at, ...ann };
const held = [{ name: "image", example: "samples/plain-pod: istio-proxy" }] as const;

function entry(change: LoggedChange, action?: string, message = ""): LogEntry {
  return { number: 412, id: "request-1", at, change, message, ...(action && { asked: { action, ...ann } }) };
}

function eventOf(change: LoggedChange, action?: string, message?: string) {
  return eventOfEntry(entry(change, action, message), "/outrigger/prod");
}

function move(action: ChannelMove["action"], more: Partial<ChannelMove> = {}): LoggedChange {
  return {
    kind: "channel",
    name: "stable",
    move: { action, release: A, at, ...ann, ...more },
    pinned: action === "pin",
  };
}

const settings = (own: object): LoggedChange => ({ kind: "channel", name: "stable", settings: own });

/** An event for each action that the page names. */
const EVENTS = [
  ...(["publish", "abort", "rollback", "pin", "unpin"] as const).map((action) => eventOf(move(action))),
  eventOf(move("promote", { share: { release: B, percent: 5 }, effects: ["image"] })),
  eventOf(settings({ proposal }), "promote"),
  eventOf(settings({ proposal: { ...proposal, from: "source", held, tree: "t" } }), "publish"),
  eventOf(settings({ approval: true, proposal }), "set-channel"),
  eventOf({ kind: "channel", name: "stable", record: null }, "remove-channel"),
  ...["put-cluster", "add-token", "retire-token", "replicate"].map((action) =>
    eventOf({ kind: "cluster", name: "shop", record: cluster }, action),
  ),
  eventOf({ kind: "cluster", name: "shop", record: null }, "remove-cluster"),
];

/** The code words in the first column of a table. */
function rowsOf(heading: string): readonly string[] {
  const [, table = ""] = PAGE.split(heading);
  const [rows = ""] = table.split("\n\n");
  return rows
    .split("\n")
    .slice(2) // the rest of the headings, and the line below
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([\w-]+)`/g)].map(([, name = ""]) => name));
}

describe("eventOfEntry()", () => {
  it("is the event of the page", () => {
    const [, block = ""] = /```json\n([\s\S]+?)```/.exec(PAGE) ?? [];
    const { detail, source, "detail-type": type } = JSON.parse(block) as JsonObject;
    expect({ source, type }).toEqual(changeEventKind);
    const share = { release: B, percent: 5 };
    const said = `stable serves ${B} to 5 % of the workloads, and ${A} to the others; what changes for pods: image`;
    expect(eventOf(move("promote", { share, effects: ["image"] }), undefined, said)).toEqual(detail);
  });

  it("has the fields and the actions that the page names, and no others", () => {
    const names = new Set(EVENTS.flatMap((event) => Object.keys(event ?? {})));
    expect([...names].sort()).toEqual([...rowsOf("| in `detail` |")].sort());
    expect(EVENTS.map((event) => event?.action).sort()).toEqual([...rowsOf("| `action` | what was done")].sort());
  });

  it("says what waits for a person, and moves nothing", () => {
    const waiting = EVENTS.filter((event) => event?.action === "propose" || event?.action === "hold");
    expect(waiting).toMatchObject([{ release: B, share: 5 }, { release: B }]);
    for (const event of waiting) expect(event).not.toHaveProperty("pinned");
  });

  it("is none for a lease, and none of an earlier version that says nobody", () => {
    expect(eventOf({ kind: "cluster", name: "shop", record: cluster })).toBeUndefined();
  });

  it("has a message of a bounded length", () => {
    expect(eventOf(move("pin"), undefined, "x".repeat(5000))?.message).toHaveLength(1000);
  });
});
