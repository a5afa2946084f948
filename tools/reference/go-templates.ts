// `node --import tsx tools/reference/go-templates.ts --help` prints the options. Templates in Go, generated and custom, as cases for Istio's
// injector; and what that injector made of them, for test/reference.
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";
import type { JsonObject } from "@outrigger/base";
import { CUSTOM_TEMPLATES, PUBLIC_TEMPLATES } from "../../test/import/foreign-texts.ts";
import { generateTemplate } from "../../test/import/generate-templates.ts";
import { GO_TEMPLATES_FILE } from "../../test/import/read-go-templates.ts";
import { caseOf } from "../conformance/case-of-template.ts";
import { toolOptions } from "../support/tool-options.ts";

const { count, casesFile, outcomesFile } = toolOptions({
  command: "node --import tsx tools/reference/go-templates.ts",
  says: [
    "Prints templates in Go, customised ones of the project and generated ones, as cases for Istio's injector, one a line.",
    "With CASES and OUTCOMES, packs both into test/reference.",
  ].join("\n"),
  arguments: {
    casesFile: { value: "CASES", optional: true, says: "a file with cases that were printed" },
    outcomesFile: {
      value: "OUTCOMES",
      optional: true,
      says: "a file with what that injector made of them, one a line",
    },
  },
  options: { count: { type: "integer", value: "N", default: 300, says: "how many are generated" } },
  example: "node --import tsx tools/reference/go-templates.ts --count 300 > cases.jsonl",
});
if (casesFile === undefined) for (const line of cases()) console.log(JSON.stringify(line));
else if (outcomesFile !== undefined) pack(casesFile, outcomesFile);
else {
  console.error("OUTCOMES is missing: name what the injector made of the cases");
  process.exitCode = 2;
}

function cases(): readonly JsonObject[] {
  const generated = Array.from({ length: count }, (_, seed) => {
    const { template, values, annotations, nativeSidecars } = generateTemplate(seed);
    return caseOf(`generated ${seed}`, template, values as JsonObject, annotations, nativeSidecars);
  });
  const values = {
    t: true,
    f: false,
    s: "x",
    m: { ZONE: "a", AREA: "b" },
    l: ["P", "Q"],
    port: 8080,
    res: { limits: { cpu: "1" } },
  };
  const custom = [...CUSTOM_TEMPLATES, ...PUBLIC_TEMPLATES].map(({ name, template }) =>
    caseOf(name, template, values, { team: "a", cpu: "500m" }, true),
  );
  return [...custom, ...generated];
}

function pack(casesFile: string, outcomesFile: string): void {
  const outcomes = readFileSync(outcomesFile, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): JsonObject => JSON.parse(line));
  const byName = new Map(outcomes.map((outcome) => [outcome["name"], outcome]));
  const lines = readFileSync(casesFile, "utf8")
    .trimEnd()
    .split("\n")
    .flatMap((line) => {
      const one: JsonObject = JSON.parse(line);
      const { pod, error, injected } = byName.get(one["name"]) ?? {};
      // What Go itself cannot render has nothing to be compared with.
      if (error !== undefined) return [];
      return [JSON.stringify({ ...one, expect: { allowed: true, injected, pod } })];
    });
  const text = `${lines.join("\n")}\n`;
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  };
  const packed = brotliCompressSync(Buffer.from(text), { params });
  writeFileSync(GO_TEMPLATES_FILE, packed);
  console.log(`${lines.length} templates of ${outcomes.length}, ${packed.length} bytes`);
}
