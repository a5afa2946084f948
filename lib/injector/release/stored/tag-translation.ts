// The two writings of a source text: as people have it in files, with `{{ … }}`, and as Parameter Store takes it,
// which refuses values with two braces in a row: with `<% … %>`. Each goes into the other and back to the same bytes, or
// is refused with its line and column. Knows nothing of what the text says.
import { OutriggerError } from "@outrigger/base";

/** The stored form of an empty text, because Parameter Store takes no empty value. No other text is ever stored like this. */
const EMPTY = "<%! an empty file";

/**
 * The stored writing of a file's text.
 *
 * | in a file                                    | stored                     |
 * |----------------------------------------------|----------------------------|
 * | `{{x}}`, `{{#if x}}`, `{{~x~}}`, `{{! c }}`  | `<%x%>`, `<%#if x%>`, …    |
 * | nothing at all                               | a line that says so        |
 * | `<%` or `%>`                                 | refused                    |
 * | three or more equal braces in a row          | refused                    |
 * | `}}` that closes no tag, `{{` without an end | refused                    |
 *
 * @param place names the text in errors: a file, or a parameter
 * @throws OutriggerError `tree-invalid` or `tag-unclosed`, with `place`, line and column
 *
 * @example
 * ```ts
 * toStored("image: {{values.image}}", "a.hbs") // => "image: <%values.image%>"
 * ```
 */
export function toStored(text: string, place: string): string {
  if (text === "") return EMPTY;
  const fault = faultOf(text);
  if (fault !== undefined) throw refused("store", text, fault, place);
  return text.replaceAll("{{", "<%").replaceAll("}}", "%>");
}

/**
 * The file's text of a stored value: the inverse of toStored.
 *
 * @throws OutriggerError `tree-invalid` or `tag-unclosed` where no file has this stored writing
 *
 * @example
 * ```ts
 * fromStored("image: <%values.image%>", "/outrigger/dev/source/partials/a") // => "image: {{values.image}}"
 * ```
 */
export function fromStored(value: string, place: string): string {
  if (value === EMPTY) return "";
  if (value === "") throw refused("read", value, { offset: 0, remedy: `it is empty; write "${EMPTY}"` }, place);
  const double = /\{\{|\}\}/.exec(value);
  if (double !== null) throw refused("read", value, { offset: double.index, remedy: WRITE_TAGS }, place);
  const text = value.replace(/<%|%>/g, (tag) => (tag === "<%" ? "{{" : "}}"));
  // Both writings of a tag are two characters long, so that places are the same in either.
  const fault = faultOf(text);
  if (fault !== undefined) throw refused("read", value, fault, place);
  return text;
}

interface Fault {
  readonly offset: number;
  readonly remedy: string;
  /** `tree-invalid` where it is left out. */
  readonly code?: "tree-invalid" | "tag-unclosed";
}

const WRITE_TAGS = "Parameter Store keeps tags as <% and %>, and no two braces in a row";
const SPACE = "Parameter Store takes no two braces in a row and tags are kept as <% and %>; put a space between";

const UNCLOSED = "the tag is not closed; close it with }}, which is %> in Parameter Store";

const ENDS_IN_LESS =
  'a tag that ends in "<" cannot be distinguished from the start of another in Parameter Store; put a space between';

const RULES: readonly (readonly [RegExp, string])[] = [
  [/<%|%>/, "Parameter Store writes the braces of a tag as <% and %>; put a space between the two characters"],
  [/\{{3,}|\}{3,}/, `there are three or more braces in a row. ${SPACE} a tag's braces and others`],
  // `<}}` is stored as `<%>`, which reads as the beginning of a tag.
  [/<\}\}/, ENDS_IN_LESS],
  [/\p{Surrogate}/u, "it is half a character: save the text as UTF-8"],
];

function faultOf(text: string): Fault | undefined {
  for (const [pattern, remedy] of RULES) {
    const offset = text.search(pattern);
    if (offset !== -1) return { offset, remedy };
  }
  return pairFault(text);
}

/** Every `{{` has its `}}`, so that `%>` reads as the end of a tag and of nothing else. */
function pairFault(text: string): Fault | undefined {
  let at = 0;
  for (;;) {
    const offset = text.slice(at).search(/\{\{|\}\}/);
    if (offset === -1) return undefined;
    const open = at + offset;
    if (text.startsWith("}}", open))
      return { offset: open, remedy: `two closing braces end no tag, as in a flow map. ${SPACE} the two` };
    const end = tagEnd(text, open);
    if (end === undefined) return { offset: open, remedy: UNCLOSED, code: "tag-unclosed" };
    at = end;
  }
}

/** The offset behind a tag's end. A long comment ends in `--}}`, whatever it contains. */
function tagEnd(text: string, open: number): number | undefined {
  const isLong = /^\{\{~?!--/.test(text.slice(open, open + 6));
  const end = isLong ? /--~?\}\}/ : /\}\}/;
  const from = open + (isLong ? text.slice(open).indexOf("!--") + 3 : 2);
  const found = end.exec(text.slice(from));
  return found === null ? undefined : from + found.index + found[0].length;
}

function refused(
  verb: "store" | "read",
  text: string,
  { offset, remedy, code = "tree-invalid" }: Fault,
  place: string,
): OutriggerError {
  const before = text.slice(0, offset).split("\n");
  const line = before.length;
  const column = (before.at(-1) as string).length + 1;
  const message = `Cannot ${verb} ${place}: ${remedy} (line ${line}, column ${column})`;
  return new OutriggerError(code, message, { path: place, line, column });
}
