// Helpers that stop a rendering, match regular expressions, and encode text.

import { fault, goText } from "./argument.ts";
import type { HelperTable } from "./helper-table.ts";
import { regexMatch, regexReplaceAll } from "./regex.ts";
import { sha256Hex } from "./sha256.ts";

export const checkHelpers: HelperTable = {
  /** The value, or an error with the message if the value is missing or "": `{{required "set values.logAgent.image" values.logAgent.image}}`. */
  required: ([message, value]) => {
    if (value === null || value === undefined || value === "") throw fault(goText(message));
    return value;
  },
  /** An error with the message: `{{fail "unknown mode"}}`. */
  fail: ([message]) => {
    throw fault(goText(message));
  },
  /** Whether a text matches a regular expression of Go, in linear time: `(regexMatch "^v[0-9]+$" metadata.labels.version)`. */
  regexMatch: ([pattern, text]) => regexMatch(goText(pattern), goText(text)),
  /** All matches of a regular expression replaced, `$1` and `$name` are groups: `(regexReplaceAll "[^a-z0-9-]" name "-")`. */
  regexReplaceAll: ([pattern, text, replacement]) =>
    regexReplaceAll(goText(pattern), goText(text), goText(replacement)),
  /** The text in base64: `(b64enc text)`. */
  b64enc: ([text]) => btoa(String.fromCharCode(...new TextEncoder().encode(goText(text)))),
  /** The text of base64: `(b64dec encoded)`. */
  b64dec: ([text]) => decodeBase64(goText(text)),
  /** The SHA-256 of a text, in hexadecimal: `(sha256sum (toJson values.logAgent))`. */
  sha256sum: ([text]) => sha256Hex(goText(text)),
};

function decodeBase64(text: string): string {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw fault("the text is not base64 of UTF-8 text");
  }
}
