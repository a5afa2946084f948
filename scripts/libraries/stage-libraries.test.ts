import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { declarationsOf, strayImports } from "./stage-libraries.ts";

function written(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "outrigger-staged-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

describe("declarationsOf()", () => {
  it("names the files that are packed", () => {
    const text =
      'export { a } from "./a.ts";\nlet b: import("../b.ts").B;\nimport type { C } from "@outrigger/base";\n';
    expect(declarationsOf(text)).toBe(
      'export { a } from "./a.js";\nlet b: import("../b.js").B;\nimport type { C } from "@outrigger/base";\n',
    );
  });
});

describe("strayImports()", () => {
  it("accepts the package's own files, Node's and declared ones", () => {
    const files = {
      "index.js": 'import "./a/b.js"; import "node:zlib"; import "one/deep"; import "@two/x";',
      "index.d.ts": 'import type { A } from "types-only"; import "./a/b.js";',
      "a/b.js": 'import "../index.js";',
      "a/b.d.ts": "",
    };
    expect(strayImports(written(files), ["one", "@two/x", "@types/types-only"])).toEqual([]);
  });

  it.each(["../../base/json.js", "./missing.js", "./index.ts", "handlebars", "@outrigger/base"])(
    "refuses %s",
    (name) => {
      const folder = written({ "index.js": `import ${JSON.stringify(name)};` });
      expect(strayImports(folder, ["one"])).toEqual([`index.js imports ${name}`]);
    },
  );
});
