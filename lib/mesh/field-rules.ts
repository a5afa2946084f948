// Which rule the fields of a MeshConfig and of a ProxyConfig have, wherever these are written.

import { entryOf, type JsonValue, valueAt } from "@outrigger/base";
import { podRules, type Rule, ruleProblem } from "./value-rules.ts";

export type FieldRules = Readonly<Record<string, readonly [rule: Rule, whenUnset?: string]>>;

/** Fields of a ProxyConfig. Those that are needed, and are as if unset where they are zero, have the text of their zero. */
const PROXY_FIELDS: FieldRules = {
  drainDuration: [podRules.wholeSeconds],
  terminationDrainDuration: [podRules.delay],
  discoveryAddress: [podRules.address, ""],
  statsdUdpAddress: [podRules.address],
  envoyMetricsServiceAddress: [podRules.address],
  "envoyMetricsService.address": [podRules.address],
  "envoyAccessLogService.address": [podRules.address],
  "tracing.lightstep.address": [podRules.address, ""],
  "tracing.zipkin.address": [podRules.collector, ""],
  "tracing.datadog.address": [podRules.collector, ""],
  proxyAdminPort: [podRules.port, "0"],
  statusPort: [podRules.port],
  interceptionMode: [podRules.interceptionMode],
  "image.imageType": [podRules.imageType],
};

/** Returns what is wrong with the first field of a ProxyConfig that breaks its rule, the field first. */
export function proxyFieldProblem(config: JsonValue): string | undefined {
  return fieldProblem(PROXY_FIELDS, config);
}

/** The same of a part of a ProxyConfig, which need not have the fields that are needed. */
export function givenFieldProblem(part: JsonValue): string | undefined {
  return fieldProblem(PROXY_FIELDS, part, false);
}

/** Returns what is wrong with the first field that breaks its rule, the field first. */
export function fieldProblem(fields: FieldRules, config: JsonValue, isWhole = true): string | undefined {
  for (const [path, [rule, whenUnset]] of Object.entries(fields)) {
    const steps = path.split(".");
    const isPlace = isWhole && (steps.length === 1 || valueAt(config, steps.slice(0, -1)) !== undefined);
    const value = valueAt(config, steps) ?? (isPlace ? whenUnset : undefined);
    // As in Istio, a choice may also be a number, even of no name.
    if (rule.choices !== undefined && typeof value === "number") continue;
    const problem = value === undefined || value === null ? undefined : ruleProblem(rule, String(value));
    if (problem !== undefined) return `${path} ${problem}`;
  }
  return undefined;
}

/** The rule of a field of a ProxyConfig, by its path in a text: `defaultConfig.statusPort`. */
export function proxyFieldRule(path: string): Rule | undefined {
  return entryOf(PROXY_FIELDS, path.replace(/^(?:defaultConfig|spec)\./, ""))?.[0];
}
