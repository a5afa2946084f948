import type { LambdaClient } from "@aws-sdk/client-lambda";
import type { PublisherRequest } from "@outrigger/publisher";
import { describe, expect, it } from "vitest";
import { publisherOf } from "./ask-publisher.ts";

const cause = { by: "ann", why: "" };
const PROMOTE: PublisherRequest = { action: "promote", from: "canary", to: "stable", change: 7, cause };
const DONE = { ok: true, message: "done", seq: 1, changed: true, warnings: [] };

/** Asks a function that answers with a value. */
function ask(answer: unknown, request = PROMOTE, functionName = "outrigger-prod-publish") {
  const send = async () => ({ Payload: Buffer.from(JSON.stringify(answer)) });
  const client = { send } as unknown as LambdaClient;
  return publisherOf(client, functionName, { region: "eu-west-1", version: "0.3.0" })(request);
}

const refusal = (code: string, path: string, version?: string) => ({
  ok: false,
  error: { code, message: `Cannot do what is asked: "${path}" is not known for promote`, path },
  version,
});

describe("publisherOf() before a function of another version", () => {
  it.each([
    [
      refusal("request-unknown", "change", "0.2.0"),
      'is 0.2.0, older than this command (0.3.0): it does not take "change" of promote; run "outrigger deploy --stage prod"',
    ],
    [
      refusal("request-unknown", "action", "0.2.9"),
      "is 0.2.9, older than this command (0.3.0): it does not take promote; run",
    ],
    // Functions before 0.3.0 said no version.
    [refusal("usage", "change"), 'is older than this command (0.3.0): it does not take "change" of promote; run'],
    [refusal("usage", "action"), "is older than this command (0.3.0): it does not take promote; run"],
    [
      refusal("request-unknown", "change", "0.10.0"),
      'is 0.10.0, newer than this command (0.3.0): it does not take "change" of promote; install outrigger 0.10.0',
    ],
    [refusal("request-unknown", "change", "0.3.0"), "is another build of 0.3.0 than this command: it does not take"],
    [
      { done: "well", version: "1.0.0" },
      "is 1.0.0, newer than this command (0.3.0): its answer cannot be read; install outrigger 1.0.0",
    ],
  ])("says of %j which is the older one, and what to do", async (answer, words) => {
    const message = expect.stringContaining(`The function of stage prod ${words}`);
    await expect(ask(answer)).rejects.toMatchObject({ code: "version-mismatch", message });
  });

  it("names a function that has no deployment's name", async () => {
    const asked = ask(refusal("request-unknown", "change", "0.2.0"), PROMOTE, "mine");
    await expect(asked).rejects.toThrow(
      'The function mine is 0.2.0, older than this command (0.3.0): it does not take "change" of promote; run "outrigger deploy"',
    );
  });

  it("passes on what is refused for other reasons", async () => {
    const other = { ok: false, error: { code: "usage", message: "Cannot begin a rollout of stable", path: "stable" } };
    await expect(ask(other)).rejects.toMatchObject({ code: "usage", message: "Cannot begin a rollout of stable" });
    const prefix = { ok: false, error: { code: "usage", message: "another is meant", path: "prefix" } };
    await expect(ask(prefix, { ...PROMOTE, prefix: "/x" })).rejects.toMatchObject({ code: "usage", path: "prefix" });
    const moved = { ok: false, error: { code: "channel-moved", message: "moved" }, version: "9.9.9" };
    await expect(ask(moved)).rejects.toMatchObject({ code: "channel-moved" });
  });

  it("takes the answer of any version, without the version", async () => {
    expect(await ask({ ...DONE, version: "9.9.9" })).toEqual(DONE);
    expect(await ask(DONE)).toEqual(DONE);
  });
});
