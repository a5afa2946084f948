import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { readRelease } from "outrigger:bundled-release";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inputsOf } from "./build-bundles.ts";
import { builtFunction } from "./built.ts";
import { BUNDLE_RULES, checkBundle } from "./bundle-rules.ts";
import { projectRoot } from "./bundled-release.ts";

describe("checkBundle()", () => {
  const budget = BUNDLE_RULES["inject"]?.bytes ?? Number.NaN;

  it("finds nothing when a bundle is within its budget", () => {
    const inputs = ["functions/inject/index.ts", "lib/base/json.ts"];
    expect(checkBundle("inject", { bytes: budget, beside: { "rare.cjs": 1 }, inputs })).toEqual([]);
  });

  it("names budget and size when a bundle is a byte over", () => {
    expect(checkBundle("inject", { bytes: budget + 1, beside: {}, inputs: [] })).toEqual([
      `functions/inject: ${budget + 1} bytes are more than its budget of ${budget}`,
    ]);
  });

  it("names a file next to the bundle that is over its budget, or has none", () => {
    const beside = { "rare.cjs": 1e6, "other.cjs": 1 };
    expect(checkBundle("inject", { bytes: 1, beside, inputs: [] })).toEqual([
      expect.stringContaining("functions/inject/rare.cjs: 1000000 bytes are more than its budget of "),
      "functions/inject/other.cjs: 1 bytes are more than its budget of 0",
    ]);
  });

  it.each(["node_modules/handlebars/lib/index.js", "cli/main.ts", "node_modules/commander/index.js"])(
    "names %s when it went into the bundle",
    (input) => {
      expect(checkBundle("inject", { bytes: 1, beside: {}, inputs: ["lib/base/json.ts", input] })).toEqual([
        `functions/inject: ${input} does not belong in it`,
      ]);
    },
  );
});

describe("the bundle of functions/inject", () => {
  let directory = "";
  let folder = "";
  let inputs: readonly string[] = [];
  let bytes = 0;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "outrigger-bundle-"));
    const file = resolve(projectRoot, await builtFunction("inject", join(directory, "index.cjs")));
    folder = dirname(file);
    bytes = statSync(file).size;
    inputs = inputsOf(JSON.parse(readFileSync(join(folder, "metafile.json"), "utf8")));
  }, 60_000);

  afterAll(() => rm(directory, { recursive: true, force: true }));

  it("keeps the rules", () => {
    expect(inputs).toContain("lib/aws/signed/signed-call.ts");
    expect(inputs).toContain("lib/template/helpers/regex-classes.ts");
    const sizes = ["rare.cjs", "release.json"].map((file) => [file, statSync(join(folder, file)).size]);
    expect(checkBundle("inject", { bytes, beside: Object.fromEntries(sizes), inputs })).toEqual([]);
  });

  it("holds no documentation of records, and reads none", () => {
    const text = readFileSync(join(folder, "index.cjs"), "utf8");
    expect(text.match(/[{,]doc:|\.doc\b/g)).toBeNull();
  });

  it("writes the code, what few releases call, the release that it reads, the licences of what is in it, and its metafile", () => {
    const files = ["THIRD-PARTY-LICENSES.txt", "index.cjs", "metafile.json", "rare.cjs", "release.json"];
    expect(readdirSync(folder).sort()).toEqual(files);
    expect(JSON.parse(readFileSync(join(folder, "release.json"), "utf8"))).toEqual(readRelease());
  });
});
