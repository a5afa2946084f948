// Annotations for the proxy's readiness probe whose rule allows more than a Pod's field holds. They are looked at only
// when the injected pod has been found wrong: a pod whose template does not use them may write in them what it likes.

import { OutriggerError } from "../errors.ts";

const prefix = "readiness.status.sidecar.istio.io/";

/** Throws `annotation-invalid` if the field at `path` of the injected pod was taken from one of them. */
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
