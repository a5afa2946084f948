// What the Helm chart takes from the builders: objects for every kind of revision and phase, with placeholders that its
// templates replace, and the permissions of each command. A test compares the file in the chart with it (UPDATE_GOLDEN=1).
import { DEFAULT_REVISION, type JsonObject, type JsonValue, objectOf } from "@outrigger/base";
import {
  buildRbac,
  buildSafetyNet,
  buildWebhookConfigurations,
  rbacFeatures,
  rbacPermissions,
  rolloutPhases,
  TOKEN_PLACEHOLDER,
  type WebhookSettings,
} from "@outrigger/webhook";

/** A placeholder for the revision: a name that every check accepts. Templates replace it. */
const REVISION = "revision-placeholder";
const TAG = "tag-placeholder";
const NAMESPACE = "namespace-placeholder";
const LABEL = "label-placeholder";

/** Selectors differ between the default revision (or tag) and all others, and in nothing else. */
const KINDS = { default: DEFAULT_REVISION, named: REVISION };

/** By whose label pods ask: Istio's, or one of the config's own. */
const LABELS: Readonly<Record<string, Pick<WebhookSettings, "injectionLabel">>> = {
  istio: {},
  own: { injectionLabel: LABEL },
};

/** The text of `infra/chart/files/objects.json`. */
export function chartFile(): string {
  const entries = Object.entries({
    permissions: mapKinds(permissionsOf),
    restart: restartRules(),
    dryRuns: dryRunSpec(),
    policy: mapLabels(policySpec),
    bindings: mapLabels((label) =>
      mapKinds((revision) => ({
        all: bindingsOf({ ...settingsOf(revision, "cluster"), ...label }),
        namespaces: bindingsOf({ ...settingsOf(revision, "namespace"), ...label }),
      })),
    ),
    webhooks: mapLabels((label) =>
      mapKinds((revision) =>
        Object.fromEntries(
          rolloutPhases.map((phase) => [phase, webhooksOf({ ...settingsOf(revision, phase), ...label })]),
        ),
      ),
    ),
  });
  return `{\n${entries.map(([key, value]) => `${JSON.stringify(key)}: ${lines(value)}`).join(",\n")}\n}\n`;
}

/** One line for each entry of an object, so that a change shows in a diff. */
function lines(value: JsonValue | readonly JsonValue[]): string {
  const entries = Object.entries(value as JsonObject).map(
    ([key, one]) => `${JSON.stringify(key)}: ${JSON.stringify(one)}`,
  );
  return Array.isArray(value) ? JSON.stringify(value) : `{\n${entries.join(",\n")}\n}`;
}

function mapKinds(make: (revision: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(KINDS).map(([kind, revision]) => [kind, make(revision)]));
}

function mapLabels(make: (label: Pick<WebhookSettings, "injectionLabel">) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(LABELS).map(([name, label]) => [name, make(label)]));
}

function settingsOf(revision: string, phase: WebhookSettings["phase"]): WebhookSettings {
  return {
    deployment: "dev",
    url: "https://placeholder",
    token: TOKEN_PLACEHOLDER,
    revision,
    tags: [],
    phase,
    namespaces: phase === "namespace" ? [NAMESPACE] : [],
    enableNamespacesByDefault: true,
    timeoutSeconds: 10,
    ...(phase === "audit" ? {} : { safetyNet: "deny" }),
  };
}

/** Returns the webhooks without what values of the chart decide: where calls go, and how long they may take. */
function webhooksOf(settings: WebhookSettings): readonly JsonObject[] {
  const [configuration] = buildWebhookConfigurations(settings);
  const webhooks = configuration?.webhooks ?? [];
  return webhooks.map(({ clientConfig: _, timeoutSeconds: _timeout, ...webhook }) => webhook);
}

function policySpec(label: Pick<WebhookSettings, "injectionLabel">): JsonObject {
  const [policy] = buildSafetyNet({ ...settingsOf(DEFAULT_REVISION, "cluster"), ...label });
  return policy?.spec ?? {};
}

/** The last part of each binding's name, and what it matches. */
function bindingsOf(settings: WebhookSettings): readonly JsonObject[] {
  const [policy, ...bindings] = buildSafetyNet(settings);
  const prefix = `${policy?.metadata.name ?? ""}-`;
  return bindings.map(({ metadata, spec }) => ({
    name: metadata.name.slice(prefix.length),
    matchResources: spec["matchResources"] ?? null,
  }));
}

/** What `outrigger print rbac restart` prints. */
function restartObjects(): readonly JsonObject[] {
  const place = { revisions: [], tags: [], probeNamespaces: [], istioNamespace: "istio-system" };
  return buildRbac({ ...place, features: ["restart"], group: "g", name: "n" });
}

/** The rules of its roles, by the namespace that they are for: `cluster` for none. */
function restartRules(): JsonObject {
  const roles = restartObjects().filter(({ kind }) => kind === "ClusterRole" || kind === "Role");
  const placeOf = (metadata: unknown) => String(objectOf(metadata)["namespace"] ?? "cluster");
  return Object.fromEntries(roles.map(({ metadata, rules = [] }) => [placeOf(metadata), rules]));
}

/** Its policy, which lets the principal create pods as dry runs only, without the principal: that is a service account in the chart. */
function dryRunSpec(): JsonObject {
  const policy = restartObjects().find(({ kind }) => kind === "ValidatingAdmissionPolicy");
  const { failurePolicy = null, matchConstraints = null, validations } = objectOf(policy?.["spec"]);
  const [{ expression = null } = {}] = (validations ?? []) as readonly JsonObject[];
  return { failurePolicy, matchConstraints, expression };
}

/** Returns the permissions of a revision. Names that a tag adds are apart: there are as many of them as tags. */
function permissionsOf(revision: string): readonly JsonObject[] {
  const permissions = (tags: readonly string[], istioNamespace = "istio-system") => {
    const options = { features: rbacFeatures, revisions: [revision], tags, probeNamespaces: [], istioNamespace };
    return rbacPermissions(options);
  };
  const [own, elsewhere, withTag, withDefault] = [
    permissions([]),
    permissions([], "elsewhere"),
    permissions([TAG]),
    permissions([DEFAULT_REVISION]),
  ];
  return own.map(({ names = [], ...permission }, index) => {
    const added = (other: typeof own) => (other[index]?.names ?? []).filter((name) => !names.includes(name));
    return {
      ...permission,
      // Where Istio is in a namespace of another name.
      scopeElsewhere: elsewhere[index]?.scope ?? permission.scope,
      names,
      tagNames: { named: added(withTag), default: added(withDefault) },
    };
  });
}
