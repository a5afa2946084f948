// MeshConfig without the warnings, as tests need it.
import { type MeshConfig, readMeshConfig } from "@outrigger/mesh";

export function parseMeshConfig(texts: readonly string[], source: string): MeshConfig {
  return readMeshConfig(texts, source).meshConfig;
}
