import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOfToken } from "@outrigger/cluster";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliLab, openCliLab } from "../../../test/eks/cli-lab.ts";

describe("outrigger token", { timeout: 180_000 }, () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openCliLab();
    expect((await lab.run("publish")).err).toBe("");
    expect((await lab.register("--phase", "cluster")).code).toBe(0);
  });
  afterEach(() => lab.close());
  const RECORD = "/outrigger/dev/clusters/shop";
  const CLUSTER = ["--cluster", "shop"] as const;
  const token = (...argv: readonly string[]) => lab.run("token", ...argv);
  const record = (name = "shop") => JSON.parse(lab.aws.store.values()[`/outrigger/dev/clusters/${name}`] ?? "{}");
  const digests = () => record().tokens.map(({ sha256 }: { readonly sha256: string }) => sha256) as readonly string[];

  describe("add", () => {
    it("writes a new token to a file of the owner's, registers it, and says what it is for", async () => {
      const [first] = digests();
      const { code, out, err } = await token("add", ...CLUSTER, "--token-file", "one.token");
      expect([code, out, err]).toEqual([
        0,
        "Wrote a token of shop to one.token: pass it to outrigger print webhook --token-file\n",
        "",
      ]);
      const text = readFileSync(join(lab.cwd, "one.token"), "utf8");
      expect(text).toMatch(/^[\w-]{43}\n$/);
      expect(statSync(join(lab.cwd, "one.token")).mode & 0o777).toBe(0o600);
      expect(digests()).toEqual([first, digestOfToken(text.trim())]);
    });

    it("registers a cluster that is not, for the channel and network that are named", async () => {
      const added = await token("add", ...CLUSTER, "--as", "copy", "--token-file", "copy.token", "--network", "net");
      expect([added.code, added.err]).toEqual([0, ""]);
      expect(record("copy")).toMatchObject({ revisions: { default: "stable" }, network: "net" });
      await lab.run("promote", "stable", "canary");
      const canary = ["--as", "other", "--token-file", "other.token", "--channel", "canary"];
      expect((await token("add", ...CLUSTER, ...canary)).code).toBe(0);
      expect(record("other")).toMatchObject({ revisions: { default: "canary" } });
    });

    it("writes over no file, and leaves none of a token that was not registered", async () => {
      writeFileSync(join(lab.cwd, "there"), "mine\n");
      const refused = await token("add", ...CLUSTER, "--token-file", "there");
      expect([refused.code, refused.err]).toEqual([
        2,
        "Cannot write there: the file exists, or you may not write to it\n",
      ]);
      expect(readFileSync(join(lab.cwd, "there"), "utf8")).toBe("mine\n");
      expect(digests()).toHaveLength(1);
      expect((await token("add", ...CLUSTER, "--token-file", "second")).code).toBe(0);
      const third = await token("add", ...CLUSTER, "--token-file", "third");
      expect(third.code).not.toBe(0);
      expect(existsSync(join(lab.cwd, "third"))).toBe(false);
    });
  });

  describe("retire", () => {
    const retire = (...argv: readonly string[]) => token("retire", ...argv, ...CLUSTER);
    const second = async (file: string) => {
      expect((await token("add", ...CLUSTER, "--token-file", file)).code).toBe(0);
      return digests();
    };

    it("needs one name of the token, and no second one", async () => {
      const message = "Name the token with one of --token-file, its slot and its digest\n";
      expect(await retire()).toEqual({ code: 2, out: "", err: message });
      expect(await retire("1", "--token-file", "x")).toEqual({ code: 2, out: "", err: message });
      for (const wrong of ["3", "abc", "xyz1", "a".repeat(65)])
        expect(await retire(wrong)).toMatchObject({ code: 2, err: expect.stringContaining("A slot is 1 or 2") });
    });

    it("retires the token of a slot, and says what that breaks", async () => {
      const [first, other] = await second("a.token");
      const { code, out, err } = await retire("1");
      expect(code, err).toBe(0);
      expect(err).toContain("token 1");
      expect(out).toContain("shop");
      expect(digests()).toEqual([other]);
      expect(first).not.toBe(other);
    });

    it("retires the token of a digest, in any case of its letters, and of a file", async () => {
      const [first, other] = await second("b.token");
      expect((await retire((other ?? "").slice(0, 8).toUpperCase())).code).toBe(0);
      expect(digests()).toEqual([first]);
      await second("c.token");
      expect((await retire("--token-file", "c.token")).code).toBe(0);
      expect(digests()).toEqual([first]);
    });

    it("names the live tokens where none fits", async () => {
      const [first] = digests();
      const none = first?.startsWith("0000") ? "ffff" : "0000";
      expect(await retire(none)).toMatchObject({
        code: 2,
        err: `Cannot retire a token of shop: no live token fits (1 is ${first?.slice(0, 8)}…)\n`,
      });
      expect(await retire("2")).toMatchObject({ code: 2, err: expect.stringContaining("no live token fits") });
      await second("d.token");
      const alike = JSON.parse(lab.aws.store.values()[RECORD] as string);
      for (const [at, one] of alike.tokens.entries()) one.sha256 = `abcd${String(at).repeat(60)}`;
      await lab.aws.put(RECORD, JSON.stringify(alike, undefined, 1));
      expect(await retire("abcd")).toMatchObject({
        code: 2,
        err: "Cannot retire a token of shop: both live tokens fit (1 is abcd0000, 2 is abcd1111)\n".replace(
          /(abcd\d{4})/g,
          "$1…",
        ),
      });
    });

    it("keeps one that calls come with, unless it is told to retire it now", async () => {
      await second("e.token");
      lab.services.tokenCalls.set("1", 240);
      const refused = await retire("1");
      expect([refused.code, refused.err]).toEqual([
        3,
        expect.stringMatching(/^Not retired\. 240 calls .*\. Give the webhooks another token first, or pass --now\n$/),
      ]);
      expect(digests()).toHaveLength(2);
      const retired = await retire("1", "--now", "-m", "leaked");
      expect([retired.code, retired.err]).toEqual([0, expect.stringMatching(/^240 calls /)]);
      expect(digests()).toHaveLength(1);
    });

    it("knows no cluster that is not registered", async () => {
      expect(await token("retire", "1", "--cluster", "gone")).toMatchObject({
        code: 3,
        err: "There is no cluster gone: see outrigger clusters\n",
      });
    });
  });

  describe("rotate", () => {
    it("needs a cluster, or several", async () => {
      expect(await token("rotate")).toEqual({
        code: 2,
        out: "",
        err: "Name the cluster with --cluster, or several with --clusters or --all\n",
      });
    });

    it("says of the cluster by which name it is registered how far it came", async () => {
      const { code, out } = await token("rotate", ...CLUSTER, "--wait", "0", "--no-self-test");
      expect([code, out]).toEqual([0, expect.stringMatching(/^shop .*the old one is still live/)]);
      expect(digests()).toHaveLength(2);
      const json = await token("rotate", ...CLUSTER, "--now", "--no-self-test", "-o", "json");
      expect(JSON.parse(json.out)).toEqual({ cluster: "shop", rotation: expect.any(String) });
      expect(digests()).toHaveLength(1);
    });
  });
});
