// Which fields of a Pod may be written at a place of a template: by indentation, which YAML under edit still has when it
// cannot be parsed.

import { POD_TYPE, type TypeSchema } from "../../lib/kube/schema.ts";

/**
 * The names of the fields that fit at the end of a text that is being written.
 *
 * @param text from the beginning of the template to the start of the key
 * @param indent columns before the key, with the `- ` of a list item
 */
export function podFieldsAt(text: string, indent: number): readonly string[] {
  const type = typeAt(ancestors(text.split("\n"), indent));
  return type?.kind === "object" ? [...type.fields.keys()] : [];
}

/** The keys that enclose a place, the outermost first. */
function ancestors(lines: readonly string[], indent: number): readonly string[] {
  const keys: string[] = [];
  let below = indent;
  for (const line of lines.slice(0, -1).reverse()) {
    const match = /^(\s*)((?:- )*)([A-Za-z][\w./-]*):(?:\s|$)/.exec(line);
    if (match === null) continue;
    const [, spaces = "", dashes = "", key = ""] = match;
    const column = spaces.length + dashes.length;
    // kubectl does not indent a list below its key: the key of a list item may be in the dash's own column.
    const isListAbove = column === below - 2 && dashes === "";
    if (column < below || (isListAbove && below > 0)) {
      keys.unshift(key);
      below = column;
    }
    if (column === 0 && dashes === "") break;
  }
  return keys;
}

function typeAt(keys: readonly string[]): TypeSchema | undefined {
  let type: TypeSchema | undefined = POD_TYPE;
  for (const key of keys) {
    type = type?.kind === "map" ? type.element : type?.fields.get(key)?.type;
    while (type?.kind === "list") type = type.element;
  }
  return type;
}
