import { isObject, type JsonValue } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { readChartMeshes } from "../../../test/import/read-chart-cases.ts";
import { chartMesh } from "./chart-mesh.ts";
import { withPilotValues } from "./chart-values.ts";

const cases = readChartMeshes();

/** Null leaves a field of MeshConfig unset. */
function withoutNull(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, entry]) =>
    entry === null || entry === undefined ? [] : [[key, withoutNull(entry)] as const],
  );
  return Object.fromEntries(entries);
}

describe("chartMesh()", () => {
  it("has every field singly, and 200 combinations", () => {
    expect(cases.length).toBeGreaterThan(250);
  });

  it.each(cases)("is what the charts of all releases render of $values", ({ values, namespace, mesh }) => {
    const { mesh: derived, problems } = chartMesh(withPilotValues(values), namespace);
    expect(problems).toEqual([]);
    expect(withoutNull(derived)).toEqual(mesh);
  });

  it.each([
    [{ revision: 5 }, "revision must be text: put it in quotes"],
    [{ global: { istioNamespace: "" } }, "global.istioNamespace is empty: set it to istiod's namespace"],
    [{ global: { meshID: ["a"] } }, "global.meshID must be text: it is a list"],
    [
      { global: { proxy: { tracer: "lightstep" }, tracer: { lightstep: { address: "collector:1" } } } },
      "global.tracer.lightstep.accessToken is missing, and global.proxy.tracer is lightstep: set it",
    ],
  ])("names what is missing or no text in %j", (values, problem) => {
    expect(chartMesh(values, "istio-system").problems).toEqual([problem]);
  });
});
