// Annotations for the proxy's readiness probe whose rule allows larger numbers than the Pod's field. They are checked only
// after the injected pod was found invalid: if a template does not use them, they may hold anything.

import { OutriggerError } from "@outrigger/base";

const prefix = "readiness.status.sidecar.istio.io/";

/**
 * Checks whether the invalid field of an injected pod comes from one of the annotations.
 *
 * @param path of the invalid field
 * @throws OutriggerError `annotation-invalid` if it does
 */
export function checkProbeAnnotations(annotations: Readonly<Record<string, string>>, path: string): void {
  const field = /\.readinessProbe\.(\w+)$/.exec(path)?.[1];
  const key = `${prefix}${field}`;
  if (field === undefined || !Object.hasOwn(annotations, key)) return;
  throw new OutriggerError(
    "annotation-invalid",
    `Annotation ${key} is too large for the probe's ${field}: use a whole number from 0 to ${2 ** 31 - 1}`,
    { path: `metadata.annotations["${key}"]` },
  );
}
