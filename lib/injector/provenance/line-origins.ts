// The origins of the lines of a pod's YAML: what an editor shows next to them.

import type { JsonObject, JsonValue } from "@outrigger/base";
import { lineIndex } from "@outrigger/base";
import { formatYaml, type LocatedNode, readYamlTree } from "@outrigger/yaml";
import { injectPod } from "../inject-pod.ts";
import type { InjectRequest } from "../inject-request.ts";
import type { Origin, Origins } from "./origin.ts";
import { type TracedInjector, traceInjection } from "./trace-injection.ts";

export interface PodLine {
  readonly text: string;
  readonly origin: Origin;
}

/**
 * The injected pod as YAML, with the origin of each line; undefined for a pod that is not injected.
 *
 * @throws OutriggerError as `injectPod` does
 */
export function tracedLines(traced: TracedInjector, request: InjectRequest): readonly PodLine[] | undefined {
  const result = injectPod(traced.injector, request);
  if (!result.injected) return undefined;
  return podLines(result.pod as JsonObject, traceInjection(traced, request));
}

/** A line belongs to the innermost node that begins on it: with `- name: web`, to the name. */
function podLines(pod: JsonValue, origins: Origins): readonly PodLine[] {
  const text = formatYaml(pod);
  const lines = text.replace(/\n$/, "").split("\n");
  const found = new Array<Origin>(lines.length).fill(origins.own);
  const at = lineIndex(text);
  credit(readYamlTree(text), origins);
  return lines.map((line, index) => ({ text: line, origin: found[index] as Origin }));

  function credit(node: LocatedNode, known: Origins): void {
    for (const { step, keyOffset, node: child } of node.children) {
      const inner = known.children.get(step) ?? known;
      const end = child.children.length === 0 ? Math.max(keyOffset, (child.source?.end ?? 0) - 1) : keyOffset;
      found.fill(inner.own, at(keyOffset).line - 1, at(end).line);
      credit(child, inner);
    }
  }
}
