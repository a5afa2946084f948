// The proxy's name in both lists of containers.

import { OutriggerError } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { containerNames } from "../data-plane.ts";

/**
 * Refuses the proxy's name in both lists of the author's pod: an injection would merge the same overlay into both containers, and
 * the API server's message would then name neither place.
 *
 * @throws OutriggerError `pod-invalid` that names both places
 */
export function assertOneList({ spec }: Pod): void {
  const isProxy = ({ name }: { readonly name: string }) => name === containerNames.proxy;
  const init = spec?.initContainers?.findIndex(isProxy) ?? -1;
  if (init === -1) return;
  const main = spec?.containers?.findIndex(isProxy) ?? -1;
  if (main === -1) return;
  const path = `spec.initContainers[${init}]`;
  const message = `Container ${containerNames.proxy} is in two lists, spec.containers[${main}] and ${path}: remove one of them`;
  throw new OutriggerError("pod-invalid", message, { path });
}
