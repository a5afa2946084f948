// Whether the variant of the proxy's image is misspelt. A build of your own may have any name: none is an error.

import { type JsonValue, nearestName, valueAt } from "@outrigger/base";
import type { MeshConfig } from "@outrigger/mesh";
import { locateYaml } from "@outrigger/yaml";
import { DEFAULT_TYPE, KNOWN_TYPES } from "../../render/proxy-image.ts";
import type { ReadLayer } from "../read/read-tree.ts";
import { type SourceText, settingFile } from "../read/source-text.ts";
import type { TreeFinding } from "../tree-finding.ts";

const KNOWN = [...KNOWN_TYPES, DEFAULT_TYPE];
/** No slip makes more edits. */
const SLIP = 2;

const VALUE = ["global", "variant"];
const FIELD = ["defaultConfig", "image", "imageType"];

/**
 * Adds a warning for each variant that is a slip away from one of Istio's: in the values, of which the last counts, and in the mesh.
 *
 * @param own the tree that is edited, without the layers below it
 */
export function checkVariant(own: ReadLayer | undefined, mesh: MeshConfig | undefined, warnings: TreeFinding[]): void {
  const file = settingFile(own?.values ?? [], VALUE);
  check("values.", VALUE, file?.value, file);
  check("", FIELD, mesh, own?.mesh === undefined ? undefined : { path: "mesh", text: own.mesh });

  function check(
    prefix: string,
    steps: readonly string[],
    value: JsonValue | undefined,
    file: Pick<SourceText, "path" | "text"> | undefined,
  ): void {
    const variant = valueAt(value, steps);
    const meant = meantVariant(variant);
    if (file === undefined || meant === undefined) return;
    const message = `${prefix}${steps.join(".")} is "${variant}": Istio publishes no such variant of its images, did you mean "${meant}"`;
    warnings.push({ severity: "warning", path: file.path, ...locateYaml(file.text, steps, "value"), message });
  }
}

function meantVariant(value: JsonValue | undefined): string | undefined {
  return typeof value !== "string" || value === "" || KNOWN.includes(value)
    ? undefined
    : nearestName(value, KNOWN, SLIP);
}
