// A release: everything that injection needs, compiled and validated, as plain JSON. Parameter Store keeps it, the
// artifact contains it and every entry point loads it. It holds no function and does not name its source.

import type { CompiledShape, CompiledTemplates } from "@outrigger/template";
import type { Injector } from "../injector.ts";

/** Version of the form of a release. `loadRelease` rejects any other, and the previous release keeps serving. */
export const RELEASE_FORMAT = 2;

type Parts = Pick<Injector, "config" | "values" | "meshConfig" | "proxyConfigs" | "namespaceAnnotations">;

/** A source tree, compiled: plain JSON, the same for every store. `compileRelease` makes it, `loadRelease` serves it. */
export interface Release extends Parts {
  readonly format: number;
  readonly templates: CompiledTemplates;
  /** Shapes of the sample pods, so that a cold start parses no YAML. */
  readonly shapes: readonly CompiledShape[];
  /** Literal names in the templates: containers and volumes that an injection may have added. */
  readonly injectableNames: readonly string[];
  /** Warnings from compiling it. */
  readonly warnings: readonly string[];
}
