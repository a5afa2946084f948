import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ErrorCode, OutriggerError } from "@outrigger/base";
import type { PublisherRequest } from "@outrigger/publisher";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CALLER, fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { AwsConnection } from "../connect/aws-connection.ts";
import type { ActionRequest } from "./action-request.ts";
import { type AskOptions, openAndAsk } from "./ask-and-print.ts";

const [NEW, OLD] = ["bbbbbbbbbbbb", "aaaaaaaaaaaa"] as const;
const ROLLBACK = { action: "rollback", channel: "stable" } as const;
const DONE = { ok: true, message: `stable serves ${OLD} now`, seq: 1, changed: true, warnings: [] } as const;
const ANSWER = {
  ...DONE,
  channel: "stable",
  release: OLD,
  effects: [{ name: "image", example: "web: proxyv2:2", isHeld: false }],
  warnings: ["it was pinned"],
  problems: [{ code: "channel-invalid", message: "Cannot read canary" }],
} as const;

describe("openAndAsk()", () => {
  let aws: ReturnType<typeof fakeAws>;
  let state: string;
  let asked: PublisherRequest[];
  /** What the publish function answers to what is not a dry run, and to one. */
  let answer: AwsConnection["askPublisher"];
  let look: AwsConnection["askPublisher"];
  beforeEach(async () => {
    state = mkdtempSync(join(tmpdir(), "outrigger-state-"));
    aws = fakeAws();
    asked = [];
    answer = async () => DONE;
    look = async () => DONE;
    const move = (release: string) => ({ release, action: "publish", at: "2026-01-02T03:04:05Z", by: "ann", why: "" });
    const record = { release: NEW, pinned: false, change: 7, history: [move(NEW), move(OLD)] };
    await aws.put(aws.layout.channel("stable"), JSON.stringify(record, null, 1));
  });
  afterEach(() => rmSync(state, { recursive: true }));

  async function ask(
    request: ActionRequest,
    options: AskOptions = {},
    { isTerminal = false, prefix = "/outrigger/dev" } = {},
  ) {
    const io = fakeIo({
      isTerminal,
      env: { XDG_STATE_HOME: state },
      connect: async (target) => ({
        ...(await aws.connect(target)),
        place: async () => prefix,
        askPublisher: async (sent) => {
          asked.push(sent);
          return sent.dryRun === true ? look(sent) : answer(sent);
        },
      }),
    });
    const error = await openAndAsk(request, options, io).then(
      () => undefined,
      (thrown: unknown) => thrown as OutriggerError,
    );
    return { error, out: io.out(), err: io.err() };
  }
  const fail = (code: ErrorCode) => () => Promise.reject(new OutriggerError(code, `the fault ${code}`));
  const sent = () => asked.filter(({ dryRun }) => dryRun !== true);

  it("sends exactly what the person sees, who asks and why, and prints the answer", async () => {
    expect(await ask(ROLLBACK, { message: "why not" })).toEqual({
      error: undefined,
      out: `${DONE.message}\n`,
      err: "",
    });
    expect(sent()).toEqual([
      { ...ROLLBACK, release: OLD, serving: NEW, id: expect.any(String), cause: { by: CALLER, why: "why not" } },
    ]);
    await ask(ROLLBACK);
    expect(sent()[1]?.cause).toEqual({ by: CALLER, why: "" });
  });

  it("prints what changes for pods, warnings and damaged records apart from the answer", async () => {
    answer = async () => ANSWER as never;
    const { out, err } = await ask({ action: "unpin", channel: "stable" });
    expect(out).toBe(`${DONE.message}\n`);
    expect(err).toBe(
      "What changes for pods:\n  image (web: proxyv2:2)\nWarning: it was pinned\nWarning: Cannot read canary\n",
    );
    expect(JSON.parse((await ask({ action: "unpin", channel: "stable" }, { json: true })).out)).toEqual(ANSWER);
  });

  it("says to a person at a terminal for what it waits", async () => {
    expect((await ask(ROLLBACK, {}, { isTerminal: true })).err).toContain("Waiting for outrigger-dev-publish");
  });

  it("looks first at a move that changes pods, and asks nothing twice for the others", async () => {
    look = async () => ANSWER as never;
    const { err } = await ask(ROLLBACK);
    expect(asked.map(({ dryRun }) => dryRun)).toEqual([true, undefined]);
    expect(err).toBe("What changes for pods:\n  image (web: proxyv2:2)\n");
    asked = [];
    await ask({ action: "unpin", channel: "stable" });
    expect(asked).toHaveLength(1);
  });

  it("sends what is resolved already as it is, without a look", async () => {
    await ask({ ...ROLLBACK, release: "cccccccccccc" }, { isResolved: true });
    expect(asked).toEqual([
      { ...ROLLBACK, release: "cccccccccccc", id: expect.any(String), cause: { by: CALLER, why: "" } },
    ]);
  });

  it("says of a dry run that nothing was written, and asks once", async () => {
    const { out } = await ask(ROLLBACK, { dryRun: true, confirm: () => Promise.reject(new Error("asked a person")) });
    expect(out).toBe(`${DONE.message} (dry run: nothing was written)\n`);
    expect(asked).toEqual([expect.objectContaining({ ...ROLLBACK, dryRun: true })]);
  });

  it("sends nothing where the person who has looked says no", async () => {
    const no = new OutriggerError("findings", "Nothing was moved");
    look = async () => ANSWER as never;
    const { error, err } = await ask(ROLLBACK, { confirm: () => Promise.reject(no) });
    expect(error).toBe(no);
    expect(err).toContain("What changes for pods");
    expect(sent()).toEqual([]);
  });

  it("goes back as many releases as are asked for, from the one that is expected by its first digits", async () => {
    const { error } = await ask(ROLLBACK, { ifServing: "bbbb", steps: 1 });
    expect(error).toBeUndefined();
    expect(sent()).toEqual([expect.objectContaining({ serving: NEW, release: OLD })]);
    expect((await ask(ROLLBACK, { steps: 2 })).error?.code).toBe("release-unknown");
    expect((await ask(ROLLBACK, { ifServing: "ffff" })).error?.code).toBe("release-unknown");
    expect(sent()).toHaveLength(1);
  });

  it("prints the effect on a cluster below the answer, and its fields among the answer's", async () => {
    const readEffect: AskOptions["readEffect"] = async ({ message }, { target }) => ({
      value: { effect: `${message} in ${target.stage}` },
      text: "two workloads differ",
    });
    expect((await ask(ROLLBACK, { readEffect })).out).toBe(`${DONE.message}\ntwo workloads differ\n`);
    expect(JSON.parse((await ask(ROLLBACK, { readEffect, json: true })).out)).toEqual({
      ...DONE,
      effect: `${DONE.message} in dev`,
    });
    expect((await ask(ROLLBACK, { readEffect: async () => undefined })).out).toBe(`${DONE.message}\n`);
  });

  it.each(["aws-unavailable", "store-unavailable", "deadline-exceeded"] as const)(
    "sends the same request again, and says so, where the last run got no answer: %s",
    async (code) => {
      answer = fail(code);
      expect((await ask(ROLLBACK)).error?.code).toBe(code);
      answer = async () => DONE;
      const { err, out } = await ask(ROLLBACK);
      expect(err).toBe("The last run of this command got no answer: its request is sent again\n");
      expect(out).toBe(`${DONE.message}\n`);
      const [first, second] = sent();
      expect(second).toEqual(first);
      // It is answered now: the next run is a request of its own.
      expect((await ask(ROLLBACK)).err).toBe("");
      expect(sent()[2]?.id).not.toBe(first?.id);
    },
  );

  it("is a new request after a refusal", async () => {
    answer = fail("channel-moved");
    expect((await ask(ROLLBACK)).error).toMatchObject({ code: "channel-moved", message: "the fault channel-moved" });
    answer = async () => DONE;
    expect((await ask(ROLLBACK)).err).toBe("");
    expect(sent()[1]?.id).not.toBe(sent()[0]?.id);
  });

  it("keeps the request where a fault is of no kind that is known", async () => {
    answer = () => Promise.reject(new TypeError("a mistake of ours"));
    expect((await ask(ROLLBACK)).error?.message).toBe("a mistake of ours");
    answer = async () => DONE;
    expect((await ask(ROLLBACK)).err).toContain("is sent again");
  });

  it.each<[string, AskOptions, { prefix?: string }]>([
    ["another message", { message: "another" }, {}],
    ["a dry run", { dryRun: true }, {}],
    ["more steps", { steps: 1 }, {}],
    ["a release that is expected", { ifServing: NEW }, {}],
    ["another account", {}, { prefix: "444455556666/eu-west-1/" }],
    ["another deployment", { prefix: "/outrigger/other" }, {}],
  ])("is another command with %s", async (_what, options, place) => {
    answer = fail("aws-unavailable");
    await ask(ROLLBACK);
    answer = async () => DONE;
    aws.deployed.push("/outrigger/other");
    expect((await ask(ROLLBACK, options, place)).err).not.toContain("is sent again");
  });
});
