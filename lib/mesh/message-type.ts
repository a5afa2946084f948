// What the fields of MeshConfig and ProxyConfig are, for those who translate or describe them.

import { meshSchema } from "./generated/mesh-schema.ts";
import { proxySchema } from "./generated/proxy-schema.ts";
import { fieldsOf, type ProtoField } from "./proto-schema.ts";

export type MessageType =
  | { readonly kind: "message"; readonly fields: readonly ProtoField[] }
  /** JSON has the name of the value. */
  | { readonly kind: "enum" };

/**
 * A message or enum of Istio's configuration by its short name; undefined for any other type, as protobuf's own are.
 *
 * @example
 * ```ts
 * messageType("mesh.Tracing")?.kind // => "message"
 * messageType("mesh.ProxyConfig.TracingServiceName")?.kind // => "enum"
 * messageType("google.protobuf.Duration") // => undefined
 * ```
 */
export function messageType(name: string): MessageType | undefined {
  for (const schema of [proxySchema, meshSchema]) {
    if (Object.hasOwn(schema.messages, name)) return { kind: "message", fields: fieldsOf(schema, name) };
    if (Object.hasOwn(schema.enums, name)) return { kind: "enum" };
  }
  return undefined;
}
