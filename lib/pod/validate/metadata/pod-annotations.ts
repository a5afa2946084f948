// Annotations that mean something to the API server: the old ones for seccomp, AppArmor and tolerations, and others.
import { isObject, listOf, metadataKeys, parseJson } from "@outrigger/base";
import type { Container, ObjectMeta, Pod, PodSpec, SeccompProfile, Toleration } from "../../generated/pod-types.ts";
import { DESCENDING_PATH } from "../../names.ts";
import { containersOf } from "../../read-object.ts";
import { type Check, invalid, quote, report } from "../check.ts";
import { asObject, asText, isPresent } from "../go-values.ts";
import { checkToleration } from "../spec/affinity.ts";

const PLACE = ["metadata", "annotations"] as const;
const MIRROR = metadataKeys.mirrorPod;
const TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations";
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";
const APPARMOR_CONTAINER = "container.apparmor.security.beta.kubernetes.io/";
const LOCALHOST = "localhost/";
const MAX_INT32 = 2 ** 31 - 1;

type Annotations = NonNullable<ObjectMeta["annotations"]>;

/** core/validation: ValidatePodSpecificAnnotations, and that old annotations agree with the fields that replace them. */
export function checkPodAnnotations(pod: Pod, check: Check): void {
  const annotations = asObject(asObject(pod.metadata).annotations);
  const spec = asObject(pod.spec) as PodSpec;
  checkKnown(annotations, spec, check);
  let isOld = false;
  for (const key in annotations) {
    if (!key.startsWith("container.") && key !== SECCOMP_POD) continue;
    isOld = checkOld(key, asText(annotations[key]), spec, check) || isOld;
  }
  if (isOld) checkAgreement(annotations, spec, check);
}

function checkKnown(annotations: Annotations, spec: PodSpec, check: Check): void {
  if (annotations[MIRROR] !== undefined) {
    if (asText(spec.nodeName) === "") invalid(check, "needs spec.nodeName", ...PLACE, MIRROR);
    if (listOf(spec.resourceClaims).length > 0) {
      report(check, "forbidden", "must not be set for a mirror pod", "spec", "resourceClaims");
    }
    if (asText(spec.serviceAccountName) === "" && asText(spec.serviceAccount) === "") forbidTokens(spec, check);
  }
  const cost = annotations[DELETION_COST];
  const isWrong = cost !== undefined && !isInt32(asText(cost));
  if (isWrong) invalid(check, "must be a 32-bit integer", ...PLACE, DELETION_COST);
  const tolerations = asText(annotations[TOLERATIONS]);
  if (tolerations !== "") checkTolerations(tolerations, check);
}

/** core/validation: validatePodMetadataAndSpec. Mirror pods are the only ones that are not given a service account. */
function forbidTokens(spec: PodSpec, check: Check): void {
  for (const [at, volume] of listOf(spec.volumes).entries()) {
    for (const [index, source] of listOf(asObject(asObject(volume).projected).sources).entries()) {
      if (!isPresent(asObject(source).serviceAccountToken)) continue;
      const keys = ["spec", "volumes", at, "projected", "sources", index, "serviceAccountToken"];
      report(check, "forbidden", "must not be set for a mirror pod without a serviceAccountName", ...keys);
    }
  }
}

/** core/helper: GetDeletionCostFromPodAnnotations. */
function isInt32(text: string): boolean {
  const number = Number(text);
  return /^(?:0|-\d+|[1-9]\d*)$/.test(text) && number >= -MAX_INT32 - 1 && number <= MAX_INT32;
}

/** core/validation: ValidateTolerationsInPodAnnotations. */
function checkTolerations(text: string, check: Check): void {
  const tolerations = parseJson(text);
  if (tolerations === null) return;
  if (!Array.isArray(tolerations) || !tolerations.every((each) => each === null || isObject(each))) {
    invalid(check, "must be a list of tolerations as JSON", ...PLACE, TOLERATIONS);
    return;
  }
  check.steps.push(...PLACE, TOLERATIONS);
  for (const each of tolerations) checkToleration((each ?? {}) as Toleration, check, undefined);
  check.steps.length -= 3;
}

/** core/validation: ValidateSeccompPodAnnotations and ValidateAppArmorPodAnnotations. True for an annotation of these. */
function checkOld(key: string, profile: string, spec: PodSpec, check: Check): boolean {
  const isAppArmor = key.startsWith(APPARMOR_CONTAINER);
  if (!isAppArmor && key !== SECCOMP_POD && !key.startsWith(SECCOMP_CONTAINER)) return false;
  const isLocal = profile.startsWith(LOCALHOST);
  if (isAppArmor) {
    const name = key.slice(APPARMOR_CONTAINER.length);
    if (!containersOf(spec).some((container) => container["name"] === name)) {
      invalid(check, `must name a container, not ${quote(name)}`, ...PLACE, key);
    }
    if (isLocal || profile === "" || profile === "runtime/default" || profile === "unconfined") return true;
  } else if (isLocal ? DESCENDING_PATH.has(profile.slice(LOCALHOST.length)) : SECCOMP_PROFILES.includes(profile))
    return true;
  invalid(check, "must be runtime/default, unconfined or localhost/PROFILE", ...PLACE, key);
  return true;
}

const SECCOMP_PROFILES: readonly string[] = ["runtime/default", "docker/default", "unconfined"];

/** core/validation: validateSeccompAnnotationsAndFields and validateAppArmorAnnotationsAndFieldsMatchOnCreate. */
function checkAgreement(annotations: Annotations, spec: PodSpec, check: Check): void {
  const podContext = asObject(spec.securityContext);
  if (!agrees(annotations[SECCOMP_POD], podContext.seccompProfile)) {
    report(check, "forbidden", DISAGREES, "spec", "securityContext", "seccompProfile", "type");
  }
  const isWindows = spec.os?.name === "windows";
  for (const field of ["initContainers", "containers"] as const) {
    for (const [at, each] of listOf(spec[field]).entries()) {
      const { name, securityContext } = asObject(each) as Container;
      const context = asObject(securityContext);
      if (!agrees(annotations[SECCOMP_CONTAINER + name], context.seccompProfile)) {
        report(check, "forbidden", DISAGREES, "spec", field, at, "securityContext", "seccompProfile", "type");
      }
      const annotation = annotations[APPARMOR_CONTAINER + name];
      // Without a profile of its own, a container takes the annotation's; one that means nothing leaves it the pod's.
      const profile =
        context.appArmorProfile ?? (isAppArmorProfile(annotation) ? undefined : podContext.appArmorProfile);
      if (isWindows || agrees(annotation, profile)) continue;
      report(check, "forbidden", DISAGREES, "spec", field, at, "securityContext", "appArmorProfile", "type");
    }
  }
}

const DISAGREES = "must agree with the annotation for it: remove the annotation";

function isAppArmorProfile(annotation: string | undefined): boolean {
  if (annotation === "unconfined" || annotation === "runtime/default") return true;
  return asText(annotation).startsWith(LOCALHOST) && annotation !== LOCALHOST;
}

/**
 * Whether an annotation and a field mean the same profile. docker/default is the old name of seccomp's runtime/default.
 * AppArmor never had it, and refuses it above.
 */
function agrees(annotation: string | undefined, profile: SeccompProfile | null | undefined): boolean {
  if (annotation === undefined || !isPresent(profile)) return true;
  if (profile.type === "Unconfined") return annotation === "unconfined";
  if (profile.type === "RuntimeDefault") return annotation === "runtime/default" || annotation === "docker/default";
  return profile.type !== "Localhost" || annotation === LOCALHOST + asText(profile.localhostProfile);
}
