// Containers: what each requires, and what their lists must agree on.
// Mirrors core/validation's validateContainers, validateInitContainers and validateContainerCommon.

import { listOf, lookup } from "@outrigger/base";
import type { Container, ContainerResizePolicy, ContainerRestartRule, PodSpec } from "../../generated/pod-types.ts";
import { isDnsLabel, LABEL_FORM } from "../../names.ts";
import {
  asObject,
  asText,
  type Check,
  checkField,
  checkItems,
  checkOneOf,
  isFull,
  isPresent,
  knownItems,
  quote,
  report,
  requireText,
} from "../check.ts";
import { checkEnvFrom, checkEnvVar, checkEnvVolumes, checkHostPorts, checkPorts } from "./env-and-ports.ts";
import { checkMounts, type FindVolume } from "./mounts.ts";
import { checkProbes, forbidProbes } from "./probes.ts";
import { checkClaims, checkResources } from "./resources.ts";
import { checkSecurityContext, isPadded } from "./security-context.ts";

const PULL_POLICIES: readonly string[] = ["Always", "IfNotPresent", "Never", ""];
const MESSAGE_POLICIES: readonly string[] = ["File", "FallbackToLogsOnError", ""];
const NO_CONTAINER = {} as Container;

/** What containers are checked against: the pod's part of their rules. */
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
  const containers = listOf(spec.containers);
  if (containers.length === 0) report(check, "required", "must have at least one container", "containers");
  checkList("containers", containers, before.containers, check, context);
  checkList("initContainers", listOf(spec.initContainers), before.initContainers, check, context);
  checkContainerNames(spec, check);
  checkHostPorts(containers, "containers", context.hostNetwork, check);
  // core/validation: ValidatePodCreate. They are added to pods that run.
  if (listOf(spec.ephemeralContainers).length > 0) {
    report(check, "forbidden", "must not be set when a pod is created", "ephemeralContainers");
  }
}

type ListKey = "containers" | "initContainers";

function checkList(
  key: ListKey,
  containers: readonly Container[],
  before: readonly Container[] | undefined,
  check: Check,
  context: ContainerContext,
): void {
  const isSame = containers === before && !context.isVolumeGone;
  if (isSame || containers.length === 0) return;
  const isKnown = knownItems(before);
  const namesake = namesakes(before);
  check.steps.push(key);
  for (let at = 0; at < containers.length && !isFull(check); at++) {
    const container = asObject(containers[at]) as Container;
    const isSameContainer = isKnown(containers[at], at);
    if (isSameContainer && !context.isVolumeGone) continue;
    check.steps.push(at);
    if (isSameContainer) {
      checkMounts(container, NO_CONTAINER, context.findVolume, check);
      checkEnvVolumes(listOf(container.env), check, context.findVolume);
    } else checkContainer(key, container, namesake(container), check, context);
    check.steps.pop();
  }
  check.steps.pop();
}

/** Containers are known by their names: what is injected shifts them. The first of a name counts. */
function namesakes(before: readonly Container[] | undefined): (container: Container) => Container {
  const known = lookup(listOf(before), (each) => asObject(each).name);
  return ({ name }) => asObject(known.get(name));
}

function checkContainer(
  key: ListKey,
  container: Container,
  before: Container,
  check: Check,
  context: ContainerContext,
): void {
  checkCommon(container, before, check, context);
  checkPorts(container, before, context.hostNetwork && key === "containers", check);
  const isSidecar = container.restartPolicy === "Always";
  if (key === "containers" || isSidecar) {
    const known = container.restartPolicy === before.restartPolicy || key === "containers" ? before : NO_CONTAINER;
    checkProbes(container, known, context.gracePeriod, check);
  } else forbidProbes(container, container.restartPolicy === before.restartPolicy ? before : NO_CONTAINER, check);
  checkRestartRules(container, check);
  checkResizePolicy(container, key === "initContainers" && !isSidecar, context.restartPolicy, check);
  if (key === "initContainers" && container.ports !== before.ports) checkOwnHostPorts(container, check, context);
}

/** Init containers run one by one: only the ports of each must differ. */
function checkOwnHostPorts(container: Container, check: Check, { hostNetwork }: ContainerContext): void {
  const at = check.steps.pop() as number;
  const key = check.steps.pop() as string;
  const others: Container[] = [];
  others[at] = container;
  checkHostPorts(others, key, hostNetwork, check);
  check.steps.push(key, at);
}

