// A pod's spec: what its fields require by themselves, and what they say of containers and volumes.
// Mirrors core/validation's ValidatePodSpec.

import { listOf, lookup } from "@outrigger/base";
import type { ObjectMeta, PodResourceClaim, PodSpec } from "../../generated/pod-types.ts";
import { isDnsLabel, isDnsSubdomain, LABEL_FORM, SUBDOMAIN_FORM } from "../../names.ts";
import {
  asNumber,
  asObject,
  asText,
  type Check,
  checkField,
  checkItems,
  checkOneOf,
  checkRange,
  checkUnique,
  isPresent,
  knownItems,
  quote,
  report,
  requireText,
} from "../check.ts";
import { type ContainerContext, checkContainers } from "../containers/containers.ts";
import { checkOverhead, checkPodResources } from "../containers/resources.ts";
import { checkPodSecurity } from "../containers/security-context.ts";
import { checkLabels } from "../metadata/metadata.ts";
import { checkVolumes } from "../volumes/volumes.ts";
import {
  checkAffinity,
  checkReadinessGate,
  checkSchedulingGates,
  checkSpread,
  checkToleration,
  type Labels,
} from "./affinity.ts";
import { checkDns, checkHostAliases, checkOs } from "./os-and-dns.ts";

const RESTART_POLICIES: readonly string[] = ["Always", "OnFailure", "Never", ""];
const PREEMPTION_POLICIES: readonly string[] = ["PreemptLowerPriority", "Never"];
const DEFAULT_GRACE_PERIOD = 30;
const MAX_INT32 = 2 ** 31 - 1;
const MAX_HOSTNAME = 64;
const NO_SPEC = {} as PodSpec;

/** The metadata of the spec's pod, and what both were before the change. */
export interface PodSpecContext {
  readonly metadata: ObjectMeta;
  readonly before: { readonly metadata: ObjectMeta; readonly spec: PodSpec };
}

/**
 * The spec before the change, once for each thing that rules depend on besides their field: where that has changed, it is
 * empty, so that all is checked.
 */
interface KnownSpecs {
  /** For rules of a field alone. */
  readonly before: PodSpec;
  /** For containers, and what is said of them in the spec. */
  readonly inContext: PodSpec;
  /** For volumes, whose claims have names that begin with the pod's. */
  readonly underName: PodSpec;
  /** For rules about pods with the same labels. */
  readonly withLabels: PodSpec;
}

function knownSpecs(spec: PodSpec, { metadata, before }: PodSpecContext): KnownSpecs {
  const inContext = hasSameContext(spec, before.spec) ? before.spec : NO_SPEC;
  return {
    before: before.spec,
    inContext,
    underName: metadata.name === before.metadata.name ? inContext : NO_SPEC,
    withLabels: metadata.labels === before.metadata.labels ? before.spec : NO_SPEC,
  };
}

export function checkPodSpec(spec: PodSpec, check: Check, context: PodSpecContext): void {
  const { metadata } = context;
  const { before, inContext, underName, withLabels } = knownSpecs(spec, context);
  checkVolumes(spec.volumes, underName.volumes, check, metadata);
  checkContainers(spec, inContext, check, contextOf(spec, before));
  checkScalars(spec, before, check);
  if (spec.nodeSelector !== before.nodeSelector)
    checkLabels(spec.nodeSelector, "nodeSelector", before.nodeSelector, check);
  checkPodSecurity(spec, inContext, check);
  checkDns(spec, before, check);
  checkHostAliases(spec, before, check);
  checkScheduling(spec, withLabels, asObject(metadata.labels), check);
  checkItems(check, "tolerations", spec.tolerations, before.tolerations, checkToleration, undefined);
  checkResourceClaims(spec, before, check);
  if (spec.overhead !== before.overhead) checkOverhead(spec, check);
  const isSame = spec.containers === inContext.containers && spec.initContainers === inContext.initContainers;
  if (!isSame || inContext === NO_SPEC) checkPodResources(spec, check);
  checkOs(spec, check);
  checkHostUsers(spec, check);
}

/** Whether what the rules of containers and volumes depend on is as before: where it is not, all are checked. */
function hasSameContext(spec: PodSpec, before: PodSpec): boolean {
  return (
    spec.terminationGracePeriodSeconds === before.terminationGracePeriodSeconds &&
    spec.hostNetwork === before.hostNetwork &&
    spec.hostPID === before.hostPID &&
    spec.hostIPC === before.hostIPC &&
    spec.hostUsers === before.hostUsers &&
    spec.restartPolicy === before.restartPolicy &&
    spec.os === before.os &&
    spec.resourceClaims === before.resourceClaims &&
    spec.resources === before.resources &&
    spec.shareProcessNamespace === before.shareProcessNamespace
  );
}

function contextOf(spec: PodSpec, before: PodSpec): ContainerContext {
  const { terminationGracePeriodSeconds: gracePeriod } = spec;
  const volumes = lookup(listOf(spec.volumes), (volume) => asObject(volume).name);
  const claims = new Set(listOf(spec.resourceClaims).map((claim) => asText(asObject(claim).name)));
  return {
    // An API server stores a negative one as 1.
    gracePeriod: !isPresent(gracePeriod) ? DEFAULT_GRACE_PERIOD : gracePeriod < 0 ? 1 : asNumber(gracePeriod),
    hostNetwork: spec.hostNetwork === true,
    hostUsers: spec.hostUsers !== false,
    restartPolicy: asText(spec.restartPolicy),
    claims,
    findVolume: (name) => volumes.get(name),
    isVolumeGone: isVolumeGone(spec, before),
  };
}

