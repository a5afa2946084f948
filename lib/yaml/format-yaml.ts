// Writes YAML as kubectl does. Apart from reading: the Lambda function only reads, so its bundle has none of this.

import type { JsonValue } from "@outrigger/base";
import { CORE_SCHEMA, DEFAULT_SCALAR_STYLE_RULES, dump, SCALAR_STYLE, type ScalarLayout } from "js-yaml";
import { isTakenForOther } from "./values/schema.ts";

export interface YamlLayout {
  /** Columns from a mapping to the mapping in it. */
  readonly indent: number;
  /** Whether the dashes of a list are to the right of its key. */
  readonly indentsLists: boolean;
  /** Whether keys stay in the order of the value. */
  readonly keepsOrder?: boolean;
}

const KUBECTL: YamlLayout = { indent: 2, indentsLists: false };

/**
 * Writes a value as `kubectl -o yaml` does: block style, sorted keys, lists not indented below their key, multi-line text as
 * `|`, and quotes only where a plain scalar would be read as another type.
 *
 * @param layout where indentation differs from kubectl's
 * @example
 * ```ts
 * formatYaml({ b: "true", a: [1] }) // => 'a:\n- 1\nb: "true"\n'
 * ```
 */
export function formatYaml(
  value: JsonValue,
  { indent, indentsLists, keepsOrder = false }: YamlLayout = KUBECTL,
): string {
  return dump(value, {
    schema: CORE_SCHEMA,
    sortKeys: !keepsOrder,
    lineWidth: -1,
    noRefs: true,
    indent,
    seqNoIndent: !indentsLists,
    scalarStyleRules: [quoteLikeKubectl, ...Object.values(DEFAULT_SCALAR_STYLE_RULES)],
  });
}

/**
 * Writes texts in the quotes of kubectl. Double quotes keep the type; where quotes keep the syntax valid, js-yaml's own
 * rules use single ones.
 */
function quoteLikeKubectl(layout: ScalarLayout): void {
  if (layout.style !== SCALAR_STYLE.PLAIN || layout.node.tag !== STRING_TAG) return;
  const text = layout.node.value;
  if (isTakenForOther(text)) layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
  else if (text.startsWith("---") || text.startsWith("...")) layout.style = SCALAR_STYLE.SINGLE_QUOTED;
}

const STRING_TAG = "tag:yaml.org,2002:str";
