// Values of the chart istiod and IstioOperators, with what Istio's chart makes of them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import type { JsonObject } from "@outrigger/base";

export const CHART_MESH_FILE = join(import.meta.dirname, "../reference/chart-mesh.jsonl.br");
export const CHART_IMPORTS_FILE = join(import.meta.dirname, "../reference/chart-imports.jsonl.br");

export interface ChartMeshCase {
  readonly values: JsonObject;
  /** The namespace of the Helm release. */
  readonly namespace: string;
  /** The mesh configuration in the ConfigMap `istio`. */
  readonly mesh: JsonObject;
}

export interface ChartImportCase {
  /** Helm values or an IstioOperator. */
  readonly document: JsonObject;
  /** The config in the ConfigMap `istio-sidecar-injector`, without the templates. */
  readonly config: string;
  readonly values: string;
  /** The mesh configuration in the ConfigMap `istio`. */
  readonly mesh: string;
}

export function readChartMeshes(): readonly ChartMeshCase[] {
  return linesOf(CHART_MESH_FILE).map((line): ChartMeshCase => JSON.parse(line));
}

export function readChartImports(): readonly ChartImportCase[] {
  return linesOf(CHART_IMPORTS_FILE).map((line): ChartImportCase => JSON.parse(line));
}

function linesOf(file: string): readonly string[] {
  return brotliDecompressSync(readFileSync(file)).toString().trimEnd().split("\n");
}