function isVolumeGone(spec: PodSpec, before: PodSpec): boolean {
  if (spec.volumes === before.volumes) return false;
  const isKept = knownItems(spec.volumes);
  return listOf(before.volumes).some((volume, at) => !isKept(volume, at));
}

function checkScalars(spec: PodSpec, before: PodSpec, check: Check): void {
  checkOneOf(check, spec.restartPolicy, RESTART_POLICIES, "restartPolicy");
  if (isPresent(spec.preemptionPolicy))
    checkOneOf(check, spec.preemptionPolicy, PREEMPTION_POLICIES, "preemptionPolicy");
  checkRange(check, spec.activeDeadlineSeconds, 1, MAX_INT32, "activeDeadlineSeconds");
  checkSubdomain(check, spec.serviceAccountName, before.serviceAccountName, "serviceAccountName");
  // The old name of serviceAccountName, which is read when the new one is absent.
  if (asText(spec.serviceAccountName) === "") checkSubdomain(check, spec.serviceAccount, undefined, "serviceAccount");
  checkSubdomain(check, spec.nodeName, before.nodeName, "nodeName");
  checkSubdomain(check, spec.priorityClassName, before.priorityClassName, "priorityClassName");
  checkLabel(check, spec.hostname, before.hostname, "hostname");
  checkLabel(check, spec.subdomain, before.subdomain, "subdomain");
  if (isPresent(spec.runtimeClassName) && !isDnsSubdomain(asText(spec.runtimeClassName))) {
    report(check, "invalid", SUBDOMAIN_FORM, "runtimeClassName");
  }
  if (isPresent(spec.hostnameOverride)) checkHostname(spec, check);
}

function checkSubdomain(check: Check, name: unknown, before: unknown, key: string): void {
  if (!isPresent(name) || name === "" || name === before || isDnsSubdomain(asText(name))) return;
  report(check, "invalid", SUBDOMAIN_FORM, key);
}

function checkLabel(check: Check, name: unknown, before: unknown, key: string): void {
  if (!isPresent(name) || name === "" || name === before || isDnsLabel(asText(name))) return;
  report(check, "invalid", LABEL_FORM, key);
}

/** core/validation: validatePodHostName. */
function checkHostname(spec: PodSpec, check: Check): void {
  const name = asText(spec.hostnameOverride);
  if (spec.setHostnameAsFQDN === true) {
    report(check, "forbidden", "must not be set when setHostnameAsFQDN is true", "hostnameOverride");
  }
  if (spec.hostNetwork === true)
    report(check, "forbidden", "must not be set when hostNetwork is true", "hostnameOverride");
  if (name.length > MAX_HOSTNAME) report(check, "too-long", "must be at most 64 characters", "hostnameOverride");
  if (!isDnsSubdomain(name)) report(check, "invalid", SUBDOMAIN_FORM, "hostnameOverride");
}

function checkScheduling(spec: PodSpec, before: PodSpec, labels: Labels, check: Check): void {
  if (spec.affinity !== before.affinity) checkField(check, "affinity", spec.affinity, checkAffinity, labels);
  checkSpread(spec, before, labels, check);
  checkItems(check, "readinessGates", spec.readinessGates, before.readinessGates, checkReadinessGate, undefined);
  checkSchedulingGates(spec, before, check);
  // core/validation: ValidatePodCreate.
  if (asText(spec.nodeName) !== "" && listOf(spec.schedulingGates).length > 0) {
    report(check, "forbidden", "must not be set while there are schedulingGates", "nodeName");
  }
}

/** core/validation: validatePodResourceClaims. */
function checkResourceClaims(spec: PodSpec, before: PodSpec, check: Check): void {
  const { resourceClaims } = spec;
  if (resourceClaims === before.resourceClaims) return;
  checkItems(check, "resourceClaims", resourceClaims, before.resourceClaims, checkResourceClaim, undefined);
  const message = (name: string) => `must be unique: another claim is named ${quote(name)}`;
  checkUnique(check, "resourceClaims", resourceClaims, ({ name }) => asText(name), message, "name");
}

function checkResourceClaim(claim: PodResourceClaim, check: Check): void {
  const { name, resourceClaimName, resourceClaimTemplateName } = claim;
  if (requireText(check, name, "name") && !isDnsLabel(name)) report(check, "invalid", LABEL_FORM, "name");
  if (isPresent(resourceClaimName) === isPresent(resourceClaimTemplateName)) {
    report(check, "invalid", "must have either a resourceClaimName or a resourceClaimTemplateName");
  }
  for (const key of ["resourceClaimName", "resourceClaimTemplateName"] as const) {
    if (isPresent(claim[key]) && !isDnsSubdomain(asText(claim[key]))) report(check, "invalid", SUBDOMAIN_FORM, key);
  }
}

/** core/validation: validateHostUsers. */
function checkHostUsers(spec: PodSpec, check: Check): void {
  if (spec.hostUsers !== false) return;
  for (const key of ["hostNetwork", "hostPID", "hostIPC"] as const) {
    if (spec[key] === true) report(check, "forbidden", "must not be true when hostUsers is false", key);
  }
}
