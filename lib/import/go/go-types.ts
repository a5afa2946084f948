// What the Go names in an injection template mean here: the roots of Istio's template data, fields of the Pod by the Pod
// schema, fields of MeshConfig and ProxyConfig by their message tables.

import { defined } from "@outrigger/base";
import { messageType } from "@outrigger/mesh";
import { POD_TYPE, type TypeSchema } from "@outrigger/pod";

/** What is known about a value before a pod is known. */
export type GoType =
  | { readonly kind: "bool" | "string" | "number" | "any" }
  | { readonly kind: "list" | "map"; readonly element: GoType }
  | { readonly kind: "object"; readonly field: (goName: string) => GoField | undefined };

export interface GoField {
  /** The path in the template data, one name or several; empty for a method that gives its own value. */
  readonly path: readonly string[];
  readonly type: GoType;
  /** Go has this value where the field is not set; here it is missing. */
  readonly zero?: "0" | "false";
}

export const BOOL: GoType = { kind: "bool" };
export const STRING: GoType = { kind: "string" };
export const NUMBER: GoType = { kind: "number" };
export const ANY: GoType = { kind: "any" };

function podType(schema: TypeSchema): GoType {
  switch (schema.kind) {
    case "string":
    case "time":
    case "quantity":
      return STRING;
    case "int32":
    case "int64":
      return NUMBER;
    case "boolean":
      return BOOL;
    case "list":
    case "map":
      return { kind: schema.kind, element: schema.element === undefined ? ANY : podType(schema.element) };
    case "object":
      return { kind: "object", field: (name) => podField(schema, name) };
    default:
      return ANY;
  }
}

/** Go's names of fields are the JSON names in another case. */
function podField(schema: TypeSchema, goName: string): GoField | undefined {
  const wanted = goName.toLowerCase();
  for (const [name, { type }] of schema.fields) {
    if (name.toLowerCase() !== wanted) continue;
    const own = podType(type);
    return { path: [name], type: own, ...(NOT_POINTERS.has(name) && defined({ zero: zeroOf(own) })) };
  }
  return undefined;
}

/** Numbers and booleans that are no pointers in Kubernetes' types. */
const NOT_POINTERS: ReadonlySet<string> = new Set(
  `hostNetwork hostPID hostIPC stdin stdinOnce tty
  readOnly containerPort hostPort initialDelaySeconds timeoutSeconds periodSeconds successThreshold
  failureThreshold`.split(/\s+/),
);

function zeroOf({ kind }: GoType): "0" | "false" | undefined {
  if (kind === "number") return "0";
  return kind === "bool" ? "false" : undefined;
}

type Field = Extract<ReturnType<typeof messageType>, { readonly kind: "message" }>["fields"][number];

/** Undefined for what is no message or enum of Istio's. */
function typeOfMessage(name: string): GoType | undefined {
  const found = messageType(name);
  if (found === undefined) return undefined;
  return found.kind === "enum"
    ? ownValueOf(STRING)
    : { kind: "object", field: (goName) => messageField(found.fields, goName) };
}

/** A field, or its getter. */
function messageField(fields: readonly Field[], goName: string): GoField | undefined {
  const names = [goName, ...(goName.startsWith("Get") ? [goName.slice(3)] : [])].map((name) => name.toLowerCase());
  for (const name of names) {
    const field = fields.find(({ protoName }) => protoName.replaceAll("_", "") === name);
    if (field === undefined) continue;
    const type = protoType(field);
    return { path: [field.name], type, ...defined({ zero: zeroOf(type) }) };
  }
  return undefined;
}

const NUMBERS: ReadonlySet<string> = new Set(["int32", "int64", "uint32", "uint64", "float", "double"]);
/** `.GetValue` of a wrapper, `.String` of an enum: their JSON is the value itself. */
export const OWN_VALUE: ReadonlySet<string> = new Set(["GetValue", "Value", "String"]);

function protoType({ type, shape }: Field): GoType {
  const one = protoScalar(type);
  return shape === "one" ? one : { kind: shape, element: one };
}

function protoScalar(type: string): GoType {
  if (type === "string") return STRING;
  if (type === "bool") return BOOL;
  if (NUMBERS.has(type)) return NUMBER;
  const ofIstio = typeOfMessage(type);
  if (ofIstio !== undefined) return ofIstio;
  if (type === "BoolValue") return ownValueOf(BOOL);
  if (type.endsWith("Value") && NUMBERS.has(type.slice(0, -"Value".length).toLowerCase())) return ownValueOf(NUMBER);
  return ownValueOf(ANY);
}

/** A value with methods that give the value itself. */
function ownValueOf(type: GoType): GoType {
  const field = (name: string): GoField | undefined =>
    OWN_VALUE.has(name) ? { path: [], type, ...(name === "GetValue" && defined({ zero: zeroOf(type) })) } : undefined;
  return { kind: "object", field };
}

/** Whether a value of the type is the text or number that its methods give. */
export function isOwnValue(type: GoType): boolean {
  return type.kind === "object" && type.field("String") !== undefined;
}

const METADATA: TypeSchema | undefined = POD_TYPE.fields.get("metadata")?.type;
const SPEC: TypeSchema | undefined = POD_TYPE.fields.get("spec")?.type;

const owner = (name: string): GoField => ({ path: ["owner", name], type: STRING });
const table = (fields: Readonly<Record<string, GoField>>): GoType => ({
  kind: "object",
  field: (name) => (Object.hasOwn(fields, name) ? fields[name] : undefined),
});

const ROOTS: Readonly<Record<string, GoField>> = {
  Values: { path: ["values"], type: ANY },
  ObjectMeta: { path: ["metadata"], type: METADATA === undefined ? ANY : podType(METADATA) },
  Spec: { path: ["spec"], type: SPEC === undefined ? ANY : podType(SPEC) },
  DeploymentMeta: { path: [], type: table({ Name: owner("name"), Namespace: owner("namespace") }) },
  TypeMeta: { path: [], type: table({ Kind: owner("kind"), APIVersion: owner("apiVersion") }) },
  ProxyConfig: { path: ["proxyConfig"], type: typeOfMessage("mesh.ProxyConfig") ?? ANY },
  MeshConfig: { path: ["meshConfig"], type: typeOfMessage("mesh.MeshConfig") ?? ANY },
  Revision: { path: ["revision"], type: STRING },
  NativeSidecars: { path: ["nativeSidecars"], type: BOOL },
  ProxyImage: { path: ["proxyImage"], type: STRING },
  ProxyInitImage: { path: ["proxyInitImage"], type: STRING },
  ProxyUID: { path: ["proxyUID"], type: NUMBER },
  ProxyGID: { path: ["proxyGID"], type: NUMBER },
  InboundTrafficPolicyMode: { path: ["inboundTrafficPolicyMode"], type: STRING },
  CompliancePolicy: { path: ["compliancePolicy"], type: STRING },
};

/** The dot of an injection template: Istio's SidecarTemplateData. */
export const TEMPLATE_DATA: GoType = table(ROOTS);

export const TEMPLATE_DATA_NAMES: readonly string[] = Object.keys(ROOTS);
