// Judges a recorded request by the service's own model: which operation it is, and whether its input has the members, types,
// lengths, patterns and values that the model allows.
import type { Model, RecordedRequest, Shape } from "./model.ts";

export interface Judged {
  /** `ssm:GetParameters`. */
  readonly operation: string;
  readonly faults: readonly string[];
}

/** @param models by service */
export function judgeRequest(request: RecordedRequest, models: Readonly<Record<string, Model>>): Judged {
  const authorization = request.headers.find(([name]) => name.toLowerCase() === "authorization")?.[1] ?? "";
  const signed = /Credential=[^/]+\/\d{8}\/[a-z0-9-]+\/([a-z0-9]+)\/aws4_request/.exec(authorization)?.[1];
  const found = Object.entries(models).find(([, { signingName }]) => signingName === signed);
  if (found === undefined) return { operation: "?", faults: [`no service is called ${signed}`] };
  const [service, model] = found;
  const { name, input } = decode(request, model);
  const operation = Object.hasOwn(model.operations, name) ? model.operations[name] : undefined;
  if (operation === undefined) return { operation: `${service}:${name}`, faults: ["the model has no such operation"] };
  const shape = operation.input === undefined ? { type: "structure", members: {} } : model.shapes[operation.input];
  return { operation: `${service}:${name}`, faults: faultsOf(input, shape as Shape, model, name) };
}

interface Decoded {
  readonly name: string;
  readonly input: unknown;
}

function decode(request: RecordedRequest, model: Model): Decoded {
  const target = headerOf(request, "x-amz-target");
  if (target !== undefined) {
    const [, name = ""] = target.split(".");
    return { name, input: JSON.parse(request.body) };
  }
  return headerOf(request, "content-type")?.startsWith("application/x-www-form-urlencoded")
    ? decodeQuery(request, model)
    : decodeRest(request, model);
}

function headerOf({ headers }: RecordedRequest, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** `Action=…&Version=…&Names.member.1=…`: scalars are enough for what is called. */
function decodeQuery({ body }: RecordedRequest, { apiVersion }: Model): Decoded {
  const { Action: name = "", Version, ...input } = Object.fromEntries(new URLSearchParams(body));
  return { name, input: Version === apiVersion ? input : { "Version is not the model's": Version } };
}

/** The operation whose method and path fit, the one with the longest path; its input from path, query, headers and body. */
function decodeRest(request: RecordedRequest, { operations, shapes }: Model): Decoded {
  const url = new URL(request.url, "http://localhost");
  for (const [name, { http, input: inputName }] of Object.entries(operations)) {
    const names: string[] = [];
    const [path = "", constants = ""] = http.requestUri.split("?");
    const pattern = path.replace(
      /\{(\w+)(\+?)\}/g,
      (_, label: string, isGreedy: string) => `(?<l${names.push(label) - 1}>${isGreedy ? ".+" : "[^/]+"})`,
    );
    // A bucket may be written with a slash at its end.
    const match = new RegExp(`^${pattern}/?$`).exec(url.pathname);
    const constant = [...new URLSearchParams(constants)];
    const isOther = constant.some(([name, value]) => url.searchParams.get(name) !== value);
    if (match === null || http.method !== request.method || isOther) continue;
    const labels = Object.fromEntries(
      names.map((label, at) => [label, decodeURIComponent(match.groups?.[`l${at}`] ?? "")]),
    );
    const shape = shapes[inputName ?? ""] ?? { type: "structure" };
    const known = Object.values(shape.members ?? {}).map(
      ({ location, locationName }) => location === "querystring" && locationName,
    );
    const unknown = [...url.searchParams.keys()].filter(
      (key) => !known.includes(key) && !constant.some(([name]) => name === key),
    );
    const input: Record<string, unknown> = Object.fromEntries(unknown.map((key) => [`?${key}`, ""]));
    for (const [member, { location, locationName = member }] of Object.entries(shape.members ?? {})) {
      const value =
        location === "uri"
          ? labels[locationName]
          : location === "querystring"
            ? (url.searchParams.get(locationName) ?? undefined)
            : location === "header"
              ? headerOf(request, locationName.toLowerCase())
              : member === shape.payload
                ? request.body
                : undefined;
      if (value !== undefined) input[member] = value;
    }
    return { name, input };
  }
  return { name: `${request.method} ${url.pathname}`, input: {} };
}

function faultsOf(value: unknown, shape: Shape, model: Model, path: string): readonly string[] {
  const child = (next: unknown, name: string, place: string) =>
    faultsOf(next, model.shapes[name] as Shape, model, place);
  switch (shape.type) {
    case "structure": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${path} is no structure`];
      const members = shape.members ?? {};
      const missing = (shape.required ?? []).filter((name) => !Object.hasOwn(value, name));
      return [
        ...missing.map((name) => `${path}.${name} is missing`),
        ...Object.entries(value).flatMap(([name, next]) => {
          const member = Object.hasOwn(members, name) ? members[name] : undefined;
          return member === undefined
            ? [`${path} has no member ${name}`]
            : child(next, member.shape, `${path}.${name}`);
        }),
      ];
    }
    case "list":
      if (!Array.isArray(value)) return [`${path} is no list`];
      return [
        ...lengthFaults(value.length, shape, path),
        ...value.flatMap((item, index) => child(item, shape.member?.shape ?? "", `${path}[${index}]`)),
      ];
    case "string":
      if (typeof value !== "string") return [`${path} is no string`];
      return [...lengthFaults(value.length, shape, path), ...textFaults(value, shape, path)];
    case "boolean":
      return typeof value === "boolean" || value === "true" || value === "false" ? [] : [`${path} is no boolean`];
    case "integer":
    case "long":
    case "double":
    case "float": {
      const number = Number(value);
      const isWhole = shape.type === "integer" || shape.type === "long";
      if (Number.isNaN(number) || (isWhole && !Number.isInteger(number))) return [`${path} is no ${shape.type}`];
      return lengthFaults(number, shape, path);
    }
    default:
      return [];
  }
}

function lengthFaults(length: number, { min, max }: Shape, path: string): readonly string[] {
  const isWithin = length >= (min ?? Number.NEGATIVE_INFINITY) && length <= (max ?? Number.POSITIVE_INFINITY);
  return isWithin ? [] : [`${path} is ${length}, and must be ${min} to ${max}`];
}

function textFaults(text: string, { pattern, enum: values }: Shape, path: string): readonly string[] {
  const faults = values !== undefined && !values.includes(text) ? [`${path} is none of ${values}`] : [];
  // Java's expressions; those that are used are JavaScript's as well.
  return pattern !== undefined && !new RegExp(`^(?:${pattern})$`, "u").test(text)
    ? [...faults, `${path} does not match ${pattern}`]
    : faults;
}
