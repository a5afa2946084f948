// Holds cli/helper-docs.ts and docs/helpers.md against the comments of the helpers: UPDATE_GOLDEN=1 writes both.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { injectionHelpers } from "../lib/inject/template-helpers.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { HELPER_DOCS } from "./helper-docs.ts";
import { main } from "./main.ts";

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const DATA = at("cli/helper-docs.ts");
const PAGE = at("docs/helpers.md");

it("documents every helper, as its comment says", () => {
  const documented = documentation();
  expect([...documented.keys()].sort()).toEqual(Object.keys(injectionHelpers).sort());
  if (process.env["UPDATE_GOLDEN"] === "1") {
    writeFileSync(DATA, dataFile(documented));
    writeFileSync(PAGE, page(documented));
  } else expect(HELPER_DOCS).toEqual(Object.fromEntries(documented));
  expect(readFileSync(PAGE, "utf8")).toBe(page(documented));
});

it("prints them", async () => {
  const io = fakeIo();
  expect(await main(["helpers", "sha256sum"], io)).toBe(0);
  expect(io.out()).toMatch(/^sha256sum {2}The SHA-256 of a text/);
  expect(await main(["helpers", "sha256sun"], io)).toBe(2);
  expect(io.err()).toContain('did you mean "sha256sum"');
});

/** Name → the first comment before it in a table of helpers. */
function documentation(): ReadonlyMap<string, string> {
  const folder = "lib/template/helpers/";
  const files = [
    ...readdirSync(at(folder))
      .filter((file) => !file.endsWith(".test.ts"))
      .map((file) => folder + file),
    "lib/inject/template-helpers.ts",
  ];
  const found = files.flatMap((file) => [
    ...readFileSync(at(file), "utf8").matchAll(/^ {2}\/\*\* (.+) \*\/\n {2}(\w+):/gm),
  ]);
  const entries = found.map(([, text, name]): [string, string] => [name as string, text as string]);
  return new Map(
    entries.filter(([name]) => Object.hasOwn(injectionHelpers, name)).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function dataFile(documented: ReadonlyMap<string, string>): string {
  const entries = [...documented].map(([name, text]) => `  ${name}: ${JSON.stringify(text)},\n`);
  return `// Made from the comments of the helpers by helper-docs.test.ts: UPDATE_GOLDEN=1 npx vitest run cli/helper-docs\n\nexport const HELPER_DOCS: Readonly<Record<string, string>> = {\n${entries.join("")}};\n`;
}

function page(documented: ReadonlyMap<string, string>): string {
  const rows = [...documented].map(([name, text]) => `| \`${name}\` | ${text.replaceAll("|", "\\|")} |\n`);
  return `# Helpers

<!-- Made from the comments of the helpers by cli/helper-docs.test.ts: UPDATE_GOLDEN=1 npx vitest run cli/helper-docs -->

\`outrigger helpers\` prints the same. Names and the order of arguments are those of Istio and Sprig.

| helper | what it gives |
|---|---|
${rows.join("")}`;
}
