// Which fields of a Pod may be written at a place of a template: by indentation, which YAML under edit still has when it
// cannot be parsed.

import { POD_TYPE, type TypeSchema } from "@outrigger/pod";

export interface PodField {
  readonly name: string;
  /** `string`, `list of object`, `map of quantity`. */
  readonly type: string;
  readonly isRequired: boolean;
}

/**
 * The fields that fit at the end of a text that is being written.
 *
 * @param text from the beginning of the template to the start of the key
 * @param indent columns before the key, with the `- ` of a list item
 */
export function podFieldsAt(text: string, indent: number): readonly PodField[] {
  const type = typeAt(ancestors(text.split("\n"), indent));
  if (type?.kind !== "object") return [];
  return [...type.fields].map(([name, field]) => ({
    name,
    type: typeName(field.type),
    isRequired: type.required.includes(name),
  }));
}

/** `string`, `list of object`, `map of quantity`. */
function typeName({ kind, element }: TypeSchema): string {
  return element === undefined ? kind : `${kind} of ${typeName(element)}`;
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
