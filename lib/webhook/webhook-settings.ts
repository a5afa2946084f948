// The settings of a webhook configuration and their validation: settings that an API server would reject, or accept and
// never call, are rejected here with a remedy. Pure.

import { channelNamePattern, NETWORK_FORM, networkPattern, OutriggerError } from "@outrigger/base";
import { type Injector, systemNamespaces } from "@outrigger/injector";

type FailurePolicy = "Ignore" | "Fail";

/** The part of a release's configuration that decides about a pod. */
export type InjectionPolicy = Pick<
  Injector["config"],
  "policy" | "neverInjectSelector" | "alwaysInjectSelector" | "defaultTemplates"
> & { readonly injectionLabel?: string | undefined };

/** The pods that one of the default templates is for. */
export type TemplateMatch = Exclude<InjectionPolicy["defaultTemplates"][number], string>["match"];

/**
 * Returns what the API server does when a call fails: the setting, or the phase's default. It accepts a record's
 * settings too.
 */
export function failurePolicyOf(settings: {
  readonly phase?: unknown;
  readonly failurePolicy?: unknown;
}): FailurePolicy {
  const { phase, failurePolicy } = settings;
  if (failurePolicy === "Fail" || failurePolicy === "Ignore") return failurePolicy;
  return phase === "enforce" ? "Fail" : "Ignore";
}

/**
 * The progress of a rollout. Each step is reversible: ask for an earlier one.
 *
 * | phase       | pods that are sent                              | when a call fails    |
 * |-------------|-------------------------------------------------|----------------------|
 * | `audit`     | those of server-side dry runs, so none is made  | the pod is let in    |
 * | `namespace` | those of the namespaces named                   | the pod is let in    |
 * | `cluster`   | all that Istio's selectors choose               | the pod is let in    |
 * | `enforce`   | all that Istio's selectors choose               | the pod is rejected  |
 */
export type RolloutPhase = (typeof rolloutPhases)[number];

/** The phases of a rollout, in order. */
export const rolloutPhases = ["audit", "namespace", "cluster", "enforce"] as const;

/** The settings that a revision is registered with. All of its objects in the cluster are made from them. */
export interface WebhookSettings {
  /** The deployment's name: `dev`, `prod`. */
  readonly deployment: string;
  /** The URL of the inject function, `https://…` without a query. */
  readonly url: string;
  /** Whether a person gave the URL, in place of the deployment's own: it stays until another is given. */
  readonly givenUrl?: true;
  readonly token: string;
  /** The revision: `default`, or a name that namespaces and pods carry in `istio.io/rev`. */
  readonly revision: string;
  /** Additional names for the revision. */
  readonly tags: readonly string[];
  readonly phase: RolloutPhase;
  /** The namespaces of phase `namespace`; empty in every other phase. */
  readonly namespaces: readonly string[];
  /**
   * Whether pods without any label, in namespaces without one, are sent too. It applies to the default revision and
   * tag.
   */
  readonly enableNamespacesByDefault?: true;
  /** The label of the release's config by which pods and namespaces ask for injection, where it is no label of Istio's. */
  readonly injectionLabel?: string;
  /** Istio's cluster id, where it is not the one of the release's values. */
  readonly clusterId?: string;
  readonly network?: string;
  /** The timeout of a call, from 1 to 30 seconds. */
  readonly timeoutSeconds: number;
  /** The failure policy, if it differs from the phase's own. */
  readonly failurePolicy?: FailurePolicy;
  /** Whether a pod comes again after a later webhook has changed it; `IfNeeded` where it is left out. */
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
  /** Rejects, or warns of, pods without a sidecar that were to get one: see safety-net.ts. */
  readonly safetyNet?: "deny" | "warn";
  /** The custom resources of CloudFormation that registered it: it goes with the last of them. */
  readonly stacks?: readonly string[];
  /**
   * The policy that the served release injects by. If it is left out, the shipped release's applies. It is read anew
   * each time, and not kept.
   */
  readonly injection?: InjectionPolicy;
  /** The CA in PEM, for an endpoint whose certificate no public authority has signed. */
  readonly caBundle?: string;
}

/** The default of API servers, and of Istio. */
export const DEFAULT_TIMEOUT_SECONDS = 10;

/** @throws OutriggerError `usage`, naming the setting and what it may be */
export function checkWebhookSettings(settings: WebhookSettings): WebhookSettings {
  const { url, token, revision, tags, phase, namespaces, timeoutSeconds, caBundle, injectionLabel } = settings;
  checkUrl(url);
  check("token", TOKEN.test(token), "it is 43 letters, digits, - and _");
  check(`revision ${quoted(revision)}`, channelNamePattern.test(revision), LABEL);
  for (const tag of tags) check(`tag ${quoted(tag)}`, channelNamePattern.test(tag), LABEL);
  check("tags", new Set(tags).size === tags.length, "one is given twice");
  check("tags", !tags.includes(revision), `${quoted(revision)} is the revision itself`);
  check("deployment", channelNamePattern.test(settings.deployment), LABEL);
  for (const name of namespaces) {
    check(`namespace ${quoted(name)}`, channelNamePattern.test(name), LABEL);
    check(`namespace ${quoted(name)}`, !systemNamespaces.has(name), "pods of system namespaces are never injected");
  }
  for (const name of injectionLabel === undefined ? [] : [revision, ...tags])
    check(`revision ${quoted(name)}`, name !== "true" && name !== "false", `${injectionLabel} has this value`);
  if (phase === "namespace") check("phase namespace", namespaces.length > 0, "name one with --namespace");
  else check(`phase ${phase}`, namespaces.length === 0, "--namespace is for the phase namespace only");
  const canCatch = settings.safetyNet === undefined || phase !== "audit";
  check("safety net", canCatch, "in the phase audit no pod gets a sidecar, so it would reject them all");
  const isWhole = Number.isInteger(timeoutSeconds) && timeoutSeconds >= 1 && timeoutSeconds <= 30;
  check("timeout", isWhole, "an API server waits 1 to 30 whole seconds");
  for (const name of ["clusterId", "injectionLabel"] as const)
    check(name, SEGMENTS.test(settings[name] ?? "none"), SEGMENT);
  check("network", networkPattern.test(settings.network ?? ""), `use ${NETWORK_FORM}`);
  if (caBundle !== undefined)
    check("CA bundle", PEM.test(caBundle.trim()), "it must be one or more PEM certificates, and nothing else");
  return settings;
}

/** The token that `outrigger print webhook` prints without `--token-file`. Calls with it are answered 404. */
export const TOKEN_PLACEHOLDER = "THE-TOKEN-THAT-OUTRIGGER-TOKEN-ADD-WROTE-43";

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const PEM = /^(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/;
/** What a path and an expression take as it is. */
const SEGMENTS = /^[A-Za-z0-9]([A-Za-z0-9._/-]{0,251}[A-Za-z0-9])?$/;
const LABEL = "use at most 63 lower-case letters, digits and dashes, with a letter or digit at both ends";
const SEGMENT = "use letters, digits, dots, dashes, underscores and slashes";

/** Checks that a URL is https without user, query and fragment, because an API server takes no other. */
function checkUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isPlain = parsed !== undefined && parsed.search === "" && parsed.hash === "" && !/[?#]/.test(url);
  check("URL", parsed?.protocol === "https:", "an API server calls https:// only; see the deployment's output");
  check("URL", isPlain && parsed.username === "" && parsed.password === "", "it has no user, query or fragment");
}

function check(what: string, isFine: boolean, rule: string): void {
  if (!isFine) throw new OutriggerError("usage", `Cannot use the webhook's ${what}: ${rule}`);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
