import { describe, expect, it } from "vitest";
import { parsePublisherRequest } from "./parse-request.ts";

const cause = { by: "ann", why: "" };
const sha256 = "ab".repeat(32);
const record = { revisions: { default: "stable" }, arn: "" };

describe("parsePublisherRequest()", () => {
  it.each([
    { action: "publish" },
    { action: "publish", channel: "canary", tree: "a".repeat(32), automatic: true, dryRun: false },
    { action: "promote", from: "canary", to: "stable" },
    { action: "rollback", channel: "stable", release: "0123456789ab" },
    { action: "pin", channel: "stable" },
    { action: "unpin", channel: "stable", serving: "0123456789ab" },
    { action: "put-cluster", cluster: "c1", record },
    { action: "put-cluster", cluster: "c1", record: { ...record, tokens: [{ sha256, created: "x" }] } },
    { action: "add-token", cluster: "c1", sha256 },
    { action: "repair", prefix: "/outrigger/dev" },
  ])("takes %j", (request) => {
    expect(parsePublisherRequest({ ...request, cause })).toEqual({ ...request, cause });
  });

  it.each([
    [null, "must be a JSON mapping"],
    [[], "must be a JSON mapping"],
    [{}, '"action" must be one of publish, promote'],
    [{ action: "toString" }, '"action" must be one of'],
    [
      { action: "publish", force: true },
      '"force" is not known for publish; use action, cause, id, dryRun, prefix, channel',
    ],
    [{ action: "publish", channel: "../x" }, '"channel" must be a name'],
    [{ action: "publish", channel: 1 }, '"channel" must be a name'],
    [{ action: "publish", dryRun: "no" }, '"dryRun" must be true or false'],
    [{ action: "repair", prefix: 1 }, '"prefix" must be a text'],
    [{ action: "promote", from: "canary" }, '"to" must be a name'],
    [{ action: "rollback", channel: "stable", release: "../../x" }, `"release" must be a release's digest`],
    [{ action: "remove-cluster", cluster: "a/b" }, '"cluster" must be a name'],
    [{ action: "remove-cluster", cluster: "__proto__" }, '"cluster" must be a name'],
    [{ action: "add-token", cluster: "c1", sha256: "secret" }, '"sha256" must be a SHA-256'],
    [{ action: "put-cluster", cluster: "c1", record: {} }, '"revisions" of the record'],
    [
      { action: "put-cluster", cluster: "c1", record: { ...record, network: "net/a" } },
      '"record.network" must be at most',
    ],
    [{ action: "repair", cause: { by: "", why: "" } }, '"cause.by" must say who asks'],
    [{ action: "repair", cause: { by: "ann" } }, '"cause.why" must be a text'],
  ])("refuses %j and says what is wrong", (request, message) => {
    const asked = request === null || Array.isArray(request) ? request : { cause, ...request };
    expect(() => parsePublisherRequest(asked)).toThrow(message);
  });

  it("cuts what is too long for a history", () => {
    const long = { by: "b".repeat(5000), why: "w".repeat(5000) };
    const { cause: cut } = parsePublisherRequest({ action: "repair", cause: long });
    expect([cut.by.length, cut.why.length]).toEqual([200, 500]);
  });
});
