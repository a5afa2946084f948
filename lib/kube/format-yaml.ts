// YAML out, as kubectl writes it. Apart from reading, so that what only reads (the function) does not carry it.

import { DEFAULT_SCALAR_STYLE_RULES, dump, SCALAR_STYLE, type ScalarLayout } from "js-yaml";
import type { JsonValue } from "../json.ts";
import { isTakenForOther, kubernetesSchema } from "./yaml-schema.ts";

/**
 * Writes a value the way `kubectl -o yaml` does: block style, keys in order, lists not indented below their key, several
 * lines as `|`, and quotes only where a plain scalar would be read as something else.
 */
export function formatYaml(value: JsonValue): string {
  return dump(value, {
    schema: kubernetesSchema,
    sortKeys: true,
    lineWidth: -1,
    noRefs: true,
    seqNoIndent: true,
    scalarStyleRules: [quoteLikeKubectl, ...Object.values(DEFAULT_SCALAR_STYLE_RULES)],
  });
}

/** Double quotes where the type is at stake; where the syntax is, the presenter's own rules take single ones. */
function quoteLikeKubectl(layout: ScalarLayout): void {
  if (layout.style !== SCALAR_STYLE.PLAIN || layout.node.tag !== STRING_TAG) return;
  const text = layout.node.value;
  if (isTakenForOther(text)) layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
  else if (text.startsWith("---") || text.startsWith("...")) layout.style = SCALAR_STYLE.SINGLE_QUOTED;
}

const STRING_TAG = "tag:yaml.org,2002:str";
