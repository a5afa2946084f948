// `node --import tsx tools/reference/pack-reference.ts --help` prints the options. Packs Istio's measured behaviour into test/reference, and unpacks it
// for reading, as it was measured.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { fileOfSet, readLines, readSet, SETS, type SetName } from "../../test/reference/read-reference.ts";
import { readRecord } from "../support/read-record.ts";
import { toolOptions } from "../support/tool-options.ts";

const { command, directory } = toolOptions({
  command: "node --import tsx tools/reference/pack-reference.ts",
  says: "Unpacks what was measured of Istio's injector from test/reference, and packs it again.",
  arguments: {
    command: {
      oneOf: ["pack", "unpack"],
      says: "make the packed sets, and print their digests for the README; or write a JSON file for each case and table",
    },
    directory: { value: "DIR", says: "the folder of those files" },
  },
  example: "node --import tsx tools/reference/pack-reference.ts unpack /tmp/reference",
});
for (const set of SETS) {
  if (command === "pack") pack(set, directory);
  else unpack(set, directory);
}

function pack(set: SetName, from: string): void {
  const text = `${linesFrom(set, from).join("\n")}\n`;
  const bytes = Buffer.from(text);
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const packed = brotliCompressSync(bytes, { params });
  writeFileSync(fileOfSet(set), packed);
  const entries = text.trimEnd().split("\n").length;
  const digest = createHash("sha256").update(text).digest("hex");
  console.log(`| \`${set}\` | ${entries} | ${packed.length} | \`${digest}\` |`);
}

/** The folder has the layout that `unpack` writes. */
function linesFrom(set: SetName, from: string): readonly string[] {
  if (set === "pods") return readFileSync(join(from, "pods.jsonl"), "utf8").trim().split("\n").map(compact);
  const folder = join(from, set === "tables" ? "tables" : `cases/${set}`);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => {
      const text = compact(readFileSync(join(folder, file), "utf8"));
      return set === "tables" ? `${tableStart(basename(file, ".json"))}${text}}` : text;
    });
}

function tableStart(name: string): string {
  return `{"name":${JSON.stringify(name)},"rows":`;
}

/** Returns JSON without the blanks between tokens. Parsing and writing it again would round numbers. */
function compact(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
}

function unpack(set: SetName, to: string): void {
  if (set === "pods") write(join(to, "pods.jsonl"), readSet(set));
  else for (const line of readLines(set)) unpackLine(set, line, to);
}

function unpackLine(set: SetName, line: string, to: string): void {
  const { name } = readRecord<{ readonly name: string }>(line, `a line of the set ${set}`, { name: "text" });
  if (set === "tables") write(join(to, `tables/${name}.json`), `${line.slice(tableStart(name).length, -1)}\n`);
  else write(join(to, `cases/${name}.json`), `${line}\n`);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
