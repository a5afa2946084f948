// Tokens for tests: well-formed, distinguished by a word, and no secrets.
import { createHash } from "node:crypto";

/** A token that contains the word: 43 characters of base64url. */
export function tokenOf(word: string): string {
  return `${word}${"0".repeat(43)}`.slice(0, 43);
}

/** The digest of a token, which is what is stored of it. */
export function sha256Of(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
