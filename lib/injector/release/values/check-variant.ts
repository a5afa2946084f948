// Warns of a variant of the proxy's image that is misspelt, wherever a tree sets one.

import { type JsonValue, valueAt } from "@outrigger/base";
import type { MeshConfig, ProxyConfigResource } from "@outrigger/mesh";
import { locateYaml } from "@outrigger/yaml";
import { variantProblem } from "../../render/near-variant.ts";
import type { ReadLayer } from "../read/read-tree.ts";
import { type SourceText, settingFile } from "../read/source-text.ts";
import type { TreeFinding } from "../tree-finding.ts";

const VALUE = ["global", "variant"];
const FIELD = ["defaultConfig", "image", "imageType"];

/** The tree that is edited, without the layers below it. */
interface Own {
  readonly layer: ReadLayer | undefined;
  readonly mesh: MeshConfig | undefined;
  readonly proxyConfigs: readonly ProxyConfigResource[] | undefined;
}

/** Adds a warning for each misspelt variant: in the values, of which the last counts, in the mesh and in ProxyConfig resources. */
export function checkVariant({ layer, mesh, proxyConfigs = [] }: Own, warnings: TreeFinding[]): void {
  const file = settingFile(layer?.values ?? [], VALUE);
  check("values.", VALUE, file?.value, file);
  check("", FIELD, mesh, layer?.mesh === undefined ? undefined : { path: "mesh", text: layer.mesh });
  for (const { name, namespace, settings } of proxyConfigs) {
    const problem = variantProblem(valueAt(settings, ["image", "imageType"]));
    if (problem === undefined) continue;
    const message = `ProxyConfig ${JSON.stringify(name)} of namespace ${JSON.stringify(namespace)}: spec.image.imageType ${problem}`;
    warnings.push({ severity: "warning", path: "proxyconfigs", message });
  }

  function check(
    prefix: string,
    steps: readonly string[],
    value: JsonValue | undefined,
    file: Pick<SourceText, "path" | "text"> | undefined,
  ): void {
    const problem = variantProblem(valueAt(value, steps));
    if (file === undefined || problem === undefined) return;
    const message = `${prefix}${steps.join(".")} ${problem}`;
    warnings.push({ severity: "warning", path: file.path, ...locateYaml(file.text, steps, "value"), message });
  }
}
