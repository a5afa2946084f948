// The pod's own record of the injection: status, network, and the annotations that the configuration adds to all.

import type { Pod } from "../../kube/pod-types.ts";
import type { Injection } from "../injector.ts";
import { annotationKeys, labelKeys } from "../keys.ts";
import { withAnnotations, withMetadata } from "../pod-edit.ts";
import { formatStatus } from "../status.ts";

const networkVariable = "ISTIO_META_NETWORK";

export function setMetadata(pod: Pod, { injector, environment, revision, adopted }: Injection, overlay: Pod): Pod {
  const annotated = withAnnotations(pod, {
    [annotationKeys.status]: formatStatus(overlay.spec ?? {}, revision, adopted),
    ...injector.config.injectedAnnotations,
  });
  const network = environment[networkVariable];
  if (network === undefined || network === annotated.metadata?.labels?.[labelKeys.network]) return annotated;
  return withMetadata(annotated, { labels: { ...annotated.metadata?.labels, [labelKeys.network]: network } });
}
