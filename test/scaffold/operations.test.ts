// Holds docs/operations.md and the runbooks against what they talk about: alarms, log lines, metrics, commands, and its own links.
import { readFileSync } from "node:fs";
import { OutriggerError } from "@outrigger/base";
import { main } from "@outrigger/cli";
import { type AdmissionRecord, logAdmission } from "@outrigger/serving";
import { describe, expect, it } from "vitest";
import { titleOf } from "../../scripts/site/site-page.ts";
import { fakeIo } from "../cli/fake-io.ts";
import { expectRows } from "../support/page-rows.ts";
import { RUNBOOK_PAGES, RUNBOOKS } from "../support/runbooks.ts";

const PAGE = RUNBOOKS;
const SECTIONS = [...PAGE.matchAll(/^## (.*)$/gm)].map(([, title]) => title as string);
const QUERIES = [...PAGE.matchAll(/```logs(?: (\w+))?\n([\s\S]*?)```/g)].map(([, log = "inject", text = ""]) => ({
  log,
  text,
}));

const COMMANDS = [
  ...new Set([...PAGE.matchAll(/(?:`|^)(outrigger [a-z][^`\n]*)/gm)].map(([, line]) => line as string)),
];

const RECORD: AdmissionRecord = {
  uid: "u",
  requestId: "q",
  cluster: "c",
  traceId: "t",
  namespace: "n",
  name: "p",
  decision: "failed",
  status: 500,
  reason: "template-render",
  release: "r",
  templates: ["sidecar"],
  milliseconds: 1,
  late: true,
  cold: true,
  tokenSlot: 1,
  served: "current",
  storeError: "store-unavailable",
  error: new OutriggerError("template-render", "m", { path: "p", line: 1, column: 1 }),
};

/** Lines with an event, by their other fields, and the gateway's. */
const OTHER_FIELDS: Readonly<Record<string, readonly string[]>> = {
  inject: ["event", "code", "message", "path"],
  publish: ["event", "level", "action"],
  canary: ["event", "problem", "uid", "found", "unseen"],
  access: ["status", "source", "error", "route", "functionError"],
};

/** Field of a call's line → what it means. */
const FIELDS: Readonly<Record<string, string>> = {
  level: "`error` if the operator or Outrigger caused the failure",
  uid: "the AdmissionReview's `uid`, as in the API server's audit log",
  requestId: "the gateway's ID of the call, also in the gateway's log and the API server's audit log",
  traceId: "with `tracing: on`: the ID of its [trace](traces.md)",
  cluster: "the registered name, or without a token the name in the URL",
  pod: "`namespace/name`; a generated name ends in `*`",
  decision: "`injected`, `skipped`, `denied` (200, the pod is rejected), `refused` (4xx), `failed` (5xx)",
  reason:
    "why a pod was not injected: [a skipped pod's](configuration.md#which-pods-are-injected), or the [error's code](reference/errors.md)",
  status: "HTTP status",
  release: "what was served, by its digest",
  templates: "what was applied",
  milliseconds: "from the handler's start to its answer, without INIT",
  late: "the API server had already given up",
  cold: "the first call of its container",
  tokenSlot: "which of the cluster's two tokens the call used",
  served:
    "`current`; `stale`: Parameter Store has not confirmed the release for a minute; `bundled`: the release in the artifact",
  storeError: "why Parameter Store could not be read, or its answer could not be used",
  error: "`code`, `message`, `path`, `line`, `column`; for a bug `name` and `stack`, and never its message",
};

function loggedFields(): readonly string[] {
  const lines: string[] = [];
  logAdmission(RECORD, { write: (line) => lines.push(line) });
  const members: Record<string, unknown> = JSON.parse(lines[0] as string);
  return [...Object.keys(members), ...Object.keys(members["error"] as object).map((name) => `error.${name}`)];
}

/** Names in a query that are fields: what is no function, keyword, name given by `as`, string or number. */
function fieldsOf(query: string): readonly string[] {
  const given = [...query.matchAll(/\bas (\w+)/g)].map(([, name]) => name);
  const words = query.replace(/"[^"]*"/g, "").match(/@?[A-Za-z][\w.]*\b(?!\()/g) ?? [];
  const keywords = ["filter", "stats", "sort", "limit", "fields", "by", "as", "desc", "and", "or", "in", "m"];
  const isField = (word: string) => !word.startsWith("@") && !keywords.includes(word) && !given.includes(word);
  return [...new Set(words.filter(isField))];
}

describe("the runbooks", () => {
  it("has a section for every alarm, under its name", () => {
    const alarms = [...readFileSync("infra/alarms.yml", "utf8").matchAll(/AlarmName: outrigger-\S+?-([a-z-]+)$/gm)];
    expect(alarms.length).toBeGreaterThan(10);
    expect(SECTIONS).toEqual(expect.arrayContaining([...alarms.map(([, name]) => name), "no-calls", "quotas"]));
  });

  it("asks the logs for fields that exist", () => {
    expect(QUERIES.length).toBeGreaterThan(10);
    const fields = loggedFields();
    for (const { log, text } of QUERIES) {
      const known = [...(log === "inject" ? fields : []), ...(OTHER_FIELDS[log] ?? [])];
      expect(
        fieldsOf(text).filter((field) => !known.includes(field)),
        text,
      ).toEqual([]);
    }
  });

  it("names every field of a call's line", () => {
    expect(loggedFields().filter((field) => !field.includes(".") && !(field in FIELDS))).toEqual([]);
    const rows = Object.entries(FIELDS).map(([field, meaning]) => [`\`${field}\``, meaning]);
    expectRows({ page: "docs/operations.md", name: "log-fields", headings: ["field", "meaning"], rows });
  });

  it("are all named on the page that leads to them", () => {
    const rows = [...RUNBOOK_PAGES].map(([page, text]) => {
      const link = page.replace("docs/", "");
      const alarms = [...text.matchAll(/^## (.*)$/gm)].map(([, alarm]) => `[${alarm}](${link}#${alarm})`);
      return [`[${titleOf(text).replace("Alarms: ", "")}](${link})`, alarms.join(", ")];
    });
    expectRows({ page: "docs/operations.md", name: "alarms", headings: ["about", "alarms"], rows });
  });

  it.each(COMMANDS)("names a command and options that exist: %s", async (line) => {
    const words = line.split(" ").slice(1);
    const options = words.filter((word) => /^--?[a-z]/.test(word));
    const io = fakeIo();
    const isNested = ["token", "print"].includes(words[0] ?? "") || words[1] === "remove";
    expect(await main([...words.slice(0, isNested ? 2 : 1), "--help"], io)).toBe(0);
    for (const option of options) expect(io.out()).toContain(`${option} `);
  });
});
