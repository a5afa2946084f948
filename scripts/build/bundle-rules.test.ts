import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRelease } from "outrigger:bundled-release";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildFunction, inputsOf } from "./build-bundles.ts";
import { BUNDLE_RULES, checkBundle } from "./bundle-rules.ts";

describe("checkBundle()", () => {
  const budget = BUNDLE_RULES["inject"]?.bytes ?? Number.NaN;

  it("finds nothing when a bundle is within its budget", () => {
    expect(checkBundle("inject", { bytes: budget, inputs: ["functions/inject/index.ts", "lib/base/json.ts"] })).toEqual(
      [],
    );
  });

  it("names budget and size when a bundle is a byte over", () => {
    expect(checkBundle("inject", { bytes: budget + 1, inputs: [] })).toEqual([
      `functions/inject: ${budget + 1} bytes are more than its budget of ${budget}`,
    ]);
  });

  it.each(["node_modules/handlebars/lib/index.js", "cli/main.ts", "node_modules/commander/index.js"])(
    "names %s when it went into the bundle",
    (input) => {
      expect(checkBundle("inject", { bytes: 1, inputs: ["lib/base/json.ts", input] })).toEqual([
        `functions/inject: ${input} does not belong in it`,
      ]);
    },
  );
});

describe("the bundle of functions/inject", () => {
  let directory = "";
  let inputs: readonly string[] = [];
  let bytes = 0;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "outrigger-bundle-"));
    const report = await buildFunction("inject", { outfile: join(directory, "index.cjs") });
    bytes = report.bytes;
    inputs = inputsOf(JSON.parse(readFileSync(join(directory, "metafile.json"), "utf8")));
  }, 60_000);

  afterAll(() => rm(directory, { recursive: true, force: true }));

  it("keeps the rules", () => {
    expect(inputs).toContain("lib/aws/signed/signed-call.ts");
    expect(checkBundle("inject", { bytes, inputs })).toEqual([]);
  });

  it("holds no documentation of records, and reads none", () => {
    const text = readFileSync(join(directory, "index.cjs"), "utf8");
    expect(text.match(/[{,]doc:|\.doc\b/g)).toBeNull();
  });

  it("writes one file of code, the release that it reads, the licences of what is in it, and its metafile", () => {
    const files = ["THIRD-PARTY-LICENSES.txt", "index.cjs", "metafile.json", "release.json"];
    expect(readdirSync(directory).sort()).toEqual(files);
    expect(JSON.parse(readFileSync(join(directory, "release.json"), "utf8"))).toEqual(readRelease());
  });
});
