// A pod's spec: what its fields require by themselves, and what they say of containers and volumes.
// Mirrors core/validation's ValidatePodSpec.
import { listOf, lookup } from "@outrigger/base";
import type { ObjectMeta, PodSpec } from "../../generated/pod-types.ts";
import { DNS_LABEL, DNS_NAME, QUALIFIED_NAME } from "../../names.ts";
import { type Check, invalid, knownItems, quote, report } from "../check.ts";
import { type ContainerContext, checkContainers } from "../containers/containers.ts";
import { checkPodResources } from "../containers/pod-resources.ts";
import { checkOverhead } from "../containers/resources.ts";
import { checkPodSecurity } from "../containers/security-context.ts";
import {
  always,
  atMost,
  checkForm,
  fields,
  items,
  itemsIn,
  objectIn,
  ofForm,
  oneOf,
  optional,
  range,
  required,
  unique,
} from "../fields.ts";
import { asNumber, asObject, asText, isPresent } from "../go-values.ts";
import { checkLabels } from "../metadata/metadata.ts";
import { checkVolumes } from "../volumes/volumes.ts";
import { checkAffinity, checkConstraint, checkToleration, type Labels } from "./affinity.ts";
import { checkDns, checkHostAlias, checkOs } from "./os-and-dns.ts";

const DEFAULT_GRACE_PERIOD = 30;
const MAX_INT32 = 2 ** 31 - 1;
const NO_SPEC = {} as PodSpec;

/** The rule that each field must meet by itself. */
const checkFields = fields<PodSpec>({
  restartPolicy: oneOf("Always", "OnFailure", "Never", ""),
  preemptionPolicy: oneOf("PreemptLowerPriority", "Never"),
  activeDeadlineSeconds: range(1, MAX_INT32),
  serviceAccountName: optional(DNS_NAME),
  nodeName: optional(DNS_NAME),
  priorityClassName: optional(DNS_NAME),
  hostname: optional(DNS_LABEL),
  subdomain: optional(DNS_LABEL),
  runtimeClassName: ofForm(DNS_NAME),
  hostnameOverride: [ofForm(DNS_NAME), atMost(64)],
  nodeSelector: checkLabels,
  hostAliases: items(checkHostAlias),
  // core/validation: validateReadinessGates and validateSchedulingGates.
  readinessGates: items({ conditionType: always(QUALIFIED_NAME) }),
  schedulingGates: [
    items({ name: always(QUALIFIED_NAME) }),
    unique("name", (name) => `${quote(name)} is listed twice`),
  ],
  tolerations: items(checkToleration),
  // core/validation: validatePodResourceClaims.
  resourceClaims: [
    items(
      { name: required(DNS_LABEL), resourceClaimName: ofForm(DNS_NAME), resourceClaimTemplateName: ofForm(DNS_NAME) },
      ({ resourceClaimName, resourceClaimTemplateName }, check) => {
        if (isPresent(resourceClaimName) !== isPresent(resourceClaimTemplateName)) return;
        invalid(check, "must have either a resourceClaimName or a resourceClaimTemplateName");
      },
    ),
    unique("name", (name) => `must be unique: another claim is named ${quote(name)}`),
  ],
  overhead: checkOverhead,
});

/** The rules that depend on the pod's labels too. */
const checkPlacement = fields<PodSpec, Labels>({
  affinity: objectIn(checkAffinity),
  topologySpreadConstraints: [
    itemsIn(checkConstraint),
    unique(
      ({ topologyKey, whenUnsatisfiable }) => `${asText(topologyKey)}, ${asText(whenUnsatisfiable)}`,
      (pair) => `must be unique: another constraint has the same topologyKey and whenUnsatisfiable: ${quote(pair)}`,
    ),
  ],
});

/** The pod before the change. */
type Before = { readonly metadata: ObjectMeta; readonly spec: PodSpec };

export function checkPodSpec(spec: PodSpec, check: Check, metadata: ObjectMeta, before: Before): void {
  // What a rule depends on besides its field may have changed: then nothing of that is known from before.
  const inContext = hasSameContext(spec, before.spec) ? before.spec : NO_SPEC;
  const withLabels = metadata.labels === before.metadata.labels ? before.spec : NO_SPEC;
  // The names of volumes' own claims begin with the pod's.
  const underName = metadata.name === before.metadata.name ? inContext : NO_SPEC;
  checkVolumes(spec, check, metadata, underName);
  checkContainers(spec, inContext, check, contextOf(spec, before.spec));
  checkFields(spec, check, undefined, before.spec);
  checkNames(spec, check);
  checkPodSecurity(spec, inContext, check);
  checkDns(spec, before.spec, check);
  checkPlacement(spec, check, asObject(metadata.labels), withLabels);
  const isSame = spec.containers === inContext.containers && spec.initContainers === inContext.initContainers;
  if (!isSame || inContext === NO_SPEC) checkPodResources(spec, check);
  checkOs(spec, check);
}

/** Whether what the rules of containers and volumes depend on is as before: where it is not, all are checked. */
function hasSameContext(spec: PodSpec, before: PodSpec): boolean {
  const isSame = (key: keyof PodSpec) => spec[key] === before[key];
  return OWN_CONTEXT.every(isSame) && HOST_CONTEXT.every(isSame);
}

const OWN_CONTEXT = ["terminationGracePeriodSeconds", "restartPolicy", "os", "resourceClaims", "resources"] as const;
const HOST_CONTEXT = ["hostNetwork", "hostPID", "hostIPC", "hostUsers", "shareProcessNamespace"] as const;

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

/** Checks names in fields that depend on each other. */
function checkNames(spec: PodSpec, check: Check): void {
  // The old name of serviceAccountName, which is read when the new one is absent.
  const account = asText(spec.serviceAccount);
  if (account !== "" && asText(spec.serviceAccountName) === "") checkForm(check, account, DNS_NAME, "serviceAccount");
  // core/validation: validatePodHostName.
  if (isPresent(spec.hostnameOverride)) {
    for (const key of ["setHostnameAsFQDN", "hostNetwork"] as const) {
      if (spec[key] === true) report(check, "forbidden", `must not be set when ${key} is true`, "hostnameOverride");
    }
  }
  // core/validation: ValidatePodCreate.
  if (asText(spec.nodeName) !== "" && listOf(spec.schedulingGates).length > 0) {
    report(check, "forbidden", "must not be set while there are schedulingGates", "nodeName");
  }
  // core/validation: validateHostUsers.
  if (spec.hostUsers !== false) return;
  for (const key of ["hostNetwork", "hostPID", "hostIPC"] as const) {
    if (spec[key] === true) report(check, "forbidden", "must not be true when hostUsers is false", key);
  }
}
