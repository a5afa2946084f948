// What the branches of a release's templates write, whether or not a sample takes them.
import type { FieldPath, JsonValue } from "@outrigger/base";
import { branchOverlays } from "@outrigger/template";
import type { Injector } from "../../injector.ts";
import { constantRoots } from "../../render/template-data.ts";
import { injectionHelpers } from "../../render/template-helpers.ts";
import type { Release } from "../release.ts";
import { treePath } from "../source-tree.ts";

/** What a template writes on one way through its branches. */
export interface TemplateBranches {
  /** A value that depends on the pod is `UNKNOWN` of @outrigger/template. */
  readonly overlay: JsonValue;
  /** The line of the tree that writes a field. */
  locate(steps: FieldPath): { readonly path: string; readonly line: number; readonly column: number };
}

/**
 * The overlays of a template that together take each of its branches, but for those that values and mesh configuration rule out.
 *
 * @param injector the release, loaded
 * @param name of a template of the release
 */
export function templateBranches(release: Release, injector: Injector, name: string): readonly TemplateBranches[] {
  const query = { compiled: release.templates, helpers: injectionHelpers, constants: constantRoots(injector), name };
  return branchOverlays(query).map(({ overlay, locate }) => ({
    overlay,
    locate: (steps) => {
      const { source, line, column } = locate(steps);
      return { path: treePath(source), line, column };
    },
  }));
}
