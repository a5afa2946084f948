// `node --import tsx tools/reference/go-templates.ts COUNT > cases.jsonl`: templates in Go, generated and custom, as cases for Istio's
// injector. `… pack CASES OUTCOMES`: keeps them with what that injector made of them in test/reference.
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";
import type { JsonObject } from "@outrigger/base";
import { CUSTOM_TEMPLATES, PUBLIC_TEMPLATES } from "../../test/import/foreign-texts.ts";
import { generateTemplate } from "../../test/import/generate-templates.ts";
import { GO_TEMPLATES_FILE } from "../../test/import/read-go-templates.ts";
import { caseOf } from "../conformance/case-of-template.ts";

const [command = "", casesFile = "", outcomesFile = ""] = process.argv.slice(2);
if (command === "pack") pack();
else for (const line of cases(Number(command))) console.log(JSON.stringify(line));

function cases(count: number): readonly JsonObject[] {
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

function pack(): void {
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
