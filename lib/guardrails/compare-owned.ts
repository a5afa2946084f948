// What an injection does to a container or volume of the author's: all of it is closed, but for the few things that it needs. Pure.
import {
  entryOf,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  listOf,
  objectOf,
  objectsOf,
  textOf,
} from "@outrigger/base";
import { ADDED_TO_AUTHOR, AGENT_PATHS, FIELDS, NO_FIELDS, ruleOf } from "./fields.ts";
import { close, judgeAdded, nameOf, text, type Value, type Walk } from "./judge-added.ts";
import { matchesPattern } from "./parse-guardrails.ts";

const PROBES: readonly string[] = ["livenessProbe", "readinessProbe", "startupProbe", "lifecycle"];
const HOOKS: readonly string[] = ["postStart", "preStop"];
const HANDLERS: readonly string[] = ["exec", "grpc", "httpGet", "tcpSocket"];

/** Judges what differs in an item of the author's: all of it is closed, but for the few things that an injection does to containers. */
export function compareOwned(mine: JsonObject, now: JsonObject, container: string | undefined, of: Walk): void {
  for (const key of differing(mine, now)) {
    const before = entryOf(mine, key);
    const after = entryOf(now, key);
    of.at.push(key);
    if (container !== undefined && Object.hasOwn(ADDED_TO_AUTHOR, key)) {
      compareAdditions(key, listOf(before), listOf(after), of);
    } else if (container === undefined || !PROBES.includes(key) || !isOfAgent(before, after, container)) {
      if (!jsonEqual(before ?? [], after ?? [])) close(of);
    }
    of.at.pop();
  }
}

/** The author's items must be there, in their order; others may be between them. */
function compareAdditions(field: string, before: readonly JsonValue[], after: readonly JsonValue[], of: Walk): void {
  let next = 0;
  for (let index = 0; index < after.length; index++) {
    const item = after[index];
    if (next < before.length && jsonEqual(before[next], item)) {
      next += 1;
      continue;
    }
    const isNew = before.every((each) => nameOf(each) !== nameOf(item));
    of.at.push(index);
    if (isNew && isKnownAddition(field, item, of.was["volumes"]))
      judgeAdded(item, ruleOf(FIELDS.get("containers") ?? NO_FIELDS, field), of);
    else close(of);
    of.at.pop();
  }
  if (next < before.length) close(of);
}

function isKnownAddition(field: string, item: Value, volumes: Value): boolean {
  const key = text(nameOf(item));
  const isNamed = ADDED_TO_AUTHOR[field]?.some((pattern) => matchesPattern(pattern, key.replace(/\/$/, "")));
  if (isNamed !== true || key.includes("..")) return false;
  const { name } = objectOf(item);
  return field === "env" || objectsOf(volumes).every((each) => each["name"] !== name || each["emptyDir"] !== undefined);
}

/** Whether only the handlers differ, and those that do ask the agent. */
function isOfAgent(before: Value, after: Value, container: string): boolean {
  if (!isObject(before) || !isObject(after)) return false;
  let isHandler = false;
  for (const key of differing(before, after)) {
    const own = entryOf(before, key);
    const now = entryOf(after, key);
    if (HANDLERS.includes(key) && (key === "httpGet" || now === undefined)) isHandler ||= !jsonEqual(own, now);
    else if (!jsonEqual(own, now) && !(HOOKS.includes(key) && isOfAgent(own, now, container))) return false;
  }
  if (!isHandler) return true;
  const { path, host } = objectOf(after["httpGet"]);
  const asked = textOf(path) ?? "";
  const start = AGENT_PATHS.find((each) => asked.startsWith(each));
  if (start === undefined || !asked.startsWith(`${container}/`, start.length)) return false;
  return host === objectOf(before["httpGet"])["host"];
}

/** The keys whose values are not the same by reference. Hardly ever is one gone. */
export function differing(was: JsonObject, is: JsonObject): readonly string[] {
  const keys: string[] = [];
  let gone = 0;
  for (const _ in was) gone += 1;
  for (const key in is) {
    const value = is[key];
    const isSame = value === was[key];
    if (!isSame) keys.push(key);
    if ((isSame && value !== undefined) || Object.hasOwn(was, key)) gone -= 1;
  }
  if (gone > 0) for (const key in was) if (!Object.hasOwn(is, key)) keys.push(key);
  return keys;
}
