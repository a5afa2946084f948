// Values of the chart istiod with what the chart makes of them, as Helm renders it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import type { JsonObject } from "@outrigger/base";

export const CHART_MESH_FILE = join(import.meta.dirname, "../reference/chart-mesh.jsonl.br");

export interface ChartMeshCase {
  readonly values: JsonObject;
  /** The namespace of the Helm release. */
  readonly namespace: string;
  /** What the ConfigMap `istio` holds. */
  readonly mesh: JsonObject;
}

export function readChartMeshes(): readonly ChartMeshCase[] {
  const lines = brotliDecompressSync(readFileSync(CHART_MESH_FILE)).toString().trimEnd().split("\n");
  return lines.map((line): ChartMeshCase => JSON.parse(line));
}
