import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeFolder } from "./make-folder.ts";

describe("makeFolder()", () => {
  const place = mkdtempSync(join(tmpdir(), "outrigger-folder-"));
  afterAll(() => rmSync(place, { recursive: true }));

  it("makes every level that is missing, with the mode, and leaves what exists", async () => {
    await makeFolder(join(place, "a/b/c"), 0o700);
    await makeFolder(join(place, "a/b/c"), 0o755);
    expect(statSync(join(place, "a/b/c")).mode & 0o777).toBe(0o700);
  });

  it("may be called twice at once", async () => {
    await Promise.all([1, 2, 3].map(() => makeFolder(join(place, "at/once/x"))));
    expect(existsSync(join(place, "at/once/x"))).toBe(true);
  });

  it("fails where a file or a broken link is in the way", async () => {
    writeFileSync(join(place, "file"), "");
    symlinkSync(join(place, "nowhere"), join(place, "link"));
    await expect(makeFolder(join(place, "file"))).rejects.toMatchObject({ code: "ENOTDIR" });
    await expect(makeFolder(join(place, "file/x"))).rejects.toMatchObject({ code: "ENOTDIR" });
    await expect(makeFolder(join(place, "link/x"))).rejects.toMatchObject({ code: "EEXIST" });
  });

  // Node's recursive mkdir() does not return here, and cannot be stopped: it would hold up all tests.
  it("fails, and does not hang, where no folder can be made", async () => {
    const code = existsSync("/proc/self") ? "ENOENT" : expect.stringMatching(/^E/);
    await expect(makeFolder("/proc/x")).rejects.toMatchObject({ code });
    await expect(makeFolder("/proc/x/y")).rejects.toMatchObject({ code });
  });

  it("is what the product makes folders with", () => {
    const files = ["cli", "lib", "functions"].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
    );
    const sources = files.filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
    expect(sources).toContain("cli/project/make-folder.ts");
    expect(sources.filter((file) => /\bmkdir(Sync)?\([^;]*recursive: true/.test(readFileSync(file, "utf8")))).toEqual(
      [],
    );
  });
});
