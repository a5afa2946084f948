// The face of @outrigger/webhook: what other packages and other people may use. Everything else is internal.
export { buildWebhookConfigurations, configurationName } from "./build-webhook-configuration.ts";
export { type Drift, differences, findDrift } from "./drift.ts";
export {
  type ChoosingWebhook,
  explainSelection,
  type Selection,
  webhooksOf,
  webhooksOfRevision,
} from "./explain-selection.ts";
export { type InjectionPolicy, injectedByPolicy, isInjected } from "./injection-rules.ts";
export {
  buildRbac,
  PROBE_NAMESPACE,
  type RbacFeature,
  type RbacOptions,
  rbacChoices,
  rbacFeatures,
  rbacPermissions,
} from "./rbac.ts";
export { buildSafetyNet, safetyNetBindingNames } from "./safety-net.ts";
export { selectorsOf, type WebhookSelectors } from "./selectors.ts";
export { formatSettings, type KeptSettings, parseSettings } from "./settings-annotation.ts";
export { usualMistakes } from "./usual-mistakes.ts";
export {
  type FailurePolicy,
  FIELD_MANAGER,
  type MutatingWebhook,
  OFF_ANNOTATION,
  ownLabels,
  SETTINGS_ANNOTATION,
} from "./webhook-configuration.ts";
export {
  checkWebhookSettings,
  DEFAULT_REVISION,
  DEFAULT_TIMEOUT_SECONDS,
  type ReinvocationPolicy,
  type RolloutPhase,
  rolloutPhases,
  type SafetyNet,
  TOKEN_PLACEHOLDER,
  type WebhookSettings,
} from "./webhook-settings.ts";
export { parseWebhookUrl, webhookUrl, withoutToken } from "./webhook-url.ts";
