import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { releaseDigest } from "@outrigger/serving";
import { afterEach, describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { findReference } from "./reference.ts";

const io = fakeIo();
const connect = () => Promise.reject(new Error("asked AWS"));
let copy: string | undefined;
afterEach(() => copy !== undefined && rmSync(copy, { recursive: true }));

describe("the shipped tree", () => {
  it("is the release that the build compiled, which is what compiling it gives", async () => {
    const { release, digest } = await findReference("shipped", connect, io);
    const compiled = compileRelease([await readSourceTree(io.templates), {}]);
    expect(release).toEqual(JSON.parse(JSON.stringify(compiled)));
    expect(digest).toBe(releaseDigest(compiled));
  });

  it("is compiled where its files are others than those of the build", async () => {
    copy = mkdtempSync(join(tmpdir(), "outrigger-templates-"));
    cpSync(io.templates, copy, { recursive: true });
    writeFileSync(join(copy, "mesh.yaml"), "trustDomain: edited.example\n");
    const { release, digest } = await findReference("shipped", connect, { ...io, templates: copy });
    expect(release.meshConfig.trustDomain).toBe("edited.example");
    expect(digest).toBe(releaseDigest(release));
  });
});
