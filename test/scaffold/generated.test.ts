// Generated files are as their script left them: for another text, change the script and run it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { writtenBy } from "../../scripts/generate/generated-file.ts";

/** Made from files of the repository: a test makes them again and compares. */
const REMADE: Readonly<Record<string, string>> = {
  "cli/generated/command-list.ts": "cli/test/command-list.test.ts",
};

const files = ["lib", "cli", "studio"]
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`))
  .filter((file) => /\/generated\/[^/]+\.ts$/.test(file) && !file.includes("node_modules/"))
  .sort();

describe("generated files", () => {
  it("are found", () => {
    expect(files).toContain("lib/pod/generated/pod-types.ts");
    expect(files).toContain("lib/mesh/generated/mesh-schema.ts");
  });

  it.each(Object.entries(REMADE))("%s is made again by %s", (file, test) => {
    expect(files).toContain(file);
    expect(readFileSync(test, "utf8")).toContain(file);
  });

  it.each(files.filter((file) => !Object.hasOwn(REMADE, file)))("%s is what its script wrote", (file) => {
    const script = writtenBy(readFileSync(file, "utf8"));
    expect(script).toBeDefined();
    expect(existsSync(script ?? "")).toBe(true);
    expect(readFileSync(script ?? "", "utf8")).toContain("writeGenerated(");
  });

  it("fail when they are edited by hand, or have no marker", () => {
    const text = readFileSync("lib/pod/generated/pod-schema.ts", "utf8");
    expect(writtenBy(text)).toBe("scripts/generate/pod-schema.ts");
    expect(writtenBy(text.replace("hostname=s", "hostname=i"))).toBeUndefined();
    expect(writtenBy(`${text}\n`)).toBeUndefined();
    expect(writtenBy(text.replace(/^.*\n/, ""))).toBeUndefined();
  });
});
