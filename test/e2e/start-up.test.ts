// What a command loads of the tool before it does anything: the SDK is most of it, and is loaded where it is needed.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Metafile } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

describe("the start of the command line tool", () => {
  const { outputs }: Metafile = JSON.parse(readFileSync("dist/outrigger.metafile.json", "utf8"));
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "outrigger-start-up-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** The files that a run loads, each with the sources that are in it. */
  function loadedBy(...argv: readonly string[]): { readonly out: string; readonly sources: readonly string[] } {
    const env = { ...process.env, NODE_V8_COVERAGE: folder };
    const out = execFileSync("node", ["dist/outrigger.mjs", ...argv], { env, encoding: "utf8" });
    const [file = ""] = readdirSync(folder);
    const { result }: Coverage = JSON.parse(readFileSync(join(folder, file), "utf8"));
    const parts = result.filter(({ url }) => url.startsWith("file:")).map(({ url }) => fileURLToPath(url));
    const loaded = Object.entries(outputs).filter(([output]) => parts.some((part) => part.endsWith(`/${output}`)));
    return { out, sources: loaded.flatMap(([, { inputs }]) => Object.keys(inputs)) };
  }

  it("loads nothing of the SDK and none of its own servers for outrigger --version", () => {
    const { out, sources } = loadedBy("--version", "-o", "text");
    expect(out).toContain("outrigger ");
    expect(sources).toContain("cli/main.ts");
    expect(sources.filter((source) => /^node_modules\/@(aws-sdk|smithy)\/|fake-aws/.test(source))).toEqual([]);
  });

  it("loads no command for the help of the tool", () => {
    const { out, sources } = loadedBy("--help");
    expect(out).toMatch(/^ {2}inject /m);
    expect(sources).toContain("cli/main.ts");
    const heavy = /^cli\/commands\/|^lib\/(cluster|import|injector|template|yaml)\//;
    expect(sources.filter((source) => heavy.test(source))).toEqual([]);
  });

  it("loads one command for inject", () => {
    const { sources } = loadedBy("inject", "-f", "test/e2e/start-up.pod.yaml");
    expect(sources.filter((source) => source.startsWith("cli/commands/"))).toEqual(["cli/commands/pods/inject.ts"]);
  });
});
