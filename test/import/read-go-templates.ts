// Go templates with what Istio's injector makes of them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { type ConformanceCase, decodeCase } from "../../tools/conformance/conformance-case.ts";

export const GO_TEMPLATES_FILE = join(import.meta.dirname, "../reference/go-templates.jsonl.br");

/** Cases whose only template, `custom`, is in Go. */
export function readGoTemplates(): readonly ConformanceCase[] {
  return brotliDecompressSync(readFileSync(GO_TEMPLATES_FILE)).toString().trimEnd().split("\n").map(decodeCase);
}
