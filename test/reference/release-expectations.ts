// What Istio's injector of each supported release makes of the cases in this folder: kept as the difference from what
// the case itself expects, which is that of Istio's development line. README.md says how it was measured.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import type { JsonObject } from "@outrigger/base";
import type { IstioRelease } from "@outrigger/mesh";
import type { PatchOperation } from "@outrigger/pod";
import { applyPatch } from "@outrigger/pod";
import type { ConformanceCase } from "../../tools/conformance/conformance-case.ts";
import { MEASURED_RELEASES } from "./measured-releases.ts";

export const RELEASES_FILE = join(import.meta.dirname, "istio-releases.jsonl.br");

/** One line of the file. Cases without a line are as they are in the development line. */
export interface ReleaseLine {
  readonly release: IstioRelease;
  readonly name: string;
  readonly patch: readonly PatchOperation[];
}

/**
 * The cases with what the release makes of them.
 *
 * @throws Error where the file has no case of a release that differs from the development line, or has one of a release that does not
 */
export function casesOfRelease(cases: readonly ConformanceCase[], release: IstioRelease): readonly ConformanceCase[] {
  const patches = new Map(
    readReleaseLines()
      .filter((line) => line.release === release)
      .map(({ name, patch }) => [name, patch]),
  );
  const isDifferent = release !== "development" && MEASURED_RELEASES[release].cases === "differ";
  if (isDifferent !== patches.size > 0) {
    const has = patches.size > 0 ? "cases" : "nothing";
    throw new Error(`${RELEASES_FILE} has ${has} of ${release}, and measured-releases.ts says otherwise`);
  }
  return cases.map((each) => {
    const patch = patches.get(each.name) ?? [];
    const expect = applyPatch(each.expect as JsonObject, patch);
    return { ...each, istio: release, expect };
  });
}

function readReleaseLines(): readonly ReleaseLine[] {
  const text = brotliDecompressSync(readFileSync(RELEASES_FILE)).toString();
  return text
    .trimEnd()
    .split("\n")
    .map((line): ReleaseLine => JSON.parse(line));
}
