// Owns conditions that are known when a template is made: what is not wanted is left out of it, and not only switched off.
// A service would check the empty domain of a resource that it never makes. Pure: a template in, a template out.

/** The template without `Conditions`, and without the resources, outputs and alternatives that they rule out. */
export function settleConditions({ Conditions = {}, Resources, Outputs = {}, ...rest }) {
  const settled = (condition) => {
    if (!Object.hasOwn(Conditions, condition)) throw new Error(`There is no condition ${JSON.stringify(condition)}`);
    return isTrue(Conditions[condition], settled);
  };
  const wanted = pick(Resources, settled);
  const resources = Object.entries(wanted).map(([id, resource]) => [
    id,
    withoutAbsent(choose(resource, settled), wanted),
  ]);
  return { ...rest, Resources: Object.fromEntries(resources), Outputs: choose(pick(Outputs, settled), settled) };
}

function isTrue(condition, settled) {
  const [[operator, operands]] = Object.entries(condition);
  if (operator === "Fn::Equals") return String(operands[0]) === String(operands[1]);
  if (operator === "Fn::Not") return !isTrue(operands[0], settled);
  if (operator === "Fn::And") return operands.every((operand) => isTrue(operand, settled));
  if (operator === "Fn::Or") return operands.some((operand) => isTrue(operand, settled));
  if (operator === "Condition") return settled(operands);
  throw new Error(`Cannot settle a condition with ${operator}`);
}

function pick(entries, settled) {
  const isWanted = ([, { Condition }]) => Condition === undefined || settled(Condition);
  const plain = ([id, { Condition: _settled, ...entry }]) => [id, entry];
  return Object.fromEntries(Object.entries(entries).filter(isWanted).map(plain));
}

/** A value with each Fn::If replaced by what it comes to. An alternative of nothing leaves its place out. */
function choose(value, settled) {
  if (Array.isArray(value)) return value.map((item) => choose(item, settled)).filter((item) => !isNothing(item));
  if (value === null || typeof value !== "object") return value;
  if (Object.hasOwn(value, "Fn::If")) {
    const [condition, yes, no] = value["Fn::If"];
    return choose(settled(condition) ? yes : no, settled);
  }
  const entries = Object.entries(value).map(([key, item]) => [key, choose(item, settled)]);
  return Object.fromEntries(entries.filter(([, item]) => !isNothing(item)));
}

function isNothing(value) {
  return value?.Ref === "AWS::NoValue";
}

function withoutAbsent({ DependsOn, ...resource }, wanted) {
  if (DependsOn === undefined) return resource;
  const present = [DependsOn].flat().filter((id) => Object.hasOwn(wanted, id));
  return present.length === 0 ? resource : { ...resource, DependsOn: present };
}
