import type { OutriggerError } from "@outrigger/base";
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

  it("names no key where the request is none", () => {
    const refused = (request: unknown) => {
      try {
        return parsePublisherRequest(request);
      } catch (error) {
        const { code, message, path } = error as OutriggerError;
        return { code, message, path };
      }
    };
    const message = "Cannot do what is asked: The request must be a JSON mapping with an action";
    expect(refused("publish")).toEqual({ code: "usage", message, path: undefined });
    expect(refused({ action: "repair", cause, id: 1 })).toMatchObject({ code: "usage", path: "id" });
  });

  const RELEASE = "0123456789ab";
  const DIGESTS = [
    [RELEASE],
    [1, "", "0123456789a", `${RELEASE}c`, "0123456789aB"],
    "a release's digest: 12 hexadecimal digits",
  ] as const;
  const NAMES = [["a", "a-1"], [1, "", "A", "a_b", "a/b", `a\n`], "a name of lower-case letters"] as const;
  const FLAG = [[true], [false, null, "true", 1], "true, or left out"] as const;
  const [publish, promote] = [{ action: "publish" }, { action: "promote", from: "canary", to: "stable" }];
  const [set, step] = [
    { action: "set-channel", channel: "a" },
    { action: "step-rollout", channel: "a", direction: "next" },
  ];
  const put = { action: "put-cluster", cluster: "c1", record };
  const rollout = { next: [5, 100], alarms: [] };
  const lease = { id: "0123456789abcdef", seconds: 1 };

  it.each<
    readonly [key: string, request: object, taken: readonly unknown[], refused: readonly unknown[], must: string]
  >([
    ["channel", publish, ...NAMES],
    ["from", promote, ...NAMES],
    ["to", promote, ...NAMES],
    ["automatic", publish, ...FLAG],
    ["prepare", publish, ...FLAG],
    ["unpin", publish, ...FLAG],
    ["unpin", promote, ...FLAG],
    ["replace", promote, ...FLAG],
    ["approve", promote, ...FLAG],
    ["change", promote, [1], ["1", 0.5, null], "the number of a change"],
    ["edits", set, ...FLAG],
    ["force", { action: "replicate" }, ...FLAG],
    ["copy", { action: "replicate" }, ...DIGESTS],
    ["release", promote, ...DIGESTS],
    [
      "serving",
      { action: "unpin", channel: "a" },
      [RELEASE, null],
      [1, "", "x"],
      "a release's digest, 12 hexadecimal digits, or null",
    ],
    [
      "tree",
      publish,
      ["0".repeat(32)],
      ["0".repeat(31), "0".repeat(33), "g".repeat(32)],
      "a tree's digest: 32 hexadecimal digits",
    ],
    [
      "until",
      { action: "replicate" },
      [{ channel: "a", change: 7 }],
      [
        "a",
        { channel: "A", change: 7 },
        { channel: "a" },
        { channel: "a", change: "7" },
        { channel: "a", change: 7, more: 1 },
      ],
      "a channel's name and the number of a change",
    ],
    ["share", promote, [0, 1, 100], [-1, 0.5, 101, "1", null], "a whole number from 0 to 100"],
    [
      "rollout",
      promote,
      [
        { ...rollout, bake: 60 },
        { ...rollout, bake: 604_800, alarms: Array(5).fill("a".repeat(255)) },
        { ...rollout, next: [1, 2, 100] },
      ],
      [
        null,
        { alarms: [] },
        { next: [] },
        { ...rollout, next: [0] },
        { ...rollout, next: [101] },
        { ...rollout, next: [0.5] },
        { ...rollout, next: [5, 5] },
        { ...rollout, next: [50, 5] },
        { ...rollout, bake: 59 },
        { ...rollout, bake: 604_801 },
        { ...rollout, bake: 60.5 },
        { ...rollout, alarms: Array(6).fill("a") },
        { ...rollout, alarms: [""] },
        { ...rollout, alarms: [1] },
        { ...rollout, alarms: ["a".repeat(256)] },
        { ...rollout, more: 1 },
      ],
      "shares that grow, to at most 100, at most 5 alarms, and a time of a minute to a week in seconds, with which restart may be true",
    ],
    ["direction", step, ["next", "back"], ["", "forth", true], '"next" or "back"'],
    [
      "seen",
      step,
      [1, 100].map((percent) => ({ release: RELEASE, percent })),
      [RELEASE, { release: "a", percent: 1 }, ...[0, 101, 0.5].map((percent) => ({ release: RELEASE, percent }))],
      "a share: a release, and percent from 1 to 100",
    ],
    ["accept", publish, [[], ["image", "command"]], [null, "image", ["image", "x"]], "a list of entries-gone, "],
    ["holds", set, [null, [], ["image"]], ["image", ["x"], {}], "a list of entries-gone, "],
    ["approval", set, [true, false], [null, "true", 1], "true or false"],
    ["cluster", put, ["a", "A_b-1", "a".repeat(100)], [1, "", "a.b", "a".repeat(101)], "a name of at most 100 letters"],
    ["record", put, [record], [null, "x", [record]], "a cluster's record"],
    [
      "lease",
      put,
      [lease, { ...lease, seconds: 0 }, { ...lease, seconds: 900 }, { ...lease, id: "a".repeat(64) }],
      [
        lease.id,
        { ...lease, seconds: -1 },
        { ...lease, seconds: 901 },
        { ...lease, seconds: 0.5 },
        { ...lease, seconds: "1" },
        { ...lease, id: "a".repeat(15) },
        { ...lease, id: "a".repeat(65) },
        { ...lease, id: "g".repeat(16) },
        { ...lease, id: 1 },
        { ...lease, more: 1 },
      ],
      "an id of 16 to 64 hexadecimal digits, and seconds from 0 to 900",
    ],
    [
      "expect",
      put,
      ["none", sha256],
      [null, "some", sha256.slice(1), `${sha256}a`],
      'the digest of a record, or "none"',
    ],
    ["sha256", { action: "retire-token", cluster: "c1" }, [sha256], [1, sha256.slice(1), `${sha256}a`], "a SHA-256"],
    ["id", publish, ["a-Z0-9b-", "a".repeat(64)], [1, "a".repeat(7), "a".repeat(65), "a_aaaaaa"], "8 to 64 letters"],
    ["dryRun", publish, [true, false], [null, "true", 1], "true or false"],
    ["prefix", publish, ["", "/outrigger/dev"], [null, 1], "a text"],
  ])("takes and refuses values of %s in %j", (key, request, taken, refused, must) => {
    for (const value of taken) {
      const asked = { cause, ...request, [key]: value };
      expect(parsePublisherRequest(asked)).toEqual(asked);
    }
    for (const value of refused) {
      expect(() => parsePublisherRequest({ cause, ...request, [key]: value })).toThrow(
        expect.objectContaining({
          code: "usage",
          path: key,
          message: expect.stringContaining(`"${key}" must be ${must}`),
        }),
      );
    }
  });

  it.each([
    [publish, []],
    [promote, ["from", "to"]],
    [step, ["channel", "direction"]],
    [set, ["channel"]],
    [{ action: "rollback", channel: "a" }, ["channel"]],
    [{ action: "pin", channel: "a" }, ["channel"]],
    [{ action: "unpin", channel: "a" }, ["channel"]],
    [{ action: "remove-channel", channel: "a" }, ["channel"]],
    [put, ["cluster", "record"]],
    [{ action: "remove-cluster", cluster: "c1" }, ["cluster"]],
    [{ action: "add-token", cluster: "c1", sha256 }, ["cluster", "sha256"]],
    [{ action: "retire-token", cluster: "c1", sha256 }, ["cluster", "sha256"]],
    [{ action: "repair" }, []],
    [{ action: "replicate" }, []],
  ])("takes %j, and needs each of %j", (request, needed) => {
    expect(parsePublisherRequest({ cause, ...request })).toEqual({ cause, ...request });
    for (const key of needed) {
      const { [key as "action"]: _, ...rest } = request as { action: string };
      expect(() => parsePublisherRequest({ cause, ...rest })).toThrow(`"${key}" must be`);
    }
  });

  it("cuts what is too long for a history", () => {
    const long = { by: "b".repeat(5000), why: "w".repeat(5000) };
    const { cause: cut } = parsePublisherRequest({ action: "repair", cause: long });
    expect([cut.by.length, cut.why.length]).toEqual([200, 500]);
  });
});
