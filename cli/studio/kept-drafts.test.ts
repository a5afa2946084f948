import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { draftsIn } from "./kept-drafts.ts";

const PROD = { kind: "deployment", name: "/outrigger/prod", place: "eu-west-1" } as const;
const edit = (path: string, text: string | null = "a: 1\n") => ({ path, text, base: null });
const change = (edits: readonly ReturnType<typeof edit>[], gone: readonly ReturnType<typeof edit>[] = []) => {
  return { edits, gone, text: "", at: 7 };
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
    await drafts.change(PROD, change([edit("a", "a: 2\n")], [edit("b"), edit("c", "another text\n")]));
    const kept = await drafts.read(PROD);
    expect(kept?.edits.toSorted((one, other) => one.path.localeCompare(other.path))).toEqual([
      edit("a", "a: 2\n"),
      edit("c"),
    ]);
    expect(files()).toHaveLength(1);
  });

  it.each(["../../../etc/passwd", "/etc/passwd", "a\0b", "__proto__", "C:\\x", "x".repeat(5000)])(
    "writes nothing elsewhere for the name %j",
    async (name) => {
      const drafts = draftsIn(state);
      const owner = { kind: "directory", name, place: name } as const;
      await drafts.change(owner, change([edit(name)]));
      expect((await drafts.read(owner))?.edits).toEqual([edit(name)]);
      expect(readdirSync(state)).toEqual(["drafts"]);
      expect(files()).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.json$/)]);
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
    for (const text of ["", "[]", "{", '{"edits":[{"path":1}],"text":"","at":1}', '{"edits":[],"text":1,"at":1}']) {
      writeFileSync(join(state, "drafts", files()[0] ?? ""), text);
      expect(await drafts.read(PROD)).toBeNull();
    }
    const none = draftsIn(undefined);
    await none.change(PROD, change([edit("a")]));
    expect(await none.read(PROD)).toBeNull();
  });
});
