// Finds idioms in a text, line by line: in comments, messages and names alike.
import { IDIOMS } from "./idioms.ts";

export interface Finding {
  readonly line: number;
  readonly found: string;
  readonly instead: string;
}

export function findIdioms(text: string): readonly Finding[] {
  return text.split("\n").flatMap((content, index) => {
    const words = asWords(content);
    return IDIOMS.flatMap(({ pattern, instead }) => {
      const match = pattern.exec(words);
      return match === null ? [] : [{ line: index + 1, found: match[0], instead }];
    });
  });
}

/** `openDoors` → `open doors`, `MAX_ROOM` → `max room`. */
function asWords(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
}
