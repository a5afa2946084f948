// What a conformance case is, and how its configuration becomes a source tree and its request a request. Everything
// that runs cases goes through here; nothing here looks at what is expected.
import { defined, isObject, type JsonObject } from "@outrigger/base";
import type { SourceTree } from "@outrigger/injector";
import type { IstioRelease } from "@outrigger/mesh";

export interface ConformanceCase {
  readonly name: string;
  /** The Istio release whose injector expects this; without one, the development line. */
  readonly istio?: IstioRelease;
  readonly door: "webhook" | "kube-inject";
  readonly config: { readonly templates?: Readonly<Record<string, string>> } & JsonObject;
  readonly values: JsonObject;
  readonly meshConfig?: JsonObject;
  readonly environment: CaseEnvironment;
  readonly request: CaseRequest;
  readonly expect: CaseExpectation;
}

interface CaseEnvironment {
  readonly nativeSidecars?: boolean;
  readonly revision?: string;
  readonly compliancePolicy?: string;
  readonly platform?: string;
  readonly namespaceAnnotations?: Readonly<Record<string, string>>;
  readonly proxyConfigs?: readonly JsonObject[];
}

interface CaseRequest {
  readonly namespace?: string;
  readonly path?: string;
  readonly object?: JsonObject;
  readonly manifest?: string;
}

/** The expectation of a case, which what judges a result reads, and never what makes one. */
export interface CaseExpectation {
  readonly allowed?: boolean;
  readonly injected?: boolean;
  readonly pod?: JsonObject;
  readonly documents?: readonly JsonObject[];
  readonly error?: string;
  readonly warnings?: readonly string[];
}

/** Reads a case from JSON. Throws when a part is missing: a case that is only half there proves nothing. */
export function decodeCase(text: string): ConformanceCase {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error("A case is not an object");
  const { name, door, meshConfig } = value;
  if (typeof name !== "string") throw new Error("A case has no name");
  if (door !== "webhook" && door !== "kube-inject") throw new Error(`${name}: door is ${JSON.stringify(door)}`);
  for (const part of ["config", "values", "environment", "request", "expect"]) {
    if (!isObject(value[part])) throw new Error(`${name}: ${part} is not an object`);
  }
  if (meshConfig !== undefined && !isObject(meshConfig)) throw new Error(`${name}: meshConfig is not an object`);
  // The members below these are read one by one, by what uses them.
  return value as JsonObject & ConformanceCase;
}

/** The namespace that the API server would have put into the request. */
export function namespaceOf({ request }: Pick<ConformanceCase, "request">): string {
  return request.namespace ?? "default";
}

/** The case's configuration as a source tree, to lie over the shipped one. */
export function treeOfCase({
  istio = "development",
  config,
  values,
  meshConfig,
  environment,
  request,
}: Omit<ConformanceCase, "expect">): SourceTree {
  const { templates = {}, ...injection } = config;
  const { revision, nativeSidecars, compliancePolicy, platform, proxyConfigs, namespaceAnnotations } = environment;
  const settings = { ...injection, ...defined({ revision, nativeSidecars, compliancePolicy, platform }) };
  const tree: Record<string, string> = {
    // Some expectations are pods that the reference makes and no API server accepts.
    config: JSON.stringify({ istio, ...settings, defaults: "none", compatibility: "reference" }),
    mesh: JSON.stringify(meshConfig ?? {}),
    "values/10-case": JSON.stringify(values),
  };
  for (const [name, text] of Object.entries(templates)) tree[`templates/${name}`] = text;
  if (proxyConfigs !== undefined) tree["proxyconfigs"] = proxyConfigs.map(proxyConfigDocument).join("---\n");
  if (namespaceAnnotations !== undefined) {
    const namespace = namespaceOf({ request });
    tree["namespaces"] = JSON.stringify({ [namespace]: { annotations: namespaceAnnotations } });
  }
  return tree;
}

function proxyConfigDocument(resource: JsonObject): string {
  return `${JSON.stringify({ apiVersion: "networking.istio.io/v1beta1", kind: "ProxyConfig", ...resource })}\n`;
}
