// When a container is started again: its own policy, rules for exit codes, and what a change of resources does to it.

import { listOf } from "@outrigger/base";
import type { Container, ContainerResizePolicy, ContainerRestartRule } from "../../generated/pod-types.ts";
import { type Check, checkOneOf, quote, report } from "../check.ts";
import { asObject, asText, isPresent } from "../zero-values.ts";

const RESTART_POLICIES: readonly string[] = ["Always", "Never", "OnFailure"];
const ACTIONS: readonly string[] = ["Restart", "RestartAllContainers"];
const OPERATORS: readonly string[] = ["In", "NotIn"];
const RESIZED: readonly string[] = ["cpu", "memory"];
const RESIZE_POLICIES: readonly string[] = ["NotRequired", "RestartContainer"];
const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;

/** core/validation: validateContainerRestartPolicy and validateInitContainerRestartPolicy. */
export function checkRestartRules(container: Container, check: Check): void {
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
export function checkResizePolicy(container: Container, isInit: boolean, podRestartPolicy: string, check: Check): void {
  const policies = listOf(container.resizePolicy);
  const seen = new Set<unknown>();
  for (let at = 0; at < policies.length; at++) {
    const { resourceName, restartPolicy } = asObject(policies[at]) as ContainerResizePolicy;
    check.steps.push("resizePolicy", at);
    checkOneOf(check, asText(resourceName), RESIZED, "resourceName");
    checkOneOf(check, asText(restartPolicy), RESIZE_POLICIES, "restartPolicy");
    if (seen.has(resourceName)) {
      report(check, "duplicate", `another policy is for ${quote(asText(resourceName))}`, "resourceName");
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
