// Whose an annotation or label is that an injection writes: a key without a prefix is the users', by Kubernetes' rule, and every other has
// a controller that may obey it.
import { memoize, metadataKeys } from "@outrigger/base";
import { matchesPattern } from "./patterns.ts";

/** Annotations with a prefix that an injection may write: Istio's own, Outrigger's record, and those that the shipped templates write for other tools. */
export const ISTIO_ANNOTATIONS: readonly string[] = [
  ..."istio.io/* *.istio.io/* prometheus.io/* outrigger/*".split(" "),
  metadataKeys.defaultContainer,
  metadataKeys.defaultLogsContainer,
  metadataKeys.networks,
];

/** Labels with a prefix that an injection may write: Istio's own, and those by which Kubernetes recommends to name an application. */
export const ISTIO_LABELS: readonly string[] = ["istio.io/*", "*.istio.io/*", "app.kubernetes.io/*"];

/** Whether a controller other than Istio's may obey an annotation. */
export const isObeyedElsewhere = ofAnother(ISTIO_ANNOTATIONS);

/** Whether a controller other than Istio's may obey a label: many select by one, and some inject. */
export const isLabelObeyedElsewhere = ofAnother(ISTIO_LABELS);

/** Injections write the same keys into all pods. */
function ofAnother(own: readonly string[]): (key: string) => boolean {
  return memoize((key) => key.includes("/") && !own.some((pattern) => isOf(pattern, key)));
}

/** The prefix is all up to the first slash: `evil.example/a.istio.io/b` is not Istio's. */
function isOf(pattern: string, key: string): boolean {
  const [prefix = "", name = ""] = split(key);
  const [ofPrefix = "", ofName = ""] = split(pattern);
  return matchesPattern(ofPrefix, prefix) && matchesPattern(ofName, name);
}

function split(key: string): readonly string[] {
  const at = key.indexOf("/");
  return [key.slice(0, at), key.slice(at + 1)];
}
