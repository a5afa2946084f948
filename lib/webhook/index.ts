// The face of @outrigger/webhook: what other packages and other people may use. Everything else is internal.

export { buildWebhookConfigurations, configurationName } from "./build-webhook-configuration.ts";
export { differences, findDrift } from "./drift.ts";
export { explainSelection } from "./explain-selection.ts";
export { objectKeys, objectKeyTable } from "./object-keys.ts";
export { buildRbac, PROBE_NAMESPACE, rbacFeatures, rbacPermissions } from "./rbac.ts";
export { buildSafetyNet, isInjected, safetyNetBindingNames } from "./safety-net.ts";
export { selectionOf, selectorsOf } from "./selectors.ts";
export { usualMistakes } from "./usual-mistakes.ts";
export { FIELD_MANAGER, ownNames } from "./webhook-configuration.ts";
export {
  checkWebhookSettings,
  DEFAULT_TIMEOUT_SECONDS,
  failurePolicyOf,
  formatSettings,
  parseSettings,
  rolloutPhases,
  TOKEN_PLACEHOLDER,
  type WebhookSettings,
} from "./webhook-settings.ts";
export { parseWebhookUrl, webhookUrl, withoutToken } from "./webhook-url.ts";
