// Writes the tables that lib/mesh reads configuration by, from Istio's .proto files: names and types, nothing else. protobuf.js parses
// them: npx fetches its command, which is no dependency of the project.
// Run by hand when the reference moves, on the version of istio/api in Istio's go.mod (a newer or older one has other
// fields). `node --import tsx scripts/generate/mesh-schema.ts --help` prints the options.
import { execFileSync } from "node:child_process";
import { readRecord } from "../../tools/support/read-record.ts";
import { toolOptions } from "../../tools/support/tool-options.ts";
import { writeGenerated } from "./generated-file.ts";

const PARSER = "protobufjs-cli@2.7.1";
const FILES = ["mesh/v1alpha1/config.proto", "networking/v1beta1/proxy_config.proto"];
const PROXY_ROOTS = ["mesh.ProxyConfig", "networking.ProxyConfig"];
const MESH_ROOTS = ["mesh.MeshConfig"];
const WELL_KNOWN = "google.protobuf.";

const { checkout } = toolOptions({
  command: "node --import tsx scripts/generate/mesh-schema.ts",
  says: "Writes the tables that lib/mesh reads configuration by, from Istio's .proto files.",
  arguments: {
    checkout: { value: "ISTIO_API_DIR", says: "a checkout of istio/api, of the version in Istio's go.mod" },
  },
  example: "node --import tsx scripts/generate/mesh-schema.ts ~/istio-api",
});

interface Field {
  /** The name as it is written, which is resolved from the message. */
  readonly type: string;
  readonly rule?: "repeated";
  /** The type of a map's keys. */
  readonly keyType?: string;
  readonly options?: { readonly json_name?: string };
}

/** A package, a message or an enum in the output of protobuf.js, by the names in it. */
interface Declared {
  readonly nested?: Readonly<Record<string, Declared>>;
  readonly fields?: Readonly<Record<string, Field>>;
  readonly oneofs?: Readonly<Record<string, { readonly oneof: readonly string[] }>>;
  readonly values?: Readonly<Record<string, number>>;
}

const words = ["pbjs", "--target", "json", "--keep-case", "-p", ".", "-p", "common-protos", ...FILES];
const options = { cwd: checkout, encoding: "utf8", maxBuffer: 64e6 } as const;
const printed = execFileSync("npx", ["--yes", "-p", PARSER, ...words], options);
/** The messages and enums by full name. */
const declared = new Map(declarationsIn(readRecord<Declared>(printed, "pbjs", { nested: "object" }), ""));

const proxy = closureOf(PROXY_ROOTS, new Set());
const mesh = closureOf(MESH_ROOTS, new Set(proxy));
write(
  "proxy",
  "ProxyConfig, as an annotation and as a resource: read while pods are served, so it is kept small.",
  proxy,
);
write("mesh", "MeshConfig without ProxyConfig, which has its own tables: read when a release is compiled.", mesh);

function declarationsIn({ nested = {} }: Declared, scope: string): readonly (readonly [string, Declared])[] {
  return Object.entries(nested).flatMap(([key, one]) => {
    const name = scope === "" ? key : `${scope}.${key}`;
    const own = one.fields === undefined && one.values === undefined ? [] : [[name, one] as const];
    return [...own, ...declarationsIn(one, name)];
  });
}

/** Full name of a type as seen from a scope: the innermost declaration wins. */
function resolve(type: string, scope: string): string {
  if (type.startsWith(WELL_KNOWN)) return type.slice(WELL_KNOWN.length);
  if (/^(string|bool|u?int(32|64)|double|float|bytes)$/.test(type)) return type;
  const scopes = scope.split(".");
  const seen = scopes.map((_, depth) => [...scopes.slice(0, scopes.length - depth), type].join("."));
  const found = [...seen, type].find((name) => declared.has(name));
  if (found === undefined) throw new Error(`type ${type} is not declared (in ${scope})`);
  return found;
}

/** Returns the short name of a type: `mesh.ProxyConfig` for `istio.mesh.v1alpha1.ProxyConfig`. */
function short(name: string): string {
  return name.replace(/^istio\.(\w+)\.v\w+\./, "$1.");
}

/** Everything that is reached from the roots, without what is excluded, in the order of reaching. */
function closureOf(roots: readonly string[], excluded: ReadonlySet<string>): readonly string[] {
  const names: string[] = [];
  const visit = (name: string): void => {
    const found = declared.get(name);
    if (found === undefined || names.includes(name) || excluded.has(name)) return;
    names.push(name);
    for (const { type } of Object.values(found.fields ?? {})) visit(resolve(type, name));
  };
  for (const root of roots) {
    const name = [...declared.keys()].find((one) => short(one) === root);
    if (name === undefined) throw new Error(`message ${root} is not declared`);
    visit(name);
  }
  return names;
}

function write(part: string, about: string, names: readonly string[]): void {
  const entries = names.map((name) => [short(name), name, declared.get(name) ?? {}] as const);
  const messages = entries.flatMap(([key, name, one]) => (one.fields ? [[key, describe(one, name)] as const] : []));
  const enums = entries.flatMap(([key, , { values }]) => (values ? [[key, values] as const] : []));
  if (new Set(names.map(short)).size !== names.length) throw new Error("two types have the same short name");
  const text = `// ${about}

import type { ProtoSchema } from "../../proto-schema.ts";

export const ${part}Schema: ProtoSchema = {
  messages: ${JSON.stringify(Object.fromEntries(messages), null, 2)},
  enums: ${JSON.stringify(Object.fromEntries(enums), null, 2)},
};
`;
  const file = `lib/mesh/generated/${part}-schema.ts`;
  writeGenerated(file, "scripts/generate/mesh-schema.ts", "the names and types in istio/api", text);
}

/** Returns each field as words: name, type (`[]` for a list, `{string}` for a map by that key), then what is out of the ordinary. */
function describe({ fields = {}, oneofs = {} }: Declared, scope: string): readonly string[] {
  return Object.entries(fields).map(([name, { type, rule, keyType, options }]) => {
    const shape = keyType === undefined ? (rule === "repeated" ? "[]" : "") : `{${keyType}}`;
    const [oneof] = Object.entries(oneofs).find(([, one]) => one.oneof.includes(name)) ?? [];
    return [
      name,
      short(resolve(type, scope)) + shape,
      ...(oneof === undefined ? [] : [`oneof=${oneof}`]),
      ...(options?.json_name === undefined ? [] : [`json=${options.json_name}`]),
    ].join(" ");
  });
}
