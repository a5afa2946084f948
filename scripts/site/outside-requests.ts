// What a built site would load from elsewhere: scripts, styles, pictures, fonts. A link that a reader may follow is no request.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface OutsideRequest {
  readonly file: string;
  readonly url: string;
}

const LOADED = [
  /<(?:script|img|iframe|source|video|audio)\b[^>]*\ssrc="((?:https?:)?\/\/[^"]+)"/g,
  /<link\b[^>]*\shref="((?:https?:)?\/\/[^"]+)"/g,
  /@import\s+(?:url\()?["']?((?:https?:)?\/\/[^"')]+)/g,
  /url\(["']?((?:https?:)?\/\/[^"')]+)/g,
];

export function findOutsideRequests(folder: string): readonly OutsideRequest[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:html|css)$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      return LOADED.flatMap((pattern) => [...text.matchAll(pattern)].map(([, url = ""]) => ({ file, url })));
    });
}
