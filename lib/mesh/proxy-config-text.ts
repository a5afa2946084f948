// Parses the text of a `proxy.istio.io/config` annotation or of a mesh's `defaultConfig`: YAML, as the reference reads it.
// Knows the fields of ProxyConfig, not the configuration that they override.

import type { JsonValue } from "@outrigger/base";
import { memoize, OutriggerError } from "@outrigger/base";
import { parseYamlNodes, YamlSyntaxError, yamlValue } from "@outrigger/yaml";
import { proxySchema } from "./generated/proxy-schema.ts";
import { type Assignments, readAssignments } from "./proto-json.ts";

const MAX_DEPTH = 32;
const MAX_ALIASES = 100;
/** Characters that aliases may add to a text: pods choose it. */
const MAX_EXPANSION = 10_000;
/** Such a text has the same meaning in JSON and in YAML, and parsing JSON is fifty times faster. */
const PLAIN_JSON = /^\s*\{[\x20-\x7e\n\r]*\}\s*$/;

/**
 * The assignments of the text.
 *
 * @throws OutriggerError `mesh-invalid`, with the path of the field
 */
export const readProxyConfigText: (text: string) => Assignments = memoize((text) =>
  readAssignments(proxySchema, "mesh.ProxyConfig", readText(text), ""),
);

function readText(text: string): JsonValue {
  if (PLAIN_JSON.test(text)) {
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      // A YAML flow mapping that is not JSON.
    }
  }
  return readYaml(text);
}

/** The first document. Of duplicate keys, the last one counts, as in the reference for annotations. */
function readYaml(text: string): JsonValue {
  try {
    const document = parseYamlNodes(text, { maxDepth: MAX_DEPTH });
    return document === undefined
      ? null
      : yamlValue(document.root, { maxExpansion: MAX_EXPANSION, maxAliases: MAX_ALIASES });
  } catch (cause) {
    if (!(cause instanceof YamlSyntaxError)) throw cause;
    throw new OutriggerError("mesh-invalid", `The text is not YAML: ${cause.reason}`, { cause });
  }
}
