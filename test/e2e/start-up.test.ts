// What a command runs of the bundle before it does anything: the SDK is most of it, and is loaded where it is needed.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

describe("the start of the command line tool", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "outrigger-start-up-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("loads nothing of the SDK and none of its own servers for outrigger version", () => {
    const env = { ...process.env, NODE_V8_COVERAGE: folder };
    expect(execFileSync(process.execPath, ["dist/outrigger.mjs", "version"], { env, encoding: "utf8" })).toContain(
      "outrigger ",
    );
    const loaded = loadedModules(folder);
    expect(loaded).toContain("cli/options/aws-options.ts");
    expect(loaded.filter((module) => /^node_modules\/@(aws-sdk|smithy)\/|fake-aws/.test(module))).toEqual([]);
  });
});

/** esbuild makes a module that may be loaded later a function of its path. */
function loadedModules(folder: string): readonly string[] {
  const [file = ""] = readdirSync(folder);
  const { result }: Coverage = JSON.parse(readFileSync(join(folder, file), "utf8"));
  return result
    .filter(({ url }) => url.endsWith("/outrigger.mjs"))
    .flatMap(({ functions }) => functions)
    .filter(({ functionName, ranges }) => functionName.includes("/") && (ranges[0]?.count ?? 0) > 0)
    .map(({ functionName }) => functionName);
}