/** core/validation: validateContainerCommon and validateContainerOnlyForPod. */
function checkCommon(container: Container, before: Container, check: Check, context: ContainerContext): void {
  const { name, image } = container;
  if (!isPresent(name)) requireText(check, name, "name");
  else if (name !== before.name && requireText(check, name, "name") && !isDnsLabel(name)) {
    report(check, "invalid", LABEL_FORM, "name");
  }
  if (requireText(check, image, "image") && image !== before.image && isPadded(image as string)) {
    report(check, "invalid", "must not start or end with a blank", "image");
  }
  checkOneOf(check, container.terminationMessagePolicy, MESSAGE_POLICIES, "terminationMessagePolicy");
  checkOneOf(check, container.imagePullPolicy, PULL_POLICIES, "imagePullPolicy");
  checkItems(check, "env", container.env, before.env, checkEnvVar, undefined);
  if (container.env !== before.env || context.isVolumeGone)
    checkEnvVolumes(listOf(container.env), check, context.findVolume);
  checkItems(check, "envFrom", container.envFrom, before.envFrom, checkEnvFrom, undefined);
  checkMounts(container, context.isVolumeGone ? NO_CONTAINER : before, context.findVolume, check);
  if (container.resources !== before.resources) {
    checkField(check, "resources", container.resources, checkResources, "container");
    checkField(check, "resources", container.resources, checkClaims, context.claims);
  }
  if (container.securityContext !== before.securityContext) {
    checkField(check, "securityContext", container.securityContext, checkSecurityContext, context.hostUsers);
  }
  // core/validation: validateHostUsers.
  if (!context.hostUsers && listOf(container.volumeDevices).length > 0) {
    report(check, "forbidden", "must not be set when spec.hostUsers is false", "volumeDevices");
  }
}

/** core/validation: names are unique over containers and init containers. */
function checkContainerNames(spec: PodSpec, check: Check): void {
  const [containers, initContainers] = [listOf(spec.containers), listOf(spec.initContainers)];
  const seen = new Set<string>();
  checkNames("containers", containers, seen, check);
  checkNames("initContainers", initContainers, seen, check);
}

function checkNames(key: ListKey, containers: readonly Container[], seen: Set<string>, check: Check): void {
  for (let at = 0; at < containers.length; at++) {
    const name = asText(asObject(containers[at]).name);
    if (name === "" || seen.size !== seen.add(name).size) continue;
    report(check, "duplicate", `must be unique: another container of the pod is named ${quote(name)}`, key, at, "name");
  }
}

const RESTART_POLICIES: readonly string[] = ["Always", "Never", "OnFailure"];
const ACTIONS: readonly string[] = ["Restart", "RestartAllContainers"];
const OPERATORS: readonly string[] = ["In", "NotIn"];
const RESIZED: readonly string[] = ["cpu", "memory"];
const RESIZE_POLICIES: readonly string[] = ["NotRequired", "RestartContainer"];
const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;

/** core/validation: validateContainerRestartPolicy and validateInitContainerRestartPolicy. */
function checkRestartRules(container: Container, check: Check): void {
  const { restartPolicy, restartPolicyRules } = container;
  const rules = listOf(restartPolicyRules);
  if (isPresent(restartPolicy)) checkOneOf(check, restartPolicy, RESTART_POLICIES, "restartPolicy");
  else if (rules.length > 0) report(check, "required", "is required with restartPolicyRules", "restartPolicy");
  if (rules.length > MAX_RULES) report(check, "too-many", "must be at most 20", "restartPolicyRules");
  for (const [at, rule] of rules.entries()) checkRule(asObject(rule), at, check);
}

function checkRule({ action, exitCodes }: ContainerRestartRule, at: number, check: Check): void {
  check.steps.push("restartPolicyRules", at);
  checkOneOf(check, asText(action), ACTIONS, "action");
  if (isPresent(exitCodes)) {
    check.steps.push("exitCodes");
    checkOneOf(check, asText(exitCodes.operator), OPERATORS, "operator");
    if (listOf(exitCodes.values).length > MAX_EXIT_CODES) report(check, "too-many", "must be at most 255", "values");
    check.steps.pop();
  } else report(check, "required", "is required", "exitCodes");
  check.steps.length -= 2;
}

/** core/validation: validateResizePolicy, and what validateInitContainers says of it. */
function checkResizePolicy(container: Container, isInit: boolean, podRestartPolicy: string, check: Check): void {
  const policies = listOf(container.resizePolicy);
  const seen = new Set<unknown>();
  for (let at = 0; at < policies.length; at++) {
    const { resourceName, restartPolicy } = asObject(policies[at]) as ContainerResizePolicy;
    check.steps.push("resizePolicy", at);
    checkOneOf(check, asText(resourceName), RESIZED, "resourceName");
    checkOneOf(check, asText(restartPolicy), RESIZE_POLICIES, "restartPolicy");
    if (seen.has(resourceName)) {
      report(
        check,
        "duplicate",
        `must be unique: another policy is for ${quote(asText(resourceName))}`,
        "resourceName",
      );
    }
    seen.add(resourceName);
    if (restartPolicy !== "NotRequired" && podRestartPolicy === "Never") {
      report(check, "invalid", "must be NotRequired when the pod's restartPolicy is Never", "restartPolicy");
    }
    if (restartPolicy === "RestartContainer" && isInit) {
      report(
        check,
        "invalid",
        "must not be RestartContainer for an init container without restartPolicy: Always",
        "restartPolicy",
      );
    }
    check.steps.length -= 2;
  }
}
