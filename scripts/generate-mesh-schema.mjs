// Reads Istio's .proto files and writes the tables that lib/mesh reads configuration by: names and types, nothing else.
// Run by hand when the reference moves, on the version of istio/api in Istio's go.mod (a newer or older one has other
// fields): node scripts/generate-mesh-schema.mjs PATH_TO_ISTIO_API
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PROXY_ROOTS = ["mesh.ProxyConfig", "networking.ProxyConfig"];
const MESH_ROOTS = ["mesh.MeshConfig"];
const WELL_KNOWN = "google.protobuf.";

const [checkout] = process.argv.slice(2);
if (checkout === undefined) {
  console.error("usage: node scripts/generate-mesh-schema.mjs PATH_TO_ISTIO_API");
  process.exit(2);
}

const declared = { messages: new Map(), enums: new Map() };
const seen = new Set();
for (const file of ["mesh/v1alpha1/config.proto", "networking/v1beta1/proxy_config.proto"]) readFile(file);

const proxy = closureOf(PROXY_ROOTS, new Set());
const mesh = closureOf(MESH_ROOTS, new Set(proxy));
write(
  "proxy",
  "ProxyConfig, as an annotation and as a resource: read while pods are served, so it is kept small.",
  proxy,
);
write("mesh", "MeshConfig without ProxyConfig, which has its own tables: read when a release is compiled.", mesh);
execFileSync("npx", ["biome", "format", "--write", "lib/mesh/proxy-schema.ts", "lib/mesh/mesh-schema.ts"], {
  stdio: "inherit",
});

function readFile(file) {
  if (seen.has(file)) return;
  seen.add(file);
  const tokens = tokenize(readSource(file));
  for (const [, imported] of readSource(file).matchAll(/^import "((?!google\/)[^"]+)";/gm)) readFile(imported);
  const at = tokens.indexOf("package");
  readBody(tokens, { at: 0 }, tokens[at + 1]);
}

/** A file of a checkout, or of a bare repository's newest commit. */
function readSource(file) {
  try {
    return readFileSync(join(checkout, file), "utf8");
  } catch {
    return execFileSync("git", [`--git-dir=${checkout}`, "show", `HEAD:${file}`], { encoding: "utf8" });
  }
}

function tokenize(source) {
  const bare = source
    .replace(/\/\*[\s\S]*?\*\//g, " ")
    .replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*/g, (text) => (text[0] === '"' ? text : " "));
  return bare.match(/"(?:[^"\\]|\\.)*"|[\w.]+|[^\s\w]/g) ?? [];
}

function readBody(tokens, cursor, scope) {
  const fields = [];
  while (cursor.at < tokens.length && tokens[cursor.at] !== "}") readStatement(tokens, cursor, scope, fields, "");
  cursor.at += 1;
  return fields;
}

function readStatement(tokens, cursor, scope, fields, oneof) {
  const word = tokens[cursor.at];
  if (word === ";") cursor.at += 1;
  else if (word === "message") readMessage(tokens, cursor, scope);
  else if (word === "enum") readEnum(tokens, cursor, scope);
  else if (word === "oneof") readOneof(tokens, cursor, scope, fields);
  else if (["syntax", "package", "import", "option", "reserved", "extensions"].includes(word)) skip(tokens, cursor);
  else readField(tokens, cursor, scope, fields, oneof);
}

function readMessage(tokens, cursor, scope) {
  const name = `${scope}.${tokens[cursor.at + 1]}`;
  cursor.at += 3;
  declared.messages.set(name, []);
  declared.messages.set(name, readBody(tokens, cursor, name));
}

function readEnum(tokens, cursor, scope) {
  const name = `${scope}.${tokens[cursor.at + 1]}`;
  cursor.at += 3;
  const values = [];
  while (tokens[cursor.at] !== "}") {
    if (tokens[cursor.at + 1] === "=" && tokens[cursor.at] !== "option") {
      const negative = tokens[cursor.at + 2] === "-";
      values.push([tokens[cursor.at], Number(tokens[cursor.at + (negative ? 3 : 2)]) * (negative ? -1 : 1)]);
    }
    skip(tokens, cursor);
  }
  cursor.at += 1;
  declared.enums.set(name, values);
}

function readOneof(tokens, cursor, scope, fields) {
  const name = tokens[cursor.at + 1];
  cursor.at += 3;
  while (tokens[cursor.at] !== "}") readStatement(tokens, cursor, scope, fields, name);
  cursor.at += 1;
}

function readField(tokens, cursor, scope, fields, oneof) {
  const start = cursor.at;
  let shape = "";
  if (tokens[cursor.at] === "repeated") shape = "[]";
  if (tokens[cursor.at] === "repeated" || tokens[cursor.at] === "optional") cursor.at += 1;
  let type = tokens[cursor.at];
  if (type === "map") {
    shape = `{${tokens[cursor.at + 2]}}`;
    type = tokens[cursor.at + 4];
    cursor.at += 5;
  }
  const name = tokens[cursor.at + 1];
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
    json: renamed === -1 ? undefined : JSON.parse(text[renamed + 2]),
  });
}

function skip(tokens, cursor) {
  let depth = 0;
  for (; cursor.at < tokens.length; cursor.at += 1) {
    if (tokens[cursor.at] === "{") depth += 1;
    if (tokens[cursor.at] === "}") depth -= 1;
    if (tokens[cursor.at] === ";" && depth === 0) break;
  }
  cursor.at += 1;
}

/** Full name of a type as seen from a scope: the innermost declaration wins. */
function resolve(type, scope) {
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
function short(name) {
  return name.replace(/^istio\.(\w+)\.v\w+\./, "$1.");
}

/** Everything that is reached from the roots, without what is excluded, in the order of reaching. */
function closureOf(roots, excluded) {
  const names = [];
  const visit = (name) => {
    if (names.includes(name) || excluded.has(name)) return;
    if (!declared.messages.has(name) && !declared.enums.has(name)) return;
    names.push(name);
    for (const field of declared.messages.get(name) ?? []) visit(resolve(field.type, field.scope));
  };
  const full = [...declared.messages.keys()];
  for (const root of roots) visit(full.find((name) => short(name) === root));
  return names;
}

function write(part, about, names) {
  const messages = names
    .filter((name) => declared.messages.has(name))
    .map((name) => [short(name), declared.messages.get(name).map(describe)]);
  const enums = names
    .filter((name) => declared.enums.has(name))
    .map((name) => [short(name), Object.fromEntries(declared.enums.get(name))]);
  const short_ = messages.map(([name]) => name).concat(enums.map(([name]) => name));
  if (new Set(short_).size !== short_.length) throw new Error("two types have the same short name");
  const text = `// ${about}
// Written by scripts/generate-mesh-schema.mjs from the names and types in istio/api; edit that, not this.

import type { ProtoSchema } from "./proto-schema.ts";

export const ${part}Schema: ProtoSchema = {
  messages: ${JSON.stringify(Object.fromEntries(messages), null, 2)},
  enums: ${JSON.stringify(Object.fromEntries(enums), null, 2)},
};
`;
  writeFileSync(`lib/mesh/${part}-schema.ts`, text);
}

/** One field as a word list: name, type, then what is out of the ordinary. */
function describe(field) {
  const words = [field.name, short(resolve(field.type, field.scope)) + field.shape];
  if (field.oneof !== "") words.push(`oneof=${field.oneof}`);
  if (field.json !== undefined) words.push(`json=${field.json}`);
  return words.join(" ");
}
