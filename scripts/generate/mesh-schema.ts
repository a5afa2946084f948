// Reads Istio's .proto files and writes the tables that lib/mesh reads configuration by: names and types, nothing else.
// Run by hand when the reference moves, on the version of istio/api in Istio's go.mod (a newer or older one has other
// fields): node --import tsx scripts/generate/mesh-schema.ts PATH_TO_ISTIO_API
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeGenerated } from "../support/generated-file.ts";

const PROXY_ROOTS = ["mesh.ProxyConfig", "networking.ProxyConfig"];
const MESH_ROOTS = ["mesh.MeshConfig"];
const WELL_KNOWN = "google.protobuf.";

const [checkout] = process.argv.slice(2);
if (checkout === undefined) {
  console.error("usage: node --import tsx scripts/generate/mesh-schema.ts PATH_TO_ISTIO_API");
  process.exit(2);
}

interface Field {
  readonly name: string;
  readonly type: string;
  /** `[]` for a list, `{string}` for a map by that key, else nothing. */
  readonly shape: string;
  readonly scope: string;
  readonly oneof: string;
  readonly json: string | undefined;
}

/** Where reading has come to in a file's tokens. */
interface Cursor {
  at: number;
}

const source: string = checkout;
const declared = { messages: new Map<string, readonly Field[]>(), enums: new Map<string, [string, number][]>() };
const seen = new Set<string>();
for (const file of ["mesh/v1alpha1/config.proto", "networking/v1beta1/proxy_config.proto"]) readFile(file);

const proxy = closureOf(PROXY_ROOTS, new Set());
const mesh = closureOf(MESH_ROOTS, new Set(proxy));
write(
  "proxy",
  "ProxyConfig, as an annotation and as a resource: read while pods are served, so it is kept small.",
  proxy,
);
write("mesh", "MeshConfig without ProxyConfig, which has its own tables: read when a release is compiled.", mesh);

function readFile(file: string): void {
  if (seen.has(file)) return;
  seen.add(file);
  const tokens = tokenize(readSource(file));
  for (const [, imported] of readSource(file).matchAll(/^import "((?!google\/)[^"]+)";/gm)) {
    if (imported !== undefined) readFile(imported);
  }
  readBody(tokens, { at: 0 }, tokenAt(tokens, tokens.indexOf("package") + 1));
}

/** A file of a checkout, or of a bare repository's newest commit. */
function readSource(file: string): string {
  try {
    return readFileSync(join(source, file), "utf8");
  } catch {
    return execFileSync("git", [`--git-dir=${source}`, "show", `HEAD:${file}`], { encoding: "utf8" });
  }
}

function tokenize(text: string): readonly string[] {
  const bare = text
    .replace(/\/\*[\s\S]*?\*\//g, " ")
    .replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*/g, (found) => (found[0] === '"' ? found : " "));
  return bare.match(/"(?:[^"\\]|\\.)*"|[\w.]+|[^\s\w]/g) ?? [];
}

/** The token that must be there. */
function tokenAt(tokens: readonly string[], at: number): string {
  const token = tokens[at];
  if (token === undefined) throw new Error("The file ends in the middle of a declaration");
  return token;
}

function readBody(tokens: readonly string[], cursor: Cursor, scope: string): readonly Field[] {
  const fields: Field[] = [];
  while (cursor.at < tokens.length && tokens[cursor.at] !== "}") readStatement(tokens, cursor, scope, fields, "");
  cursor.at += 1;
  return fields;
}

function readStatement(tokens: readonly string[], cursor: Cursor, scope: string, fields: Field[], oneof: string): void {
  const word = tokenAt(tokens, cursor.at);
  if (word === ";") cursor.at += 1;
  else if (word === "message") readMessage(tokens, cursor, scope);
  else if (word === "enum") readEnum(tokens, cursor, scope);
  else if (word === "oneof") readOneof(tokens, cursor, scope, fields);
  else if (["syntax", "package", "import", "option", "reserved", "extensions"].includes(word)) skip(tokens, cursor);
  else readField(tokens, cursor, scope, fields, oneof);
}

function readMessage(tokens: readonly string[], cursor: Cursor, scope: string): void {
  const name = `${scope}.${tokens[cursor.at + 1]}`;
  cursor.at += 3;
  declared.messages.set(name, []);
  declared.messages.set(name, readBody(tokens, cursor, name));
}

function readEnum(tokens: readonly string[], cursor: Cursor, scope: string): void {
  const name = `${scope}.${tokens[cursor.at + 1]}`;
  cursor.at += 3;
  const values: [string, number][] = [];
  while (tokens[cursor.at] !== "}") {
    if (tokens[cursor.at + 1] === "=" && tokens[cursor.at] !== "option") {
      const negative = tokens[cursor.at + 2] === "-";
      values.push([tokenAt(tokens, cursor.at), Number(tokens[cursor.at + (negative ? 3 : 2)]) * (negative ? -1 : 1)]);
    }
    skip(tokens, cursor);
  }
  cursor.at += 1;
  declared.enums.set(name, values);
}

