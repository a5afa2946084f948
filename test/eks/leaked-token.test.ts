// A token was leaked, and its holder calls with it forever: it is revoked all the same, and what that breaks is said first.
import { request } from "node:https";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliLab, openCliLab } from "./cli-lab.ts";

describe("a leaked token", { timeout: 120_000 }, () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openCliLab();
    expect((await lab.run("publish")).err).toBe("");
    expect((await lab.register("--phase", "cluster")).code).toBe(0);
    // The holder calls every minute, and so does nobody else.
    lab.services.tokenCalls.set("1", 240);
  });
  afterEach(() => lab.close());

  const CLUSTER = ["--cluster", "shop"] as const;
  const digests = async (): Promise<readonly string[]> => {
    const { out } = await lab.run("clusters", "--json");
    return JSON.parse(out).shop.tokens.map(({ sha256 }: { readonly sha256: string }) => sha256.slice(0, 8));
  };
  const tokenInWebhooks = () => /\/t\/([\w-]{43})\//.exec(JSON.stringify([...lab.api.objects.values()]))?.[1] ?? "";
  /** A call with a token, without a review: 404 where the token is not known. */
  const statusOf = (token: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request(`${lab.webhook.url}/t/${token}/inject`, { method: "POST", rejectUnauthorized: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end("{}");
    });

  it("is replaced and retired by rotate --now while calls come with it, after what that breaks was said", async () => {
    const [leaked] = await digests();
    const token = tokenInWebhooks();
    expect(await statusOf(token)).not.toBe(404);
    const { code, out, err } = await lab.run("token", "rotate", ...CLUSTER, "--now", "--no-self-test");
    expect([code, out]).toEqual([0, "shop uses a new token; the old one is retired\n"]);
    const lines = err.split("\n");
    expect(lines[0]).toContain(`240 calls came with token 1 (${leaked}…) of shop within the last hour`);
    expect(lines[0]).toContain("pods of revision default start without a sidecar (Ignore)");
    expect(await digests()).toEqual([expect.not.stringContaining(leaked ?? "")]);
    expect(tokenInWebhooks()).not.toBe(token);
    expect([await statusOf(token), await statusOf(tokenInWebhooks())]).toEqual([404, 415]);
  });

  it("is retired too where it is the newer one of an unfinished rotation", async () => {
    await lab.run("token", "rotate", ...CLUSTER, "--wait", "0", "--no-self-test");
    const before = await digests();
    expect(before).toHaveLength(2);
    expect((await lab.run("token", "rotate", ...CLUSTER, "--now", "--no-self-test")).code).toBe(0);
    const after = await digests();
    expect(after).toHaveLength(1);
    expect(before).not.toContain(after[0]);
  });

  it("is not revoked by rotating without --now, which names it", async () => {
    const { out } = await lab.run("token", "rotate", ...CLUSTER, "--wait", "0", "--no-self-test");
    expect(out).toContain("or with --now to retire it although calls come with it");
  });

  it.each([
    ["its slot", async () => ["1"]],
    ["the first characters of its digest", async () => [(await digests())[0] ?? ""]],
  ])("is retired by %s, where webhooks are applied by other tools", async (_by, words) => {
    const [leaked] = await digests();
    const retire = ["token", "retire", ...CLUSTER, ...(await words())];
    await lab.run("token", "add", ...CLUSTER, "--token-file", "second");
    const refused = await lab.run(...retire);
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringContaining("Not retired. 240 calls came with token 1"),
    ]);
    expect(await digests()).toHaveLength(2);
    const retired = await lab.run(...retire, "--now");
    expect([retired.code, retired.err]).toEqual([0, expect.stringContaining("240 calls came with token 1")]);
    expect(await digests()).toEqual([expect.not.stringContaining(leaked ?? "")]);
  });

  it("is kept where calls cannot be counted, unless --now says to retire it", async () => {
    await lab.run("token", "add", ...CLUSTER, "--token-file", "second");
    lab.services.faults.set("monitoring", { status: 403, type: "AccessDeniedException" });
    const refused = await lab.run("token", "retire", ...CLUSTER, "1");
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining("is not known (")]);
    expect((await lab.run("token", "retire", ...CLUSTER, "1", "--now")).code).toBe(0);
    expect(await digests()).toHaveLength(1);
  });

  it("is not the last one: its cluster could not call at all", async () => {
    const { code, err } = await lab.run("token", "retire", ...CLUSTER, "1", "--now");
    expect(code).not.toBe(0);
    expect(err).toContain("Cannot retire the last token of cluster shop");
  });

  it.each([
    [[], "Name the token with one of --token-file, its slot and its digest"],
    [["1", "--token-file", "abcd"], "Name the token with one of"],
    [["3"], "A slot is 1 or 2"],
    [["xyz"], "4 to 64 hexadecimal digits"],
    [["2"], "no live token fits (1 is "],
  ])("is named by words that fit one: %j", async (words, message) => {
    const { code, err } = await lab.run("token", "retire", ...CLUSTER, ...words);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
