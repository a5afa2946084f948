// Conditions whose value is known when the template is made. What a condition rules out is left out of the template,
// not only switched off: a service would validate the empty domain of a resource that is never made. Pure.
import { isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import type { Resource, Template } from "./template.ts";

type IsTrue = (condition: string) => boolean;

/**
 * The template without `Conditions`, and without the resources, outputs and alternatives that they rule out. A part of a
 * template may wait for resources that are in `others`.
 */
export function settleConditions(
  { Conditions = {}, Resources, Outputs = {}, ...rest }: Template,
  others: ReadonlySet<string> = new Set(),
): Template {
  const isTrue: IsTrue = (condition) => {
    const expression = Object.hasOwn(Conditions, condition) ? Conditions[condition] : undefined;
    if (expression === undefined) throw new Error(`There is no condition ${JSON.stringify(condition)}`);
    return evaluate(expression, isTrue);
  };
  const wanted = pick(Resources, isTrue);
  const ids = new Set([...Object.keys(wanted), ...others]);
  const resources = Object.entries(wanted).map(([id, resource]) => [id, settle(resource, ids, isTrue)] as const);
  const outputs = Object.entries(pick(Outputs, isTrue)).map(
    ([name, output]) => [name, chooseIn(output, isTrue)] as const,
  );
  return { ...rest, Resources: Object.fromEntries(resources), Outputs: Object.fromEntries(outputs) };
}

function evaluate(expression: JsonValue, isTrue: IsTrue): boolean {
  const [[operator, operands] = ["nothing", null]] = isObject(expression) ? Object.entries(expression) : [];
  const list = Array.isArray(operands) ? (operands as readonly JsonValue[]) : [];
  const first = list[0] ?? null;
  if (operator === "Fn::Equals") return String(first) === String(list[1] ?? null);
  if (operator === "Fn::Not") return !evaluate(first, isTrue);
  if (operator === "Fn::And") return list.every((operand) => evaluate(operand, isTrue));
  if (operator === "Fn::Or") return list.some((operand) => evaluate(operand, isTrue));
  if (operator === "Condition") return isTrue(String(operands));
  throw new Error(`Cannot settle a condition with ${operator}`);
}

/** The entries whose condition is true, without the condition. */
function pick<Entry extends { readonly Condition?: JsonValue | undefined }>(
  entries: Readonly<Record<string, Entry>>,
  isTrue: IsTrue,
): Readonly<Record<string, Omit<Entry, "Condition">>> {
  const isWanted = ([, { Condition }]: [string, Entry]) => Condition === undefined || isTrue(String(Condition));
  const plain = ([id, { Condition: _settled, ...entry }]: [string, Entry]) => [id, entry] as const;
  return Object.fromEntries(Object.entries(entries).filter(isWanted).map(plain));
}

/** The resource with its alternatives chosen, waiting only for resources that are in the template. */
function settle(resource: Omit<Resource, "Condition">, ids: ReadonlySet<string>, isTrue: IsTrue): Resource {
  const { Type, DependsOn, Properties, ...rest } = resource as Resource;
  const present = [DependsOn ?? []].flat().filter((id) => ids.has(id));
  return {
    Type,
    ...chooseIn(rest, isTrue),
    ...(Properties === undefined ? {} : { Properties: chooseIn(Properties, isTrue) }),
    ...(present.length === 0 ? {} : { DependsOn: present }),
  };
}

/** A value with each Fn::If replaced by the alternative that applies; AWS::NoValue leaves its entry out. */
function choose(value: JsonValue, isTrue: IsTrue): JsonValue {
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item) => choose(item, isTrue)).filter((item) => !isNoValue(item));
  }
  if (!isObject(value)) return value;
  const alternatives = value["Fn::If"];
  if (!Array.isArray(alternatives)) return chooseIn(value, isTrue);
  const [condition, yes, no] = alternatives as readonly JsonValue[];
  return choose((isTrue(String(condition)) ? yes : no) ?? null, isTrue);
}

function chooseIn(object: JsonObject, isTrue: IsTrue): JsonObject {
  const entries = Object.entries(object)
    .filter((entry): entry is [string, JsonValue] => entry[1] !== undefined)
    .map(([key, item]) => [key, choose(item, isTrue)] as const);
  return Object.fromEntries(entries.filter(([, item]) => !isNoValue(item)));
}

function isNoValue(value: JsonValue): boolean {
  return isObject(value) && value["Ref"] === "AWS::NoValue";
}
