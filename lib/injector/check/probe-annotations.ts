// The annotations that the proxy's readiness probe takes numbers from.

import { annotationError } from "../decide/validate-annotations.ts";

const prefix = "readiness.status.sidecar.istio.io/";

/**
 * Whether the invalid field of an injected pod comes from an annotation for the readiness probe: their rules allow larger numbers
 * than the Pod's fields. Asked only then, as an annotation that no template uses may hold anything.
 *
 * @param path of the invalid field
 * @throws OutriggerError `annotation-invalid` if it does
 */
export function checkProbeAnnotations(annotations: Readonly<Record<string, string>>, path: string): void {
  const field = /\.readinessProbe\.(\w+)$/.exec(path)?.[1];
  const key = `${prefix}${field}`;
  if (field === undefined || !Object.hasOwn(annotations, key)) return;
  const wayOut = `use a whole number from 0 to ${2 ** 31 - 1}`;
  throw annotationError(key, `Annotation ${key} is too large for the probe's ${field}: ${wayOut}`);
}
