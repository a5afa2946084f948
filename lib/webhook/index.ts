// The face of @outrigger/webhook: what other packages and other people may use. Everything else is internal.

export { buildWebhookConfigurations, configurationName } from "./build-webhook-configuration.ts";
export { differences, findDrift } from "./drift.ts";
export { explainSelection } from "./explain-selection.ts";
export { isInjected } from "./injection-rules.ts";
export { objectKeys, objectKeyTable } from "./object-keys.ts";
export { buildRbac, PROBE_NAMESPACE, rbacFeatures, rbacPermissions } from "./rbac.ts";
export { buildSafetyNet, safetyNetBindingNames } from "./safety-net.ts";
export { selectionOf } from "./selection.ts";
export { enablingLabel, selectorsOf } from "./selectors.ts";
export { formatSettings, parseSettings } from "./settings-annotation.ts";
export { usualMistakes } from "./usual-mistakes.ts";
export { FIELD_MANAGER, ownNames } from "./webhook-configuration.ts";
export {
  checkWebhookSettings,
  DEFAULT_TIMEOUT_SECONDS,
  failurePolicyOf,
  rolloutPhases,
  TOKEN_PLACEHOLDER,
  type WebhookSettings,
} from "./webhook-settings.ts";
export { parseWebhookUrl, webhookUrl, withoutToken } from "./webhook-url.ts";
