// The types of a CloudFormation template as the plugin changes it, and the decoding of the framework's untyped one.
import { defined, isObject, type JsonObject, type JsonValue } from "@outrigger/base";

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
  readonly Conditions?: Readonly<Record<string, JsonValue>>;
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
  if (!isObject(Conditions)) throw new TypeError("Cannot read the compiled template: Conditions is not an object");
  return {
    ...value,
    Resources: decodeResources(value["Resources"]),
    Outputs: decodeOutputs(Outputs),
    Conditions: entriesOf(Conditions),
  };
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
  const { Type, Condition, DependsOn, Properties, ...rest } = resource;
  if (typeof Type !== "string") throw wrong("it has no Type");
  if (Condition !== undefined && typeof Condition !== "string") throw wrong("its Condition is not a name");
  if (Properties !== undefined && !isObject(Properties)) throw wrong("its Properties are not an object");
  const waits = DependsOn === undefined ? undefined : [DependsOn].flat();
  if (waits?.every((name) => typeof name === "string") === false) throw wrong("its DependsOn is not a list of names");
  return {
    Type,
    ...rest,
    ...defined({ Condition, Properties }),
    ...(DependsOn === undefined ? {} : { DependsOn: DependsOn as string | readonly string[] }),
  };
}

function decodeOutputs(value: unknown): Readonly<Record<string, JsonObject>> {
  if (!isObject(value)) throw new TypeError("Cannot read the compiled template: Outputs is not an object");
  return Object.fromEntries(
    Object.entries(value).map(([name, output]) => {
      if (!isObject(output)) throw new TypeError(`Cannot read the output ${name} of the compiled template`);
      return [name, output];
    }),
  );
}

function entriesOf(value: JsonObject): Readonly<Record<string, JsonValue>> {
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}

/** A resource that must be in the template: a missing one is a mistake in `infra/`. */
export function resourceOf(resources: Resources, id: string): Resource {
  const resource = resources[id];
  if (resource === undefined) throw new Error(`Cannot find the resource ${id}: infra/ does not define it`);
  return resource;
}

/** The resource with some of its properties set. */
export function withProperties(resource: Resource, properties: JsonObject): Resource {
  return { ...resource, Properties: { ...resource.Properties, ...properties } };
}
