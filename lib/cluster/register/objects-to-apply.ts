// What registering would apply, for people who apply it themselves. Pure.
import type { JsonObject } from "@outrigger/base";
import { planSettings, type RequestedSettings } from "./plan-settings.ts";
import { builtObjects } from "./registration.ts";

/**
 * The webhook configurations and the safety net of a first registration, in the order in which they are created.
 *
 * @param deployment its stage: `prod`
 * @param token of the cluster, 43 characters
 * @throws OutriggerError `usage` for settings that cannot be
 * @example
 * ```ts
 * objectsToApply("prod", { url: "https://hook.test", revision: "1-30" }, "t".repeat(43)).map(({ kind }) => kind) // => ["MutatingWebhookConfiguration"]
 * ```
 */
export function objectsToApply(deployment: string, requested: RequestedSettings, token: string): readonly JsonObject[] {
  return builtObjects(planSettings(deployment, requested, [], token));
}
