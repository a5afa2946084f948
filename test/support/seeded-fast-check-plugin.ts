// Puts seeded-fast-check.ts in place of fast-check, wherever a test imports it: none can forget the seed, and a file that makes
// no inputs does not load it.
import { fileURLToPath } from "node:url";

const SEEDED = fileURLToPath(new URL("seeded-fast-check.ts", import.meta.url));

export function seededFastCheck() {
  return {
    name: "seeded-fast-check",
    enforce: "pre" as const,
    resolveId: (source: string, importer: string | undefined) =>
      source === "fast-check" && importer !== SEEDED ? SEEDED : undefined,
  };
}
