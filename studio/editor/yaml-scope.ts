// Where a line of a YAML text is, by its indentation: it works for templates, too, whose tags are no YAML.

interface Line {
  /** Columns before the text, and before the key of an item that begins here. */
  readonly indent: number;
  readonly keyIndent: number;
  readonly isItem: boolean;
  /** Undefined for a line of text, a tag or a comment. */
  readonly key: string | undefined;
  readonly value: string;
}

const LINE = /^( *)((?:- +)*)(?:"([^"]*)"|'([^']*)'|([^\s"'#{}[\]][^:]*)):(?: +(.*))?$/;
const ITEM = /^( *)((?:- +)+)(.*)$/;

/**
 * The keys above a line and the names of the items that it is in, the outermost first.
 *
 * @param at the line's index
 * @example
 * ```ts
 * yamlScope(["spec:", "  containers:", "  - name: web", "    image: a"], 3) // => ["spec", "containers", "web"]
 * ```
 */
export function yamlScope(lines: readonly string[], at: number): readonly string[] {
  const scope: string[] = [];
  const first = parsed(lines[at] ?? "");
  if (first === undefined) return scope;
  let { indent: column, isItem: isInList } = first;
  for (let above = at - 1; above >= 0 && (column > 0 || isInList); above--) {
    const line = parsed(lines[above] ?? "");
    if (line === undefined) continue;
    const { indent, keyIndent, isItem, key } = line;
    if (isInList ? isItem && indent >= column : indent >= column) continue;
    if (isInList && indent > column) continue;
    // A list may be as far to the left as its key.
    const isKey = key !== undefined && (isInList ? keyIndent <= column : keyIndent < column);
    if (isKey) scope.unshift(key);
    if (isItem) scope.unshift(itemName(lines, above));
    column = indent;
    isInList = isItem;
  }
  return scope;
}

function parsed(text: string): Line | undefined {
  const match = LINE.exec(text);
  if (match !== null) {
    const [, spaces = "", dashes = "", double, single, plain, value = ""] = match;
    const [indent, isItem] = [spaces.length, dashes !== ""];
    return { indent, keyIndent: indent + dashes.length, isItem, key: double ?? single ?? plain, value };
  }
  const item = ITEM.exec(text);
  if (item !== null) {
    const [, { length: indent } = "", { length } = "", value = ""] = item;
    return { indent, keyIndent: indent + length, isItem: true, key: undefined, value };
  }
  // A text of a block scalar, a flow map over several lines: it is somewhere, and is nobody's parent.
  const indent = text.search(/[^ ]/);
  if (indent === -1 || /^ *(#|\{\{)/.test(text)) return undefined;
  return { indent, keyIndent: Number.POSITIVE_INFINITY, isItem: false, key: undefined, value: "" };
}

/** The item's `name`, or what it begins with. */
function itemName(lines: readonly string[], at: number): string {
  const begin = parsed(lines[at] ?? "");
  if (begin === undefined) return "-";
  for (let below = at; below < lines.length; below++) {
    const line = parsed(lines[below] ?? "");
    if (line === undefined) continue;
    if (below > at && line.indent <= begin.indent) break;
    if (line.key === "name" && line.keyIndent === begin.keyIndent) return line.value.replace(/^["']|["']$/g, "");
  }
  return begin.value === "" ? "-" : begin.value;
}