function readOneof(tokens: readonly string[], cursor: Cursor, scope: string, fields: Field[]): void {
  const name = tokenAt(tokens, cursor.at + 1);
  cursor.at += 3;
  while (tokens[cursor.at] !== "}") readStatement(tokens, cursor, scope, fields, name);
  cursor.at += 1;
}

function readField(tokens: readonly string[], cursor: Cursor, scope: string, fields: Field[], oneof: string): void {
  const start = cursor.at;
  let shape = "";
  if (tokens[cursor.at] === "repeated") shape = "[]";
  if (tokens[cursor.at] === "repeated" || tokens[cursor.at] === "optional") cursor.at += 1;
  let type = tokenAt(tokens, cursor.at);
  if (type === "map") {
    shape = `{${tokens[cursor.at + 2]}}`;
    type = tokenAt(tokens, cursor.at + 4);
    cursor.at += 5;
  }
  const name = tokenAt(tokens, cursor.at + 1);
  skip(tokens, cursor);
  const text = tokens.slice(start, cursor.at);
  const renamed = text.indexOf("json_name");
  const presence = tokens[start] === "optional" ? `_${name}` : oneof;
  fields.push({
    name,
    type,
    shape,
    scope,
    oneof: presence,
    json: renamed === -1 ? undefined : JSON.parse(tokenAt(text, renamed + 2)),
  });
}

function skip(tokens: readonly string[], cursor: Cursor): void {
  let depth = 0;
  for (; cursor.at < tokens.length; cursor.at += 1) {
    if (tokens[cursor.at] === "{") depth += 1;
    if (tokens[cursor.at] === "}") depth -= 1;
    if (tokens[cursor.at] === ";" && depth === 0) break;
  }
  cursor.at += 1;
}

/** Full name of a type as seen from a scope: the innermost declaration wins. */
function resolve(type: string, scope: string): string {
  if (type.startsWith(WELL_KNOWN)) return type.slice(WELL_KNOWN.length);
  if (/^(string|bool|u?int(32|64)|double|float|bytes)$/.test(type)) return type;
  for (let within = scope; ; within = within.slice(0, within.lastIndexOf("."))) {
    const candidate = within === "" ? type : `${within}.${type}`;
    if (declared.messages.has(candidate) || declared.enums.has(candidate)) return candidate;
    if (within === "") throw new Error(`type ${type} is not declared (in ${scope})`);
    if (!within.includes(".")) return resolve(type, "");
  }
}

/** `istio.mesh.v1alpha1.ProxyConfig` → `mesh.ProxyConfig`. */
function short(name: string): string {
  return name.replace(/^istio\.(\w+)\.v\w+\./, "$1.");
}

/** Everything that is reached from the roots, without what is excluded, in the order of reaching. */
function closureOf(roots: readonly string[], excluded: ReadonlySet<string>): readonly string[] {
  const names: string[] = [];
  const visit = (name: string): void => {
    if (names.includes(name) || excluded.has(name)) return;
    if (!declared.messages.has(name) && !declared.enums.has(name)) return;
    names.push(name);
    for (const field of declared.messages.get(name) ?? []) visit(resolve(field.type, field.scope));
  };
  const full = [...declared.messages.keys()];
  for (const root of roots) {
    const name = full.find((one) => short(one) === root);
    if (name === undefined) throw new Error(`message ${root} is not declared`);
    visit(name);
  }
  return names;
}

function write(part: string, about: string, names: readonly string[]): void {
  const messages = names.flatMap((name): [string, string[]][] => {
    const fields = declared.messages.get(name);
    return fields === undefined ? [] : [[short(name), fields.map(describe)]];
  });
  const enums = names.flatMap((name): [string, Record<string, number>][] => {
    const values = declared.enums.get(name);
    return values === undefined ? [] : [[short(name), Object.fromEntries(values)]];
  });
  if (new Set(names.map(short)).size !== names.length) throw new Error("two types have the same short name");
  const text = `// ${about}

import type { ProtoSchema } from "../../proto-schema.ts";

export const ${part}Schema: ProtoSchema = {
  messages: ${JSON.stringify(Object.fromEntries(messages), null, 2)},
  enums: ${JSON.stringify(Object.fromEntries(enums), null, 2)},
};
`;
  const origin = { script: "scripts/generate/mesh-schema.ts", source: "the names and types in istio/api" };
  writeGenerated(`lib/mesh/generated/${part}-schema.ts`, origin, text);
}

/** One field as a word list: name, type, then what is out of the ordinary. */
function describe(field: Field): string {
  const words = [field.name, short(resolve(field.type, field.scope)) + field.shape];
  if (field.oneof !== "") words.push(`oneof=${field.oneof}`);
  if (field.json !== undefined) words.push(`json=${field.json}`);
  return words.join(" ");
}
