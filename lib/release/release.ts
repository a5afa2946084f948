// A release: everything that injecting needs, compiled and validated, as plain JSON. It is what Parameter Store keeps,
// what the artifact carries and what every door loads; it holds no function and names no place it came from.

import type { InjectionConfig } from "../inject/injector.ts";
import type { JsonObject } from "../json.ts";
import type { MeshConfig } from "../mesh/mesh-config.ts";
import type { ProxyConfigResource } from "../mesh/proxy-config-resources.ts";
import type { CompiledTemplates } from "../template/compiled-templates.ts";
import type { CompiledShape } from "../template/shape/shape.ts";

/** Version of the release's form; a loader refuses any other, and the release before it keeps serving. */
export const RELEASE_FORMAT = 1;

export interface Release {
  readonly format: number;
  readonly config: InjectionConfig;
  readonly values: JsonObject;
  readonly meshConfig: MeshConfig;
  readonly proxyConfigs: readonly ProxyConfigResource[];
  /** Namespace → its annotations. */
  readonly namespaceAnnotations: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly templates: CompiledTemplates;
  /** Shapes of the sample pods, so that a cold start parses no YAML. */
  readonly shapes: readonly CompiledShape[];
  /** Names that the templates spell out: containers and volumes that may be an injection's. */
  readonly injectableNames: readonly string[];
  /** What was noticed when it was compiled and does not keep it from serving. */
  readonly warnings: readonly string[];
}
