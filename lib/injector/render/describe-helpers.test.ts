// Holds generated/helper-docs.ts and docs/helpers.md against the comments of the helpers: UPDATE_GOLDEN=1 writes both.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { examineTemplates } from "@outrigger/template";
import { expect, it } from "vitest";
import { describeHelpers } from "./describe-helpers.ts";
import { HELPER_DOCS } from "./generated/helper-docs.ts";
import { HELPER_ARGUMENTS } from "./helper-arguments.ts";
import { injectionHelpers } from "./template-data.ts";

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const DATA = at("lib/injector/render/generated/helper-docs.ts");
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

it("names the arguments of every helper, as many as its example has", () => {
  expect(Object.keys(HELPER_ARGUMENTS).sort()).toEqual(Object.keys(HELPER_DOCS).sort());
  for (const name of Object.keys(HELPER_ARGUMENTS)) {
    const call = [name, ...argumentsOfExample(name)].join(" ");
    const { findings } = examineTemplates({ templates: { example: `a: {{${call}}}` }, partials: {} }, HELPER_ARGUMENTS);
    expect(findings.filter(({ code }) => code === "helper-arguments" || code === "syntax")).toEqual([]);
  }
});

/** Those of the call in its comment. */
function argumentsOfExample(name: string): readonly string[] {
  const argument = String.raw`"[^"]*"|\((?:[^()]|\([^()]*\))*\)|[\w.@]+`;
  const call = new RegExp(`[({]${name}((?: (?:${argument}))*)`);
  return call.exec(HELPER_DOCS[name] ?? "")?.[1]?.match(new RegExp(argument, "g")) ?? [];
}

/** Name → the first comment before it in a table of helpers. */
function documentation(): ReadonlyMap<string, string> {
  const folder = "lib/template/helpers/";
  const files = [
    ...readdirSync(at(folder))
      .filter((file) => !file.endsWith(".test.ts"))
      .map((file) => folder + file),
    "lib/injector/render/template-data.ts",
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
  return `// Made from the comments of the helpers by describe-helpers.test.ts: UPDATE_GOLDEN=1 npx vitest run describe-helpers\n\nexport const HELPER_DOCS: Readonly<Record<string, string>> = {\n${entries.join("")}};\n`;
}

function page(documented: ReadonlyMap<string, string>): string {
  const rows = [...documented].map(([name, text]) => {
    const args = (HELPER_ARGUMENTS[name] ?? []).map(
      ([argument, meaning]) => `\`${argument.replace("?", "")}\`: ${meaning}`,
    );
    return `| \`${describeHelpers().get(name)?.signature}\` | ${[text, args.join("; ")].join("<br>").replaceAll("|", "\\|")} |\n`;
  });
  return `# Helpers

<!-- Made from the comments of the helpers by lib/injector/render/describe-helpers.test.ts: UPDATE_GOLDEN=1 npx vitest run describe-helpers -->

*Reference, for template authors.*

\`outrigger print helpers\` prints the same, \`outrigger print helpers NAME\` one with its arguments, and the [studio](studio.md) shows it as you type. Names
and the order of arguments are those of Istio and Sprig. An argument in brackets may be left out; \`…\` marks one that may be given
several times.

| helper | what it gives, and its arguments |
|---|---|
${rows.join("")}`;
}
