// What commands write: results on standard output, as text or as JSON; progress on standard error, for people only.
import type { JsonValue } from "@outrigger/base";
import { formatYaml } from "@outrigger/yaml";
import type { Io } from "./io.ts";
import { printable } from "./printable.ts";

/**
 * Writes a result: `value` as JSON or YAML where machines read it, the text where people do.
 *
 * @param names of what is listed, for `-o name`
 */
export function printResult(
  io: Io,
  json: true | undefined,
  value: unknown,
  text: string,
  names: readonly string[] = [],
): void {
  if (json === true && io.machineFormat?.() === "name") io.stdout.write(names.map((name) => `${name}\n`).join(""));
  else if (json === true) io.stdout.write(machineText(io, value));
  else if (text !== "") io.stdout.write(printable(text.endsWith("\n") ? text : `${text}\n`));
}

export function warn(text: string, { stderr }: Pick<Io, "stderr">): void {
  stderr.write(printable(`Warning: ${text}\n`));
}

function machineText(io: Io, value: unknown): string {
  const json = JSON.stringify(value, undefined, 2);
  // By way of JSON, so that both forms say the same: undefined members are left out of either.
  return io.machineFormat?.() === "yaml" ? formatYaml(JSON.parse(json) as JsonValue) : `${json}\n`;
}

/** Lines that are folded between words where the terminal would break one; the rest of a line is indented below its beginning. */
export function folded(lines: readonly string[], { columns }: Pick<Io, "columns">): readonly string[] {
  if (columns === undefined) return lines;
  return lines.flatMap((line) => {
    const indent = `${/^ */.exec(line)?.[0]}  `;
    const parts: string[] = [];
    let rest = line;
    while (rest.length > columns) {
      const before = rest.lastIndexOf(" ", columns);
      // Behind the indent, however narrow the terminal is: each part takes a word with it.
      const at = before > indent.length ? before : rest.indexOf(" ", Math.max(columns, indent.length));
      if (at === -1) break;
      parts.push(rest.slice(0, at));
      rest = indent + rest.slice(at + 1);
    }
    return [...parts, rest];
  });
}

/** Rows under their headings, in columns; the last column is as long as it is. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const flat = rows.map((row) => row.map((cell) => cell.replaceAll(/\s+/g, " ")));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...flat.map((row) => (row[column] ?? "").length)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] as number)))
      .join("   ")
      .trimEnd();
  return `${[headings, ...flat].map(line).join("\n")}\n`;
}

/** Shows how far a long operation is, on one line that is overwritten; a pipe or a file gets none of it. */
export async function withProgress<Result>(
  io: Pick<Io, "isTerminal" | "stderr">,
  run: (report: (text: string) => void) => Promise<Result>,
): Promise<Result> {
  if (!io.isTerminal) return run(() => {});
  const clear = "\r\u001b[K";
  try {
    return await run((text) => void io.stderr.write(clear + printable(text)));
  } finally {
    io.stderr.write(clear);
  }
}
