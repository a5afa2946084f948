// Containers: what each requires, and what their lists must agree on.
// Mirrors core/validation's validateContainers, validateInitContainers and validateContainerCommon.
import { listOf, lookup } from "@outrigger/base";
import type { Container, PodSpec } from "../../generated/pod-types.ts";
import { DNS_LABEL } from "../../names.ts";
import { type Check, checkField, invalid, isFull, knownItems, quote, report } from "../check.ts";
import {
  atMostItems,
  fields,
  items,
  itemsIn,
  object,
  objectIn,
  oneOf,
  PRESENT,
  required,
  requiredOneOf,
  unique,
} from "../fields.ts";
import { asObject, asText, isPresent } from "../go-values.ts";
import type { ListKey } from "./env-and-ports.ts";
import { checkEnvFrom, checkEnvVar, checkEnvVolumes, checkHostPorts, checkPorts } from "./env-and-ports.ts";
import { checkMounts, type FindVolume } from "./mounts.ts";
import { checkProbes, forbidProbes } from "./probes.ts";
import { checkClaims, checkResources } from "./resources.ts";
import { checkSecurityContext, isPadded } from "./security-context.ts";

const NO_CONTAINER = {} as Container;

/** The pod's part of the rules of its containers. */
export interface ContainerContext {
  readonly gracePeriod: number;
  readonly hostNetwork: boolean;
  readonly hostUsers: boolean;
  readonly restartPolicy: string;
  /** Names of the pod's resource claims. */
  readonly claims: ReadonlySet<string>;
  readonly findVolume: FindVolume;
  /** Whether a mount that is as before may have lost its volume. */
  readonly isVolumeGone: boolean;
}

/** @param before the pod's own containers, or none when their context has changed */
export function checkContainers(spec: PodSpec, before: PodSpec, check: Check, context: ContainerContext): void {
  if (listOf(spec.containers).length === 0) report(check, "required", "must have at least one container", "containers");
  for (const key of LISTS) checkList(key, spec, before, check, context);
  const seen = new Set<string>();
  for (const key of LISTS) checkNames(key, listOf(spec[key]), seen, check);
  for (const key of LISTS) checkHostPorts(key, spec, check);
  // core/validation: ValidatePodCreate. They are added to pods that run.
  if (listOf(spec.ephemeralContainers).length > 0) {
    report(check, "forbidden", "must not be set when a pod is created", "ephemeralContainers");
  }
}

const LISTS: readonly ListKey[] = ["containers", "initContainers"];

function checkList(key: ListKey, spec: PodSpec, before: PodSpec, check: Check, context: ContainerContext): void {
  const [containers, old] = [listOf(spec[key]), before[key]];
  const isSame = spec[key] === old && !context.isVolumeGone;
  if (isSame || containers.length === 0) return;
  const isKnown = knownItems(old);
  // Containers are known by their names: what is injected shifts them. The first of a name counts.
  const named = lookup(listOf(old), (each) => asObject(each).name);
  check.steps.push(key);
  for (let at = 0; at < containers.length && !isFull(check); at++) {
    const container = asObject(containers[at]) as Container;
    const isSameContainer = isKnown(containers[at], at);
    if (isSameContainer && !context.isVolumeGone) continue;
    check.steps.push(at);
    if (isSameContainer) {
      checkMounts(container, NO_CONTAINER, context.findVolume, check);
      checkEnvVolumes(listOf(container.env), check, context.findVolume);
    } else checkContainer(key, container, asObject(named.get(container.name)), check, context);
    check.steps.pop();
  }
  check.steps.pop();
}

function checkContainer(
  key: ListKey,
  container: Container,
  before: Container,
  check: Check,
  context: ContainerContext,
): void {
  checkFields(container, check, context, before);
  if (container.env !== before.env || context.isVolumeGone) {
    checkEnvVolumes(listOf(container.env), check, context.findVolume);
  }
  checkMounts(container, context.isVolumeGone ? NO_CONTAINER : before, context.findVolume, check);
  // core/validation: validateHostUsers.
  if (!context.hostUsers && listOf(container.volumeDevices).length > 0) {
    report(check, "forbidden", "must not be set when spec.hostUsers is false", "volumeDevices");
  }
  checkPorts(container, check, context.hostNetwork && key === "containers", before);
  const isSidecar = container.restartPolicy === "Always";
  const known = container.restartPolicy === before.restartPolicy || key === "containers" ? before : NO_CONTAINER;
  if (key === "containers" || isSidecar) checkProbes(container, check, context.gracePeriod, known);
  else forbidProbes(container, check, undefined, known);
  if (listOf(container.restartPolicyRules).length > 0 && !isPresent(container.restartPolicy)) {
    report(check, "required", "is required with restartPolicyRules", "restartPolicy");
  }
  if (container.resizePolicy === undefined) return;
  const isInit = key === "initContainers" && !isSidecar;
  checkResizePolicy(container, check, { isInit, podRestartPolicy: context.restartPolicy });
}

/** core/validation: validateContainerCommon and validateContainerOnlyForPod. */
const checkFields = fields<Container, ContainerContext>({
  name: required(DNS_LABEL),
  image: [
    required(),
    (check, image, key) => {
      if (isPadded(asText(image))) invalid(check, "must not start or end with a blank", key);
    },
  ],
  terminationMessagePolicy: oneOf("File", "FallbackToLogsOnError", ""),
  imagePullPolicy: oneOf("Always", "IfNotPresent", "Never", ""),
  env: items(checkEnvVar),
  envFrom: items(checkEnvFrom),
  resources: [object(checkResources), objectIn(checkClaims)],
  // core/validation: validateContainerRestartPolicy and validateInitContainerRestartPolicy.
  restartPolicy: oneOf("Always", "Never", "OnFailure"),
  restartPolicyRules: [
    atMostItems(20),
    items({
      action: requiredOneOf("Restart", "RestartAllContainers"),
      exitCodes: [object({ operator: requiredOneOf("In", "NotIn"), values: atMostItems(255) }), PRESENT],
    }),
  ],
  securityContext: (check, value, key, { hostUsers }) => checkField(check, key, value, checkSecurityContext, hostUsers),
});

/** core/validation: names are unique over containers and init containers. */
function checkNames(key: ListKey, containers: readonly Container[], seen: Set<string>, check: Check): void {
  for (let at = 0; at < containers.length; at++) {
    const name = asText(asObject(containers[at]).name);
    if (name === "" || seen.size !== seen.add(name).size) continue;
    report(check, "duplicate", `must be unique: another container of the pod is named ${quote(name)}`, key, at, "name");
  }
}

/** core/validation: validateResizePolicy, and what validateInitContainers says of it. */
const checkResizePolicy = fields<Container, { readonly isInit: boolean; readonly podRestartPolicy: string }>({
  resizePolicy: [
    itemsIn(
      fields(
        {
          resourceName: requiredOneOf("cpu", "memory"),
          restartPolicy: requiredOneOf("NotRequired", "RestartContainer"),
        },
        ({ restartPolicy }, check, { isInit, podRestartPolicy }) => {
          if (restartPolicy !== "NotRequired" && podRestartPolicy === "Never") {
            invalid(check, "must be NotRequired when the pod's restartPolicy is Never", "restartPolicy");
          }
          if (restartPolicy !== "RestartContainer" || !isInit) return;
          const message = "must not be RestartContainer for an init container without restartPolicy: Always";
          invalid(check, message, "restartPolicy");
        },
      ),
    ),
    unique("resourceName", (name) => `must be unique: another policy is for ${quote(name)}`),
  ],
});
