// A container name that is in two lists of the author's pod. The API server rejects such a pod; an injection would merge
// the same overlay into both containers first, and the API server's message would then name neither place.

import { OutriggerError } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { containerNames } from "../keys.ts";

/**
 * Checks the author's containers for the proxy.
 *
 * @throws OutriggerError `pod-invalid` that names both places
 */
export function assertOneList({ spec }: Pod): void {
  const isProxy = ({ name }: { readonly name: string }) => name === containerNames.proxy;
  const init = spec?.initContainers?.findIndex(isProxy) ?? -1;
  if (init === -1) return;
  const main = spec?.containers?.findIndex(isProxy) ?? -1;
  if (main === -1) return;
  const places = [`spec.containers[${main}]`, `spec.initContainers[${init}]`] as const;
  throw new OutriggerError(
    "pod-invalid",
    `Container ${containerNames.proxy} is in two lists, ${places[0]} and ${places[1]}: remove one of them`,
    { path: places[1] },
  );
}
