// Writes lib/pod/generated/pod-schema.ts and lib/pod/generated/pod-types.ts from a Kubernetes OpenAPI (v2) document.
// Run in the project's folder: `node --import tsx scripts/generate/pod-schema.ts --help` prints the options.
// Takes names, types, merge keys and strategies; no descriptions. `status` stays opaque: an injector never writes it.
import { readFileSync } from "node:fs";
import { readRecord } from "../../tools/support/read-record.ts";
import { toolOptions } from "../../tools/support/tool-options.ts";
import { writeGenerated } from "./generated-file.ts";

const ROOT = "io.k8s.api.core.v1.Pod";
type Codes = Readonly<Record<string, readonly [code: string, type: string]>>;

/** The parts of a definition or a field that are read; the rest is ignored. */
interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
}

const SCALARS: Codes = {
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": ["t", "string"],
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": ["o", "JsonObject"],
  "io.k8s.apimachinery.pkg.api.resource.Quantity": ["q", "Quantity"],
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": ["x", "IntOrString"],
  "io.k8s.api.core.v1.PodStatus": ["o", "JsonObject"],
};
const PRIMITIVES: Codes = {
  string: ["s", "string"],
  integer: ["i", "number"],
  boolean: ["b", "boolean"],
};

const { swaggerFile, version } = toolOptions({
  command: "node --import tsx scripts/generate/pod-schema.ts",
  says: "Writes the Pod's schema and types, lib/pod/generated, from an OpenAPI document of Kubernetes.",
  arguments: {
    swaggerFile: { value: "SWAGGER_JSON", says: "the OpenAPI (v2) document" },
    version: { value: "VERSION", says: "what it is of, as the generated files name it" },
  },
  example: 'node --import tsx scripts/generate/pod-schema.ts swagger.json "Kubernetes 1.36"',
});
/** An OpenAPI document of Kubernetes, as published; a definition that is missing in it is an error below. */
type OpenApi = { readonly definitions: Readonly<Record<string, Schema>> };
const { definitions } = readRecord<OpenApi>(readFileSync(swaggerFile, "utf8"), swaggerFile, { definitions: "object" });
const names = reachable(ROOT);
const origin = ["scripts/generate/pod-schema.ts", `the OpenAPI document of ${version}`] as const;
writeGenerated("lib/pod/generated/pod-schema.ts", ...origin, schemaFile(names));
writeGenerated("lib/pod/generated/pod-types.ts", ...origin, typesFile(names));

function reachable(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const waiting = [root];
  for (const name of waiting) {
    const short = shortName(name);
    if (SCALARS[name] !== undefined || found.get(short) === name) continue;
    if (found.has(short)) throw new Error(`Two definitions are called ${short}`);
    found.set(short, name);
    for (const field of Object.values(propertiesOf(name))) {
      const reference = referenceOf(field) ?? referenceOf(field.items) ?? referenceOf(field.additionalProperties);
      if (reference !== undefined) waiting.push(reference);
    }
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function propertiesOf(name: string): Readonly<Record<string, Schema>> {
  const properties = definitions[name]?.properties;
  if (properties === undefined) throw new Error(`${name} has no properties`);
  return properties;
}

function schemaFile(found: ReadonlyMap<string, string>): string {
  const lines = [...found].map(([short, name]) => `  ${short}: ${JSON.stringify(definitionText(name))},`);
  return `// The Pod's definitions as one line each: \`name=type\`, separated by blanks; lib/pod/schema/schema.ts says how they are read.

export const POD_DEFINITIONS: Readonly<Record<string, string>> = {
${lines.join("\n")}
};
`;
}

function definitionText(name: string): string {
  const required = new Set(definitions[name]?.required ?? []);
  return Object.entries(propertiesOf(name))
    .map(([field, schema]) => `${field}=${typeOf(schema)[0]}${strategyText(schema)}${required.has(field) ? "!" : ""}`)
    .join(" ");
}

/** Returns the table's code for a type, and TypeScript's name of it. */
function typeOf(schema: Schema): readonly [code: string, type: string] {
  if (schema.type === "array" && schema.items !== undefined) {
    const [code, type] = typeOf(schema.items);
    return [`[${code}`, `readonly ${type}[]`];
  }
  if (schema.additionalProperties !== undefined) {
    const [code, type] = typeOf(schema.additionalProperties);
    return [`{${code}`, `Readonly<Record<string, ${type}>>`];
  }
  const reference = referenceOf(schema);
  if (reference !== undefined) return SCALARS[reference] ?? [shortName(reference), shortName(reference)];
  const primitive = schema.format === "int64" ? (["l", "number"] as const) : PRIMITIVES[schema.type ?? ""];
  if (primitive === undefined) throw new Error(`Unknown type ${JSON.stringify(schema)}`);
  return primitive;
}

function strategyText(schema: Schema): string {
  const strategies = (schema["x-kubernetes-patch-strategy"] ?? "").split(",");
  const merge = strategies.includes("merge") ? `@${schema["x-kubernetes-patch-merge-key"] ?? ""}` : "";
  return merge + (strategies.includes("retainKeys") ? "~" : "");
}

function typesFile(found: ReadonlyMap<string, string>): string {
  const types = [...found].map(([short, name]) => {
    const required = new Set(definitions[name]?.required ?? []);
    const fields = Object.entries(propertiesOf(name)).map(([field, schema]) => {
      const key = /^[A-Za-z_]\w*$/.test(field) ? field : JSON.stringify(field);
      const [, type] = typeOf(schema);
      return required.has(field) ? `  readonly ${key}: ${type};` : `  readonly ${key}?: ${type} | undefined;`;
    });
    // `core/v1` of `io.k8s.api.core.v1.Pod`.
    const document = `/** Kubernetes' ${name.split(".").slice(-3, -1).join("/")} ${short}. */`;
    return fields.length === 0
      ? `${document}\nexport type ${short} = Readonly<Record<string, never>>;\n`
      : `${document}\nexport type ${short} = {\n${fields.join("\n")}\n};\n`;
  });
  return `// Everything reachable from Pod, as JSON. Aliases rather than interfaces, so that each is a JsonObject too.

import type { JsonObject } from "@outrigger/base";

/** A resource amount: \`"100m"\`, \`"1Gi"\`; written by hand also a number. */
export type Quantity = string | number;

export type IntOrString = number | string;

${types.join("\n")}`;
}

function referenceOf(schema: Schema | undefined): string | undefined {
  return schema?.$ref?.replace("#/definitions/", "");
}

function shortName(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}
