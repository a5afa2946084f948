import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { draftsIn } from "./kept-drafts.ts";

const PROD = { kind: "deployment", name: "/outrigger/prod", place: "eu-west-1" } as const;
const edit = (path: string, text: string | null = "a: 1\n") => ({
  path,
  text,
  base: null,
  version: `${path} ${text}`,
});
const change = (edits: readonly ReturnType<typeof edit>[], gone: readonly ReturnType<typeof edit>[] = []) => {
  return { edits, gone: gone.map(({ version }) => version), text: "", at: 7 };
};

describe("draftsIn()", () => {
  let state: string;
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), "outrigger-state-"));
  });
  afterEach(() => rmSync(state, { recursive: true }));
  const files = () => readdirSync(join(state, "drafts"));

  it("gives back what was kept, to each directory and deployment its own", async () => {
    const drafts = draftsIn(state);
    expect(await drafts.read(PROD)).toBeNull();
    await drafts.change(PROD, change([edit("mesh"), edit("config", null)]));
    expect(await draftsIn(state).read(PROD)).toEqual({
      edits: [edit("mesh"), edit("config", null)],
      gone: [],
      text: "",
      at: 7,
    });
    for (const other of [
      { ...PROD, place: "us-east-1" },
      { ...PROD, name: "/outrigger/dev" },
      { ...PROD, kind: "directory" } as const,
    ])
      expect(await drafts.read(other)).toBeNull();
  });

  it("keeps the edits of other pages, also of two that write at once", async () => {
    const drafts = draftsIn(state);
    await Promise.all([drafts.change(PROD, change([edit("a"), edit("b")])), drafts.change(PROD, change([edit("c")]))]);
    await drafts.change(PROD, change([edit("a", "a: 2\n")], [edit("a"), edit("b")]));
    const kept = await drafts.read(PROD);
    expect(kept?.edits.toSorted((one, other) => one.path.localeCompare(other.path))).toEqual([
      edit("a", "a: 2\n"),
      edit("c"),
    ]);
    expect(files()).toHaveLength(1);
  });

  it("puts no older edit in the place of one that was typed over it, and keeps two that were typed beside each other", async () => {
    const drafts = draftsIn(state);
    const [old, typed, beside] = [edit("a"), edit("a", "a: 2\n"), edit("a", "a: 3\n")];
    await drafts.change(PROD, change([old]));
    await drafts.change(PROD, change([typed], [old]));
    expect((await drafts.change(PROD, change([old]))).edits).toEqual([typed]);
    expect((await drafts.change(PROD, change([beside], [old]))).edits).toEqual([typed, beside]);
    expect((await drafts.read(PROD))?.edits).toEqual([typed, beside]);
  });

  describe("where two studios keep the edits of one directory", () => {
    const versions = (edits: readonly { readonly version: string }[] = []) =>
      edits.map(({ version }) => version).sort();

    it("loses nothing of either, and leaves one file", async () => {
      const stores = [draftsIn(state), draftsIn(state)];
      const edits = stores.map((_, of) => Array.from({ length: 20 }, (_, at) => edit(`values/${of}-${at}`)));
      // Each replaces its edit before by the next one, as a person who types does.
      const typing = stores.map(async (store, of) => {
        const typed = edits[of] ?? [];
        for (const [at, one] of typed.entries()) await store.change(PROD, change([one], typed.slice(0, at)));
      });
      await Promise.all(typing);
      const last = edits.flatMap((typed) => typed.at(-1) ?? []);
      expect(versions((await draftsIn(state).read(PROD))?.edits)).toEqual(versions(last));
      await draftsIn(state).change(PROD, change([]));
      expect(files()).toHaveLength(1);
      expect(versions((await draftsIn(state).read(PROD))?.edits)).toEqual(versions(last));
    });

    it("tells one of them at least that both typed in one entry", async () => {
      const typed = [edit("a", "a: 1\n"), edit("a", "a: 2\n")];
      const kept = await Promise.all(typed.map((one) => draftsIn(state).change(PROD, change([one]))));
      expect(kept.map(({ edits }) => edits.length)).toContain(2);
      expect(versions((await draftsIn(state).read(PROD))?.edits)).toEqual(versions(typed));
    });

    it("reads while another one writes, and always finds what was there before", async () => {
      await draftsIn(state).change(PROD, change([edit("first")]));
      let isTyping = true;
      const typing = (async () => {
        const store = draftsIn(state);
        for (let at = 0; at < 50; at += 1) await store.change(PROD, change([edit(`values/${at}`)]));
        isTyping = false;
      })();
      const read: (readonly string[])[] = [];
      while (isTyping) read.push(versions((await draftsIn(state).read(PROD))?.edits));
      await typing;
      expect(read.filter((found) => !found.includes(edit("first").version))).toEqual([]);
    });
  });

  describe("when a studio writes for the first time", () => {
    const DAY = 24 * 60 * 60 * 1000;
    /** Writes the file of a deployment as it was left so many days ago. */
    async function leave(name: string, days: number, edits: readonly ReturnType<typeof edit>[]): Promise<void> {
      const known = new Set(existsSync(join(state, "drafts")) ? files() : []);
      await draftsIn(state).change({ ...PROD, name }, change(edits));
      const at = new Date(Date.now() - days * DAY);
      for (const file of files()) if (!known.has(file)) utimesSync(join(state, "drafts", file), at, at);
    }
    const isKept = async (name: string) => (await draftsIn(state).read({ ...PROD, name })) !== null;

    it("removes what was not changed for half a year, and after a week what has no edits", async () => {
      await leave("/edited", 179, [edit("a")]);
      await leave("/old", 181, [edit("a")]);
      await leave("/published", 8, []);
      await leave("/lately", 6, []);
      const half = join(state, "drafts", `${"0".repeat(64)}.5d1f.half`);
      writeFileSync(half, "{");
      utimesSync(half, new Date(0), new Date(0));
      await draftsIn(state).change(PROD, change([edit("a")]));
      const all = ["/edited", "/old", "/published", "/lately", PROD.name];
      expect(await Promise.all(all.map(isKept))).toEqual([true, false, false, true, true]);
      expect(files()).toHaveLength(3);
    });

    it("keeps fifty, and more where they have edits of the last month", async () => {
      for (let at = 0; at < 30; at += 1) await leave(`/new-${at}`, 29, [edit("a")]);
      for (let at = 0; at < 30; at += 1) await leave(`/old-${at}`, 31 + at, [edit("a")]);
      await draftsIn(state).change(PROD, change([edit("a")]));
      expect(files()).toHaveLength(50);
      expect([await isKept("/new-0"), await isKept("/old-18"), await isKept("/old-19")]).toEqual([true, true, false]);
      for (let at = 30; at < 60; at += 1) await leave(`/new-${at}`, 29, [edit("a")]);
      await draftsIn(state).change(PROD, change([edit("b")]));
      expect(files()).toHaveLength(61);
    });

    it("leaves files that are none of its own", async () => {
      await leave("/old", 181, [edit("a")]);
      const other = join(state, "drafts", "notes.txt");
      writeFileSync(other, "mine");
      utimesSync(other, new Date(0), new Date(0));
      await draftsIn(state).change(PROD, change([edit("a")]));
      expect(existsSync(other)).toBe(true);
    });
  });

  it.each(["../../../etc/passwd", "/etc/passwd", "a\0b", "__proto__", "C:\\x", "x".repeat(5000)])(
    "writes nothing elsewhere for the name %j",
    async (name) => {
      const drafts = draftsIn(state);
      const owner = { kind: "directory", name, place: name } as const;
      await drafts.change(owner, change([edit(name)]));
      expect((await drafts.read(owner))?.edits).toEqual([edit(name)]);
      expect(readdirSync(state)).toEqual(["drafts"]);
      expect(files()).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.[0-9a-f-]{36}\.json$/)]);
    },
  );

  it("is for this user's eyes alone", async () => {
    await draftsIn(state).change(PROD, change([edit("a")]));
    const [name = ""] = files();
    expect(statSync(join(state, "drafts")).mode & 0o777).toBe(0o700);
    expect(statSync(join(state, "drafts", name)).mode & 0o777).toBe(0o600);
  });

  it("refuses more than 8 MiB for one, keeps what is there, and leaves no half of a file", async () => {
    const drafts = draftsIn(state);
    await drafts.change(PROD, change([edit("a")]));
    const large = change([edit("b", "x".repeat(8 * 1024 * 1024))]);
    await expect(drafts.change(PROD, large)).rejects.toThrow(
      "Cannot keep the edits: they have more than 8388608 bytes",
    );
    expect((await drafts.read(PROD))?.edits).toEqual([edit("a")]);
    expect(files()).toHaveLength(1);
  });

  it("takes a damaged file for none, and keeps nothing where there is no place for it", async () => {
    const drafts = draftsIn(state);
    await drafts.change(PROD, change([edit("a")]));
    for (const text of [
      "",
      "[]",
      "{",
      '{"edits":[{"path":1,"version":"1"}],"gone":[],"text":"","at":1}',
      '{"edits":[{"path":"a","text":"","base":null}],"gone":[],"text":"","at":1}',
      '{"edits":[],"gone":[1],"text":"","at":1}',
      '{"edits":[],"gone":[],"text":1,"at":1}',
    ]) {
      writeFileSync(join(state, "drafts", files()[0] ?? ""), text);
      expect(await drafts.read(PROD)).toBeNull();
    }
    const none = draftsIn(undefined);
    await none.change(PROD, change([edit("a")]));
    expect(await none.read(PROD)).toBeNull();
  });
});
