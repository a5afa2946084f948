// The containers of a pod's author: the few things that an injection does to them. Pure.
import {
  entryOf,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  listOf,
  objectOf,
  objectsOf,
} from "@outrigger/base";
import { ADDED_TO_AUTHOR, AGENT_PATHS, FIELDS, NO_FIELDS } from "./fields.ts";
import { matchesPattern } from "./parse-guardrails.ts";
import { text } from "./powers.ts";
import { close, nameOf, under, type Walk, walk } from "./walk-fields.ts";

/** Judges what differs in a container of the author's. */
export function compareContainer(mine: JsonObject, now: JsonObject, of: Walk): void {
  for (const key in now) compareField(key, entryOf(mine, key), now[key], text(mine["name"]), of);
  for (const key in mine)
    if (entryOf(now, key) === undefined) compareField(key, mine[key], undefined, text(mine["name"]), of);
}

function compareField(
  key: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  name: string,
  of: Walk,
): void {
  if (before === after) return;
  const { length } = of.found;
  if (PROBES.includes(key)) {
    if (!isOfAgent(before, after, name)) close(of);
  } else if (Object.hasOwn(ADDED_TO_AUTHOR, key)) compareItems(key, listOf(before), listOf(after), of);
  else if (!jsonEqual(before ?? [], after ?? [])) close(of);
  if (of.found.length > length) under(of, length, key);
}

/** The author's items must be there, in their order; others may be between them. */
function compareItems(field: string, before: readonly JsonValue[], after: readonly JsonValue[], of: Walk): void {
  let next = 0;
  for (let index = 0; index < after.length; index++) {
    const item = after[index];
    if (next < before.length && jsonEqual(before[next], item)) {
      next += 1;
      continue;
    }
    const { length } = of.found;
    const isNew = before.every((each) => nameOf(each) !== nameOf(item));
    if (isNew && isKnownAddition(field, item, of.was["volumes"])) walk(item, FIELDS.get(field) ?? NO_FIELDS, of);
    else close(of);
    under(of, length, index, item);
  }
  if (next < before.length) close(of);
}

function isKnownAddition(field: string, item: JsonValue | undefined, volumes: JsonValue | undefined): boolean {
  const key = text(nameOf(item));
  const isNamed = ADDED_TO_AUTHOR[field]?.some((pattern) => matchesPattern(pattern, key.replace(/\/$/, "")));
  if (isNamed !== true || key.includes("..")) return false;
  const { name } = objectOf(item);
  return field === "env" || objectsOf(volumes).every((each) => each["name"] !== name || isFreeToShare(each));
}

/** Whether another container may have a volume of the author's too. */
export function isFreeToShare(volume: JsonObject): boolean {
  return volume["emptyDir"] !== undefined;
}

const PROBES: readonly string[] = ["livenessProbe", "readinessProbe", "startupProbe", "lifecycle"];

const HOOKS: readonly string[] = ["postStart", "preStop"];
const HANDLERS: readonly string[] = ["exec", "grpc", "httpGet", "tcpSocket"];

/** Whether only the handlers differ, and those that do ask the agent. */
function isOfAgent(before: JsonValue | undefined, after: JsonValue | undefined, name: string): boolean {
  if (jsonEqual(before, after)) return true;
  if (!isObject(before) || !isObject(after)) return false;
  if (HOOKS.some((hook) => before[hook] !== undefined))
    return areSame(before, after, HOOKS) && HOOKS.every((hook) => isOfAgent(before[hook], after[hook], name));
  const { path, host } = objectOf(after["httpGet"]);
  const isAsked = AGENT_PATHS.some(
    (start) => text(path).startsWith(start) && text(path).startsWith(`${name}/`, start.length),
  );
  const isOnly = HANDLERS.every((handler) => handler === "httpGet" || after[handler] === undefined);
  return isAsked && isOnly && host === objectOf(before["httpGet"])["host"] && areSame(before, after, HANDLERS);
}

/** Whether two objects are the same, but for some fields. */
function areSame(before: JsonObject, after: JsonObject, but: readonly string[]): boolean {
  for (const key in { ...before, ...after })
    if (!but.includes(key) && !jsonEqual(entryOf(before, key), entryOf(after, key))) return false;
  return true;
}
