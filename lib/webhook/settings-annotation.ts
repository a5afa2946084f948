// The form in which an object keeps what was asked for, so that it can be asked for again and compared. The token is
// not part of it: only the URL contains it. Pure.
import { isObject, type JsonObject, listOf, textOf } from "@outrigger/base";
import {
  checkWebhookSettings,
  DEFAULT_TIMEOUT_SECONDS,
  rolloutPhases,
  type WebhookSettings,
} from "./webhook-settings.ts";

/** Everything but the token and what is read from the release. */
export type KeptSettings = Omit<WebhookSettings, "token" | "injection">;

/** The settings as the text of the annotation `outrigger/settings`: JSON, without the token and what is read from the release. */
export function formatSettings({ token: _, injection: _injection, ...kept }: WebhookSettings): string {
  return JSON.stringify(kept);
}

/** What an annotation says, or undefined where it is missing, damaged, or asks for what cannot be. */
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

/** Kubernetes allows 256 KB of annotations. */
const MAX_LENGTH = 256 * 1024;
const ANY_TOKEN = "A".repeat(43);

function readSettings(value: JsonObject): KeptSettings {
  const { timeoutSeconds, failurePolicy, reinvocationPolicy, safetyNet } = value;
  return {
    deployment: textOf(value["deployment"]) ?? "",
    url: textOf(value["url"]) ?? "",
    revision: textOf(value["revision"]) ?? "",
    tags: textsOf(value["tags"]),
    // Annotations written before 0.1 name it `stage`.
    phase: rolloutPhases.find((phase) => phase === (value["phase"] ?? value["stage"])) ?? "audit",
    namespaces: textsOf(value["namespaces"]),
    timeoutSeconds: typeof timeoutSeconds === "number" ? timeoutSeconds : DEFAULT_TIMEOUT_SECONDS,
    ...textAt(value, "clusterId"),
    ...textAt(value, "network"),
    ...textAt(value, "caBundle"),
    ...(failurePolicy === "Ignore" || failurePolicy === "Fail" ? { failurePolicy } : {}),
    ...(reinvocationPolicy === "Never" || reinvocationPolicy === "IfNeeded" ? { reinvocationPolicy } : {}),
    ...(value["enableNamespacesByDefault"] === true ? { enableNamespacesByDefault: true } : {}),
    ...(textsOf(value["stacks"]).length > 0 ? { stacks: textsOf(value["stacks"]) } : {}),
    ...(safetyNet === "deny" || safetyNet === "warn" ? { safetyNet } : {}),
  };
}

function textAt<Key extends string>(value: JsonObject, key: Key): { readonly [K in Key]?: string } {
  const text = textOf(value[key]);
  return text === undefined ? {} : ({ [key]: text } as { readonly [K in Key]: string });
}

function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === "string");
}
