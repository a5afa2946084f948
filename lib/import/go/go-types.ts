// What the Go names in an injection template mean here: the roots of Istio's template data, fields of the Pod by the Pod
// schema, fields of MeshConfig and ProxyConfig by their message tables.

import { entryOf } from "@outrigger/base";
import { messageType } from "@outrigger/mesh";
import { POD_TYPE, type TypeSchema } from "@outrigger/pod";

/** The type of a value, as far as it is known before a pod is. */
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

const NUMBERS: ReadonlySet<string> = new Set(["int32", "int64", "uint32", "uint64", "float", "double"]);

/** @param kind of the Pod schema, or the type of a message's field */
function scalarOf(kind: string): GoType | undefined {
  if (NUMBERS.has(kind)) return NUMBER;
  if (kind === "boolean" || kind === "bool") return BOOL;
  return ["string", "time", "quantity"].includes(kind) ? STRING : undefined;
}

function podType(schema: TypeSchema): GoType {
  const { kind, element } = schema;
  if (kind === "object") return { kind, field: (name) => podField(schema, name) };
  if (kind === "list" || kind === "map") return { kind, element: element === undefined ? ANY : podType(element) };
  return scalarOf(kind) ?? ANY;
}

/** Go's names of fields are the JSON names in another case. */
function podField({ fields }: TypeSchema, goName: string): GoField | undefined {
  const found = [...fields].find(([name]) => name.toLowerCase() === goName.toLowerCase());
  if (found === undefined) return undefined;
  const [name, type] = [found[0], podType(found[1].type)];
  return { path: [name], type, ...(NOT_POINTERS.has(name) && zeroOf(type)) };
}

/** Numbers and booleans that are no pointers in Kubernetes' types. */
const NOT_POINTERS: ReadonlySet<string> = new Set(
  `hostNetwork hostPID hostIPC stdin stdinOnce tty
  readOnly containerPort hostPort initialDelaySeconds timeoutSeconds periodSeconds successThreshold
  failureThreshold`.split(/\s+/),
);

function zeroOf({ kind }: GoType): Pick<GoField, "zero"> {
  if (kind === "number") return { zero: "0" };
  return kind === "bool" ? { zero: "false" } : {};
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
  const named = (name: string) => fields.find(({ protoName }) => protoName.replaceAll("_", "") === name.toLowerCase());
  const field = named(goName) ?? named(goName.replace(/^Get/, ""));
  if (field === undefined) return undefined;
  const one = protoScalar(field.type);
  const type = field.shape === "one" ? one : { kind: field.shape, element: one };
  return { path: [field.name], type, ...zeroOf(type) };
}

/** `.GetValue` of a wrapper, `.String` of an enum: their JSON is the value itself. */
export const OWN_VALUE: ReadonlySet<string> = new Set(["GetValue", "Value", "String"]);

function protoScalar(type: string): GoType {
  const known = scalarOf(type) ?? typeOfMessage(type);
  if (known !== undefined) return known;
  const wrapped = type.endsWith("Value") ? scalarOf(type.slice(0, -"Value".length).toLowerCase()) : undefined;
  return ownValueOf(wrapped ?? ANY);
}

/** A value with methods that give the value itself. */
function ownValueOf(type: GoType): GoType {
  const field = (name: string): GoField | undefined =>
    OWN_VALUE.has(name) ? { path: [], type, ...(name === "GetValue" && zeroOf(type)) } : undefined;
  return { kind: "object", field };
}

/** Whether a value of the type is the text or number that its methods give. */
export function isOwnValue(type: GoType): boolean {
  return type.kind === "object" && type.field("String") !== undefined;
}

const owner = (name: string): GoField => ({ path: ["owner", name], type: STRING });
const table = (fields: Readonly<Record<string, GoField>>): GoType => ({
  kind: "object",
  field: (name) => entryOf(fields, name),
});

const ROOTS: Readonly<Record<string, GoField>> = {
  Values: { path: ["values"], type: ANY },
  ObjectMeta: { path: ["metadata"], type: podField(POD_TYPE, "metadata")?.type ?? ANY },
  Spec: { path: ["spec"], type: podField(POD_TYPE, "spec")?.type ?? ANY },
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
