// `node --import tsx tools/reference/istio-releases.ts --help` prints the options. Packs what Istio's injector of each release made of the cases
// in test/reference. A line of a file is a case's name with the pod, or the error, or `injected: false`.
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";
import { isObject, type JsonObject } from "@outrigger/base";
import { isIstioRelease } from "@outrigger/mesh";
import { createPatch } from "@outrigger/pod";
import { CASE_SETS, readCases } from "../../test/reference/read-reference.ts";
import { RELEASES_FILE, type ReleaseLine } from "../../test/reference/release-expectations.ts";
import { compareObjects } from "../conformance/compare-objects.ts";
import type { CaseExpectation } from "../conformance/conformance-case.ts";
import { toolOptions } from "../support/tool-options.ts";

const { outcomes: files } = toolOptions({
  command: "node --import tsx tools/reference/istio-releases.ts",
  says: "Packs what Istio's injectors made of the cases in test/reference, and prints how many differ from the development line.",
  arguments: {
    outcomes: {
      value: "RELEASE=FILE",
      several: true,
      says: "a release and the outcomes of its injector, one JSON object a line",
    },
  },
  example: "node --import tsx tools/reference/istio-releases.ts 1.29=out-1.29.jsonl 1.30=out-1.30.jsonl",
});
const lines = files.flatMap((argument) => {
  const [release = "", file = ""] = argument.split("=");
  if (!isIstioRelease(release)) throw new Error(`Cannot pack ${argument}: use RELEASE=FILE`);
  return linesOf(release, file);
});
const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
const params = {
  [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
};
const packed = brotliCompressSync(Buffer.from(text), { params });
writeFileSync(RELEASES_FILE, packed);
console.log(`${lines.length} lines, ${packed.length} bytes`);

function linesOf(release: ReleaseLine["release"], file: string): readonly ReleaseLine[] {
  const outcomes = new Map(
    readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line): JsonObject => JSON.parse(line))
      .map((outcome) => [String(outcome["name"]), outcome]),
  );
  const cases = CASE_SETS.flatMap((set) => readCases(set));
  const found = cases.flatMap(({ name, expect, request }): readonly ReleaseLine[] => {
    const outcome = outcomes.get(name);
    if (outcome === undefined || outcome["skip"] !== undefined) throw new Error(`${file} has no outcome of ${name}`);
    if (isSame(expect, outcome, request.object)) return [];
    return [{ release, name, patch: createPatch(expect as JsonObject, expectationOf(outcome)) }];
  });
  console.log(`${release}: ${found.length} of ${cases.length} cases differ from the development line`);
  return found;
}

function isSame(expect: CaseExpectation, outcome: JsonObject, input: unknown): boolean {
  if (outcome["error"] !== undefined || expect.error !== undefined) {
    return (outcome["error"] === undefined) === (expect.error === undefined);
  }
  if (outcome["injected"] !== expect.injected) return false;
  return expect.injected === false || compareObjects(expect.pod, outcome["pod"], input).length === 0;
}

function expectationOf({ error, injected, pod }: JsonObject): JsonObject {
  if (error !== undefined) return { allowed: false, error };
  return { allowed: true, injected: injected === true, ...(isObject(pod) && { pod }) };
}
