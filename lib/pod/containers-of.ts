// The containers of a pod of any shape, also of one that nobody has checked. Pure.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";

/**
 * Init containers, then containers: what a pod is started with. A name occurs once in both lists.
 *
 * @param spec a pod's; what is no object in it is left out
 */
export function containersOf(spec: unknown): readonly JsonObject[] {
  const { initContainers, containers } = objectOf(spec);
  return [...objectsOf(initContainers), ...objectsOf(containers)];
}
