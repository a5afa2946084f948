// What happens to a page's text for the site, whose generator takes two braces for its own: links between pages lead within the site, and those to files of the project
// that are no pages become their names. Diagrams, which the generator does not draw, become the pictures made of them.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/**
 * @param file the page's path in the project
 * @param files path in the project → path in the site, of every page
 */
export function sitePage(text: string, file: string, files: ReadonlyMap<string, string>): string {
  const target = files.get(file) ?? file;
  const linked = outsideOfCode(text, (prose) =>
    prose.replaceAll(
      /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)/g,
      (_, image, label, link, hash = "") => {
        const path = posix.join(posix.dirname(file), link);
        if (image === "!") return `![${label}](${relative(target, path.replace(/^docs\//, ""))})`;
        const page = files.get(path);
        return page === undefined ? label : `[${label}](${relative(target, page)}${hash})`;
      },
    ),
  );
  const plain = outsideOfCode(linked, (prose) =>
    prose
      .split(/(`[^`\n]*`)/)
      .map((part, at) => (at % 2 === 0 ? part.replaceAll("{{", "&#123;&#123;") : part))
      .join(""),
  );
  return plain.replaceAll(/```mermaid\n([\s\S]*?)```/g, (_, diagram: string) => {
    const picture = relative(target, `images/diagrams/${diagramName(diagram)}.svg`);
    return `![diagram](${picture})`;
  });
}

/** A diagram's picture is named by the diagram's text: one that was edited has no picture until it is drawn. */
export function diagramName(diagram: string): string {
  return createHash("sha256").update(diagram.trim()).digest("hex").slice(0, 12);
}

export function titleOf(text: string): string {
  return /^# (.*)$/m.exec(text)?.[1] ?? "";
}

function relative(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

/** Applies a change to what is no block of code. */
function outsideOfCode(text: string, change: (prose: string) => string): string {
  return text
    .split(/(^ *```[\s\S]*?^ *```$)/m)
    .map((part, at) => (at % 2 === 0 ? change(part) : part))
    .join("");
}

/**
 * Finds what a built site would load from elsewhere: scripts, styles, pictures, fonts. A link that a reader may follow
 * is no request.
 */
export function findOutsideRequests(folder: string): readonly { readonly file: string; readonly url: string }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:html|css)$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      return LOADED.flatMap((pattern) => [...text.matchAll(pattern)].map(([, url = ""]) => ({ file, url })));
    });
}

const LOADED = [
  /<(?:script|img|iframe|source|video|audio)\b[^>]*\ssrc="((?:https?:)?\/\/[^"]+)"/g,
  /<link\b[^>]*\shref="((?:https?:)?\/\/[^"]+)"/g,
  /@import\s+(?:url\()?["']?((?:https?:)?\/\/[^"')]+)/g,
  /url\(["']?((?:https?:)?\/\/[^"')]+)/g,
];
