// Draws what a terminal shows as SVG: text with the colours that commands use, light or dark as the reader's system is. Pure.

/** What was typed, and what was printed, control sequences included. */
export interface TypedCommand {
  readonly command: string;
  readonly output: string;
}

interface Span {
  readonly text: string;
  readonly classes: string;
}

/** What recordScene() sets. */
export const COLUMNS = 110;

const [SIZE, CHARACTER, LINE, MARGIN] = [13, 7.83, 19, 16];

/** SGR parameter → class. */
const CLASSES: Readonly<Record<string, string>> = { 1: "b", 31: "r", 32: "g", 33: "y", 36: "c" };

const STYLE = `
text { font: ${SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre }
rect { fill: #f6f8fa; stroke: #d1d9e0 } .p { fill: #59636e } .b { font-weight: 600 }
.r { fill: #cf222e } .g { fill: #1a7f37 } .y { fill: #9a6700 } .c { fill: #0969da }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } rect { fill: #0d1117; stroke: #3d444d } .p { fill: #9198a1 }
.r { fill: #ff7b72 } .g { fill: #3fb950 } .y { fill: #d29922 } .c { fill: #58a6ff } }`;

export function terminalSvg(commands: readonly TypedCommand[]): string {
  const lines = commands.flatMap(({ command, output }) => [
    [
      { text: "$ ", classes: "p" },
      { text: command, classes: "b" },
    ],
    ...shownLines(output).flatMap((line) => wrapped(spansOf(line))),
  ]);
  const columns = Math.max(...lines.map((spans) => spans.reduce((sum, { text }) => sum + text.length, 0)));
  const [width, height] = [Math.ceil(columns * CHARACTER) + 2 * MARGIN, lines.length * LINE + 2 * MARGIN];
  const rows = lines.map((spans, at) => {
    const parts = spans.map(({ text, classes }) =>
      classes === "" ? escaped(text) : `<tspan class="${classes}">${escaped(text)}</tspan>`,
    );
    return `<text x="${MARGIN}" y="${MARGIN + at * LINE + SIZE}" xml:space="preserve">${parts.join("")}</text>`;
  });
  const title = commands.map(({ command }) => command).join("; ");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>`,
    ...rows,
    "</svg>\n",
  ].join("\n");
}

/** The lines that are left on the screen: a line that shows progress is erased by its own carriage return. */
function shownLines(output: string): readonly string[] {
  const text = output.replaceAll("\r\n", "\n").replace(/\n$/, "");
  return text === "" ? [] : text.split("\n").map((line) => line.slice(line.lastIndexOf("\r") + 1));
}

/** As a terminal of so many columns breaks it. */
function wrapped(spans: readonly Span[]): readonly (readonly Span[])[] {
  const rows: Span[][] = [[]];
  let column = 0;
  for (const { text, classes } of spans) {
    for (const part of Array.from(text)) {
      if (column === COLUMNS) {
        rows.push([]);
        column = 0;
      }
      const row = rows.at(-1) ?? [];
      const last = row.at(-1);
      if (last !== undefined && last.classes === classes) row[row.length - 1] = { text: last.text + part, classes };
      else row.push({ text: part, classes });
      column += 1;
    }
  }
  return rows;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a control sequence begins with one
const SEQUENCE = /\u001b\[([\d;]*)([A-Za-z])/;

function spansOf(line: string): readonly Span[] {
  let classes: readonly string[] = [];
  // Text, parameters and letter in turn.
  const pieces = line.split(SEQUENCE);
  return pieces.flatMap((text, at) => {
    if (at % 3 !== 0) return [];
    if (at > 0 && pieces[at - 1] === "m") {
      const parameters = (pieces[at - 2] ?? "").split(";");
      const added = parameters.flatMap((parameter) => CLASSES[parameter] ?? []);
      classes = parameters.some((parameter) => parameter === "0" || parameter === "") ? added : [...classes, ...added];
    }
    return text === "" ? [] : [{ text, classes: classes.join(" ") }];
  });
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
