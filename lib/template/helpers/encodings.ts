// Helpers that encode, decode and digest texts.

import { fault } from "../finding.ts";
import { goText } from "./argument.ts";
import { TEXT } from "./common-arguments.ts";
import { defineHelpers } from "./helper.ts";
import { sha256Hex } from "./sha256.ts";

export const encodingHelpers = defineHelpers({
  b64enc: {
    run: ([text]) => btoa(String.fromCharCode(...new TextEncoder().encode(goText(text)))),
    doc: {
      text: "The text in base64.",
      args: [TEXT],
      result: "text",
      examples: [['(b64enc "hello")', "aGVsbG8="]],
    },
  },
  b64dec: {
    run: ([text]) => decodeBase64(goText(text)),
    doc: {
      text: "The text that is encoded in base64.",
      args: [["text", "as-example", "base64 of UTF-8 text"]],
      result: "text",
      examples: [['(b64dec "aGVsbG8=")', "hello"]],
    },
  },
  sha256sum: {
    run: ([text]) => sha256Hex(goText(text)),
    doc: {
      text: "The SHA-256 of a text, in hexadecimal.",
      args: [TEXT],
      result: "text",
      examples: [['(sha256sum "abc")', "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"]],
    },
  },
});

function decodeBase64(text: string): string {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw fault("the text is not base64 of UTF-8 text");
  }
}
