import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { directoryWorkspace } from "./studio-workspace.ts";

const SHIPPED = { config: "policy: enabled\n" };

describe("directoryWorkspace()", () => {
  let home: string;
  let directory: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "outrigger-workspace-"));
    directory = join(home, "tree");
    mkdirSync(directory);
  });
  afterEach(() => rmSync(home, { recursive: true }));
  const put = (file: string, text = "a: 1\n") => {
    mkdirSync(join(directory, file, ".."), { recursive: true });
    writeFileSync(join(directory, file), text);
  };
  const read = (file: string) => readFileSync(join(directory, file), "utf8");
  const open = (of: string | undefined = directory) => directoryWorkspace(of, async () => SHIPPED);
  const edit = (path: string, base: string | null, text: string | null) => ({ path, base, text });

  it("shows the directory over the shipped tree, and a file that does not belong there as a fault", async () => {
    put("mesh.yaml");
    expect(await open().read()).toEqual({
      name: directory,
      kind: "directory",
      canSave: true,
      shipped: SHIPPED,
      saved: { mesh: "a: 1\n" },
      faults: [],
    });
    put("odd.txt");
    const { saved, faults } = await open().read();
    expect(saved).toEqual({ mesh: "a: 1\n" });
    expect(faults).toEqual([
      { severity: "error", path: expect.any(String), message: expect.stringContaining("odd.txt") },
    ]);
  });

  it("shows the shipped tree alone without a directory, in which nothing is saved and nothing changes", async () => {
    const alone = directoryWorkspace(undefined, async () => SHIPPED);
    expect(await alone.read()).toMatchObject({ name: "shipped templates", canSave: false, saved: {}, faults: [] });
    expect(await alone.save?.([edit("mesh", null, "a: 1\n")])).toEqual({ saved: false, current: {} });
    expect(() => alone.watch(() => {})()).not.toThrow();
  });

  it("writes and removes what edits say, or nothing where another user was first", async () => {
    put("mesh.yaml");
    put("values/a.yaml");
    const { save } = open();
    expect(
      await save?.([
        edit("mesh", "a: 1\n", "a: 2\n"),
        edit("values/a", "a: 1\n", null),
        edit("values/b", null, "b: 1\n"),
      ]),
    ).toEqual({ saved: true });
    expect([read("mesh.yaml"), read("values/b.yaml"), existsSync(join(directory, "values/a.yaml"))]).toEqual([
      "a: 2\n",
      "b: 1\n",
      false,
    ]);
    expect(await save?.([edit("mesh", "a: 1\n", "a: 3\n"), edit("values/c", null, "c: 1\n")])).toEqual({
      saved: false,
      current: { mesh: "a: 2\n" },
    });
    expect([read("mesh.yaml"), existsSync(join(directory, "values/c.yaml"))]).toEqual(["a: 2\n", false]);
  });

  it("makes the second of two saves at once see the first", async () => {
    put("mesh.yaml");
    const { save } = open();
    const both = await Promise.all(["a: 2\n", "a: 3\n"].map((text) => save?.([edit("mesh", "a: 1\n", text)])));
    expect(both).toEqual([{ saved: true }, { saved: false, current: { mesh: "a: 2\n" } }]);
  });

  it("writes over no file that could not be read, and saves others all the same", async () => {
    writeFileSync(join(directory, "mesh.yaml"), Uint8Array.of(0xff, 0xfe));
    const { save } = open();
    await expect(save?.([edit("mesh", null, "a: 1\n")])).rejects.toThrow("mesh.yaml");
    expect(await save?.([edit("values/a", null, "a: 1\n")])).toEqual({ saved: true });
  });

  it("calls back after a change, until it is ended", async () => {
    put("mesh.yaml");
    let changes = 0;
    const end = open().watch(() => void changes++);
    for (let write = 0; changes === 0; write++) {
      put("mesh.yaml", `a: ${write}\n`);
      await vi.waitFor(() => expect(changes).toBeGreaterThan(0), { timeout: 1000, interval: 10 }).catch(() => {});
    }
    end();
    expect(changes).toBeGreaterThan(0);
  });
});
