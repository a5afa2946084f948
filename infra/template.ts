// The types of a CloudFormation template as the plugin changes it, the decoding of the framework's untyped one, and the renaming of
// logical IDs. Pure.
import { isObject, type JsonObject, type JsonValue } from "@outrigger/base";

export interface Resource {
  readonly Type: string;
  readonly Condition?: string;
  readonly DependsOn?: string | readonly string[];
  readonly Properties?: JsonObject;
  readonly [attribute: string]: JsonValue | undefined;
}

export type Resources = Readonly<Record<string, Resource>>;

export interface Template {
  readonly Resources: Resources;
  readonly Outputs?: Readonly<Record<string, JsonObject>>;
  readonly Conditions?: JsonObject;
  readonly Metadata?: JsonObject;
}

/**
 * A template out of an unknown value.
 *
 * @throws TypeError naming the entry that is not of CloudFormation's form
 */
export function decodeTemplate(value: unknown): Template {
  if (!isObject(value)) throw new TypeError("Cannot read the compiled template: it is not an object");
  const { Outputs = {}, Conditions = {} } = value;
  for (const [name, part] of Object.entries({ Outputs, Conditions })) {
    if (!isObject(part)) throw new TypeError(`Cannot read the compiled template: ${name} is not an object`);
  }
  const wrong = Object.entries(Outputs as JsonObject).find(([, output]) => !isObject(output));
  if (wrong !== undefined) throw new TypeError(`Cannot read the output ${wrong[0]} of the compiled template`);
  return { ...value, Outputs, Conditions, Resources: decodeResources(value["Resources"]) } as Template;
}

/**
 * Resources out of an unknown value.
 *
 * @throws TypeError naming the resource that is not of CloudFormation's form
 */
export function decodeResources(value: unknown): Resources {
  if (!isObject(value)) throw new TypeError("Cannot read the compiled template: Resources is not an object");
  return Object.fromEntries(Object.entries(value).map(([id, resource]) => [id, decodeResource(id, resource)]));
}

function decodeResource(id: string, resource: unknown): Resource {
  const wrong = (what: string) => new TypeError(`Cannot read the resource ${id} of the compiled template: ${what}`);
  if (!isObject(resource)) throw wrong("it is not an object");
  const { Type, Condition, DependsOn = [], Properties = {} } = resource;
  if (typeof Type !== "string") throw wrong("it has no Type");
  if (Condition !== undefined && typeof Condition !== "string") throw wrong("its Condition is not a name");
  if (!isObject(Properties)) throw wrong("its Properties are not an object");
  if (![DependsOn].flat().every((name) => typeof name === "string"))
    throw wrong("its DependsOn is not a list of names");
  return resource as Resource;
}

/** A resource that must be in the template: a missing one is a mistake in `infra/`. */
export function resourceOf(resources: Resources, id: string): Resource {
  const resource = resources[id];
  if (resource === undefined) throw new Error(`Cannot find the resource ${id}: infra/ does not define it`);
  return resource;
}

export function withProperties(resource: Resource, properties: JsonObject): Resource {
  return { ...resource, Properties: { ...resource.Properties, ...properties } };
}

type NewName = (id: string) => string;

/** The template with resources under their new IDs, and every reference to them renamed; other IDs stay. */
export function renameIds(template: Template, ids: ReadonlyMap<string, string>): Template {
  return renameIn(template, (id) => ids.get(id) ?? id) as Template;
}

function renameIn(value: unknown, rename: NewName): unknown {
  if (Array.isArray(value)) return value.map((item) => renameIn(item, rename));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renameAt(key, item, rename)]));
}

function renameAt(key: string, value: unknown, rename: NewName): unknown {
  if (key === "Ref" && typeof value === "string") return rename(value);
  if (key === "DependsOn") return Array.isArray(value) ? value.map((id) => rename(String(id))) : rename(String(value));
  if (key === "Fn::GetAtt") return renameAttribute(value, rename);
  if (key === "Fn::Sub") return renameSub(value, rename);
  if (key === "Resources" && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([id, item]) => [rename(id), renameIn(item, rename)]));
  }
  return renameIn(value, rename);
}

function renameAttribute(value: unknown, rename: NewName): unknown {
  const [id = "", ...attribute] = Array.isArray(value) ? value.map(String) : String(value).split(".");
  return [rename(id), ...attribute];
}

/** `${Api}` and `${Api.Attribute}`; names of the second operand are its own. */
function renameSub(value: unknown, rename: NewName): unknown {
  const [text, variables] = Array.isArray(value) ? value : [value];
  const own = isObject(variables) ? Object.keys(variables) : [];
  const renamed = String(text).replaceAll(/\$\{(\w+)((?:\.\w+)*)\}/g, (whole, id: string, attribute: string) =>
    own.includes(id) ? whole : `\${${rename(id)}${attribute}}`,
  );
  return Array.isArray(value) ? [renamed, ...(variables === undefined ? [] : [renameIn(variables, rename)])] : renamed;
}

/** A change of one resource. */
export type Change = (resource: Resource, id: string) => Resource;

/** The template with each resource changed. */
export function withEach(template: Template, change: Change): Template {
  const resources = Object.entries(template.Resources).map(([id, resource]) => [id, change(resource, id)] as const);
  return { ...template, Resources: Object.fromEntries(resources) };
}
