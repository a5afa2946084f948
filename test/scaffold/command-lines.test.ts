// The commands of this checkout: each says with --help what it does and takes, and does nothing then.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path/posix";
import { describe, expect, it } from "vitest";
import { isTest, readSources, targetOf } from "./packages.ts";

/** What other code starts or loads, with the words that it needs: nobody types them. */
const STARTED: Readonly<Record<string, string>> = {
  "scripts/build-after-install.cjs": "package.json",
  "scripts/serverless-plugin.cjs": "serverless.yml",
  "tools/bench/cold-start-child.ts": "tools/bench/cold-start.ts",
  "tools/bench/worker.ts": "tools/bench/bench.ts",
  "tools/fuzz/fuzz-worker.ts": "tools/fuzz/fuzz.ts",
  "tools/load/cache-heap.ts": "tools/load/cache-heap.test.ts",
  "tools/load/report-heap.cjs": "tools/load/load.ts",
  "tools/mutation/same-seed.ts": "tools/mutation/worker.ts",
  "tools/mutation/worker.ts": "tools/mutation/runner.ts",
  "tools/walk/deployed.ts": "tools/walk.ts",
};

/** What a command must not do before it has read its options, at the beginning of a line. */
const BEFORE = /^\S.*\bawait\b|^(?:for|while|try|process|console)\b|^\w+\(/m;

const started = Object.keys(STARTED);

describe("a file of tools, scripts or test/botocore that nothing imports, or that reads the words of its process", () => {
  const files = entryPoints();
  const commands = files.filter((file) => !started.includes(file));
  const declaration = /\btoolOptions\(\{/;

  it("is a command that declares its options, or is started by another", () => {
    expect(commands.length).toBeGreaterThan(30);
    expect(commands.filter((file) => !declaration.test(textOf(file)))).toEqual([]);
  });

  it("reads its options before it does anything", () => {
    const early = commands.flatMap((file) => {
      const [found] =
        BEFORE.exec(
          textOf(file)
            .split(/\b(?=toolOptions\(\{)/)[0]
            ?.replaceAll(/\/\/.*/g, "") ?? "",
        ) ?? [];
      return found === undefined ? [] : [`${file}: ${found}`];
    });
    expect(early).toEqual([]);
  });

  it("is in the list above only if it is started by what the list says", () => {
    expect(started.filter((file) => !files.includes(file) || declaration.test(textOf(file)))).toEqual([]);
    const unnamed = Object.entries(STARTED).filter(([file, by]) => !textOf(by).includes(basename(file)));
    expect(unnamed).toEqual([]);
  });
});

describe("npm run release", () => {
  const run = (...words: readonly string[]) => {
    const args = ["--import", "tsx", "scripts/release.ts", ...words];
    return spawnSync(process.execPath, args, { encoding: "utf8" });
  };

  it("prints what it takes with --help", () => {
    const { status, stdout, stderr } = run("--help");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Usage: npm run release -- \[options\] prepare\|notes VERSION\n/);
  });

  it("names an argument that is missing", () => {
    const { status, stdout, stderr } = run("prepare");
    expect([status, stdout, stderr]).toEqual([2, "", "VERSION is missing\nTry: npm run release -- --help\n"]);
  });
});

function entryPoints(): readonly string[] {
  const sources = readSources();
  const imported = new Set(
    [...sources].flatMap(([file, imports]) =>
      imports.flatMap(({ specifier }) => (specifier.startsWith(".") ? [targetOf(file, specifier)] : [])),
    ),
  );
  return [...sources.keys()].filter(
    (file) =>
      /^(?:tools|scripts|test\/botocore)\//.test(file) &&
      !isTest(file) &&
      file !== "tools/support/tool-options.ts" &&
      (!imported.has(file) || /\bprocess\.argv\b/.test(textOf(file))),
  );
}

function textOf(file: string): string {
  return readFileSync(file, "utf8");
}
