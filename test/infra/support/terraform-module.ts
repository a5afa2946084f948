// A Terraform module as python-hcl2 reads it, by the names that Terraform's own expressions use.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isObject, type JsonObject, objectOf, objectsOf } from "@outrigger/base";

export interface TerraformModule {
  /**
   * The arguments of each block, by names such as `aws_cloudformation_stack.outrigger` and `data.aws_region.current`.
   */
  readonly blocks: ReadonlyMap<string, JsonObject>;
  readonly variables: ReadonlyMap<string, JsonObject>;
  readonly outputs: ReadonlyMap<string, JsonObject>;
  readonly locals: JsonObject;
  /** Every expression, as text. */
  readonly expressions: readonly string[];
}

export function readModule(python: string, folder: string): TerraformModule {
  const script = fileURLToPath(new URL("read-hcl.py", import.meta.url));
  const text = execFileSync(python, [script, folder], { encoding: "utf8", timeout: 60_000 });
  const files = Object.values(objectOf(JSON.parse(text))).map(objectOf);
  const entries = (kind: string) => files.flatMap((file) => objectsOf(file[kind])).flatMap(namedEntries);
  const typed = (kind: string, prefix: string) =>
    entries(kind).flatMap(([type, named]) =>
      namedEntries(objectOf(named)).map(([name, body]) => [`${prefix}${type}.${name}`, objectOf(body)] as const),
    );
  const named = (kind: string) => new Map(entries(kind).map(([name, body]) => [name, argumentsOf(objectOf(body))]));
  const blocks = [...typed("resource", ""), ...typed("data", "data.")];
  return {
    blocks: new Map(blocks.map(([name, body]) => [name, argumentsOf(body)])),
    variables: named("variable"),
    outputs: named("output"),
    locals: Object.fromEntries(entries("locals")),
    expressions: textsIn(files),
  };
}

/** Labels of blocks keep their quotes; what begins with two underscores is python-hcl2's own. */
function namedEntries(object: JsonObject) {
  return Object.entries(object)
    .filter(([name]) => !name.startsWith("__"))
    .map(([name, value]) => [name.replaceAll('"', ""), value ?? null] as const);
}

function argumentsOf(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !name.startsWith("__")));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
