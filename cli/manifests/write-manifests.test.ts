import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { writeManifests, writeText } from "./write-manifests.ts";

describe("the writing of manifests", () => {
  let cwd: string;
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "outrigger-write-manifests-"));
  });
  afterEach(() => rmSync(cwd, { recursive: true }));
  const read = (file: string) => readFileSync(join(cwd, file), "utf8");
  const manifest = (relative: string, text: string) => ({ source: relative, relative, text });
  const [A, B] = [manifest("a.yaml", "kind: A\n"), manifest("sub/b.yaml", "kind: B\n")];
  const write = async (manifests: Parameters<typeof writeManifests>[0], output?: string, areSeveral?: boolean) => {
    const io = fakeIo({ cwd });
    await writeManifests(manifests, output, io, areSeveral);
    return io.out();
  };

  it("prints one stream: documents apart, and each text as it was", async () => {
    expect(await write([A])).toBe("kind: A\n");
    expect(await write([A, B])).toBe("kind: A\n---\nkind: B\n");
    expect(await write([manifest("a", "kind: A"), manifest("b", "kind: B")])).toBe("kind: A\n---\nkind: B");
    expect(await write([A, manifest("b", "---\nkind: B\n")])).toBe("kind: A\n---\nkind: B\n");
    expect(await write([A, manifest("b", "---x: 1\n")])).toBe("kind: A\n---\n---x: 1\n");
    expect(await write([manifest("a", ""), B])).toBe("---\nkind: B\n");
    expect(await write([])).toBe("");
  });

  it("writes a file where one is named, and makes no folder for it", async () => {
    expect(await write([A], "out.yaml")).toBe("");
    expect(read("out.yaml")).toBe("kind: A\n");
    await write([A, B], "all.yaml");
    expect(read("all.yaml")).toBe("kind: A\n---\nkind: B\n");
    await write([A], "plain");
    expect(read("plain")).toBe("kind: A\n");
    await expect(write([A], "none/out.yaml")).rejects.toMatchObject({
      code: "manifest-invalid",
      path: "none/out.yaml",
      message: "Cannot write none/out.yaml: there is no such file or directory",
    });
    expect(existsSync(join(cwd, "none"))).toBe(false);
  });

  it("writes several into a directory under the names that they had", async () => {
    await write([A, B], "out");
    expect(readdirSync(join(cwd, "out")).sort()).toEqual(["a.yaml", "sub"]);
    expect(read("out/sub/b.yaml")).toBe("kind: B\n");
    await write([A], "one", true);
    expect(read("one/a.yaml")).toBe("kind: A\n");
  });

  it("writes one into a directory that is there, or ends in a slash", async () => {
    mkdirSync(join(cwd, "there"));
    await write([B], "there");
    expect(read("there/sub/b.yaml")).toBe("kind: B\n");
    await write([manifest("-", "kind: A\n")], "new/");
    expect(read("new/stdin.yaml")).toBe("kind: A\n");
  });

  it("writes none where two have one name", async () => {
    await expect(write([A, B, { ...A, source: "x/a.yaml" }], "out/")).rejects.toMatchObject({
      code: "usage",
      message: "Cannot write a.yaml twice to out/: two of the files have that name",
    });
    expect(existsSync(join(cwd, "out"))).toBe(false);
  });

  it("makes the folders above a text only on request", async () => {
    const io = fakeIo({ cwd });
    await writeText("a/b/c.yaml", "x", io, true);
    expect(read("a/b/c.yaml")).toBe("x");
    await expect(writeText("d/c.yaml", "x", io)).rejects.toThrow("Cannot write d/c.yaml: ");
    writeFileSync(join(cwd, "plain"), "");
    await expect(writeText("plain/c.yaml", "x", io, true)).rejects.toThrow(
      "Cannot write plain/c.yaml: there is a file where a directory should be",
    );
  });
});
