// The settings of a registration, as an annotation keeps them.

import { defined, isObject, type JsonObject, listOf, textOf } from "@outrigger/base";
import {
  checkWebhookSettings,
  DEFAULT_TIMEOUT_SECONDS,
  rolloutPhases,
  type WebhookSettings,
} from "./webhook-settings.ts";

/**
 * The settings that an object keeps, so that it can be requested again and compared. They lack the token, which only
 * the URL contains.
 */
type KeptSettings = Omit<WebhookSettings, "token" | "injection">;

/** The settings as the text of the annotation `outrigger/settings`: JSON, without the token and what is read from the release. */
export function formatSettings({ token: _, injection: _injection, ...kept }: WebhookSettings): string {
  return JSON.stringify(kept);
}

/** Returns the settings in an annotation, or undefined if it is missing, damaged, or asks for something impossible. */
export function parseSettings(text: unknown): KeptSettings | undefined {
  if (typeof text !== "string" || text.length > MAX_LENGTH) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { token: _, ...kept } = checkWebhookSettings({ ...readSettings(value), token: ANY_TOKEN });
    return kept;
  } catch {
    return undefined;
  }
}

/** The most characters of a text that is read: Kubernetes allows 256 KB of annotations. */
const MAX_LENGTH = 256 * 1024;

const ANY_TOKEN = "A".repeat(43);

function readSettings(value: JsonObject): KeptSettings {
  const { timeoutSeconds } = value;
  const [tags, namespaces, stacks] = [textsOf(value["tags"]), textsOf(value["namespaces"]), textsOf(value["stacks"])];
  const text = (key: string) => textOf(value[key]);
  const choice = <Choice extends string>(key: string, ...choices: readonly Choice[]) =>
    choices.find((one) => one === value[key]);
  return {
    deployment: text("deployment") ?? "",
    url: text("url") ?? "",
    revision: text("revision") ?? "",
    tags,
    // Annotations written before 0.1 name it `stage`.
    phase: rolloutPhases.find((phase) => phase === (value["phase"] ?? value["stage"])) ?? "audit",
    namespaces,
    timeoutSeconds: typeof timeoutSeconds === "number" ? timeoutSeconds : DEFAULT_TIMEOUT_SECONDS,
    ...defined({
      givenUrl: value["givenUrl"] === true ? (true as const) : undefined,
      injectionLabel: text("injectionLabel"),
      clusterId: text("clusterId"),
      network: text("network"),
      caBundle: text("caBundle"),
      failurePolicy: choice("failurePolicy", "Ignore", "Fail"),
      reinvocationPolicy: choice("reinvocationPolicy", "Never", "IfNeeded"),
      enableNamespacesByDefault: value["enableNamespacesByDefault"] === true ? (true as const) : undefined,
      stacks: stacks.length > 0 ? stacks : undefined,
      safetyNet: choice("safetyNet", "deny", "warn"),
    }),
  };
}

function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === "string");
}
