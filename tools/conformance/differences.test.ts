import { describe, expect, it } from "vitest";
import { caseVerdict } from "./case-verdict.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { differenceRows } from "./differences.ts";
import type { CaseOutcome } from "./entry-points.ts";

const podWith = (annotations: Readonly<Record<string, string>>) => ({
  metadata: { name: "web", annotations },
  spec: { containers: [{ name: "web", image: "web" }] },
});

/** The rows that explain a denial of what the reference injects, at the default settings. */
function rowsOf(annotations: Readonly<Record<string, string>>, message: string, isReference = false) {
  const pod = podWith(annotations);
  const injected = podWith({ ...annotations, more: "true" });
  const asked: ConformanceCase = {
    name: "set/denied",
    door: "webhook",
    config: {},
    values: {},
    environment: {},
    request: { object: pod },
    expect: { allowed: true, injected: true, pod: injected },
  };
  const denied: CaseOutcome = { kind: "denied", message };
  const same: CaseOutcome = { kind: "pod", pod: injected, patched: true };
  const outcome = isReference ? denied : same;
  const { verdict, entryPoints } = caseVerdict(asked, [{ entryPoint: "inject", outcome }], denied);
  return [verdict, entryPoints.at(isReference ? 0 : -1)?.rows];
}

const LEVEL = "sidecar.istio.io/logLevel";
const CONFIG = "proxy.istio.io/config";

describe("the rows of differences", () => {
  it("have paths, each", () => {
    expect(differenceRows.filter(({ paths }) => !Array.isArray(paths)).map(({ id }) => id)).toEqual([]);
  });

  it("explain a denial of a text that stops the proxy, but not with compatibility: reference", () => {
    const words = `Annotation ${LEVEL} cannot be "loud": use "", trace`;
    expect(rowsOf({ [LEVEL]: "loud" }, words)).toEqual(["differs", ["texts-that-stop-the-proxy"]]);
    expect(rowsOf({ [LEVEL]: "loud" }, words, true)).toEqual(["unknown", []]);
    expect(rowsOf({ [LEVEL]: "info" }, "Annotation other cannot be")).toEqual(["unknown", []]);
  });

  it("explain a denial of a negative terminationDrainDuration, whatever the setting", () => {
    const config = "terminationDrainDuration: -5s";
    const words = `Annotation ${CONFIG} cannot be "${config}": terminationDrainDuration cannot be "-5s"`;
    expect(rowsOf({ [CONFIG]: config }, words, true)).toEqual(["differs", ["negative-drain-duration"]]);
    expect(rowsOf({ [CONFIG]: "terminationDrainDuration: 5s" }, words, true)).toEqual(["unknown", []]);
  });
});
