// An injected pod with its provenance: who wrote each of its nodes, and each line of its YAML, which an editor shows next to it.

import { type JsonObject, type JsonValue, lineIndex } from "@outrigger/base";
import { formatYaml, type LocatedNode, readYamlTree } from "@outrigger/yaml";
import { injectPod } from "../inject-pod.ts";
import type { InjectRequest } from "../inject-request.ts";
import type { Origin, Origins } from "./origin.ts";
import { podOrigins, type TracedInjector } from "./pod-origins.ts";

/** A line of an injected pod's YAML, without its line break. */
export interface PodLine {
  readonly text: string;
  readonly origin: Origin;
}

/** Who wrote an injected pod. */
export interface Trace {
  /** Of every node, in the form of the pod. */
  readonly origins: Origins;
  /** The pod as YAML. */
  readonly lines: readonly PodLine[];
}

/**
 * Injects a pod and finds out who wrote each part of it; undefined for a pod that is not injected.
 *
 * @param traced a loaded release, with the `templates` of the release that it was loaded from
 * @throws OutriggerError as `injectPod` does
 */
export function traceInjection(traced: TracedInjector, request: InjectRequest): Trace | undefined {
  const result = injectPod(traced.injector, request);
  if (!result.injected) return undefined;
  const origins = podOrigins(traced, request);
  return { origins, lines: podLines(result.pod as JsonObject, origins) };
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
