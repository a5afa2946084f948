// MeshConfig without the warnings, as tests need it.
import { type MeshConfig, readMeshConfig } from "../../lib/mesh/mesh-config.ts";

export function parseMeshConfig(texts: readonly string[], source: string): MeshConfig {
  return readMeshConfig(texts, source).meshConfig;
}
