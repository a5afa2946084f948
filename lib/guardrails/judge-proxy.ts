// What a container of the mesh is given beyond what it is for, and which other container is given what is the proxy's own. The proxy acts
// for the workload, whatever writes it: a template, a value, mesh configuration or a ProxyConfig. Pure.
import {
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  listOf,
  memoize,
  objectOf,
  objectsOf,
  parseJson,
  textOf,
} from "@outrigger/base";
import { containersOf } from "@outrigger/pod";
import { UNKNOWN } from "@outrigger/template";
import { isOwnValue, nameIn, text, type Value, type Walk } from "./judge-difference.ts";
import { IDENTITY_DRIVERS } from "./kinds.ts";
import { matchesPattern } from "./patterns.ts";
import {
  CLOSED_VARIABLES,
  COMMAND_LINES,
  IDENTITY_VOLUMES,
  PROXY_CONFIG_FIELDS,
  PROXY_FIELDS,
  PROXY_HOOKS,
  PROXY_MOUNTS,
  PROXY_VARIABLES,
} from "./proxy-shape.ts";

/**
 * Reports what an injection gives one of its containers that only the proxy may have, or not even the proxy.
 *
 * @param mine what the pod's author wrote of it
 */
export function judgeProxy(name: string, mine: Value, now: JsonObject, of: Walk): void {
  const isOfMesh = COMMAND_LINES.has(name);
  const isHolder = name !== "istio-proxy" && reportIdentity(mine, now, of);
  if (!isOfMesh && !isHolder) return;
  const before = objectOf(mine);
  for (const field in now) {
    const value = now[field];
    if (value === undefined || isClean(value, field, name) || jsonEqual(before[field] ?? null, value)) continue;
    const { length } = of.found;
    of.at.push(field);
    // Of these, each item is remembered: the lists have what the author has as well.
    const isList = field === "env" || field === "volumeMounts";
    if (!PROXY_FIELDS.has(field)) found(of);
    else if (isList) judgeItems(field, listOf(before[field]), listOf(value), of);
    else if (field === "args") judgeArguments(name, listOf(value), of);
    else if (field === "lifecycle" || field.endsWith("Probe")) judgeHandlers(value, of);
    of.at.pop();
    if (!isList && length === of.found.length) remember(value, field, name);
  }
}

/**
 * Constants of releases in which nothing was found, with where they were judged: they are the same in every pod. An item of a list is
 * judged alike in all containers.
 */
const clean = new WeakMap<object, { readonly field: string; readonly container: string }>();

function isClean(value: JsonValue, field: string, container = ""): boolean {
  const known = typeof value === "object" && value !== null ? clean.get(value) : undefined;
  return known?.field === field && known.container === container;
}

function remember(value: JsonValue, field: string, container = ""): void {
  if (typeof value === "object" && value !== null && Object.isFrozen(value)) clean.set(value, { field, container });
}

function found(of: Walk, steps: readonly (string | number)[] = [], word?: string): void {
  const at = [...of.at, ...steps];
  const volume = at.at(-2) === "volumeMounts" ? word : undefined;
  of.found.push({
    kind: "field",
    value: "",
    at,
    container: of.container,
    effect: "control-plane-address",
    word,
    volume,
  });
}

/** Reports each mount of a volume that is the proxy's own; returns whether there is one. */
function reportIdentity(mine: Value, now: JsonObject, of: Walk): boolean {
  const mounts = listOf(now["volumeMounts"]);
  if (mounts.length === 0) return false;
  const theirs = listOf(objectOf(mine)["volumeMounts"]);
  const volumes = objectsOf(of.is["volumes"]);
  const own = objectsOf(of.was["volumes"]).map(nameIn);
  let isHolder = false;
  for (const [index, mount] of mounts.entries()) {
    const value = nameIn(mount);
    const volume = volumes.find((each) => nameIn(each) === value);
    if (own.includes(value) || theirs.some((each) => jsonEqual(each, mount))) continue;
    if (!IDENTITY_VOLUMES.includes(value) && !isIdentity(volume, volumes, of.is)) continue;
    isHolder = true;
    const at = [...of.at, "volumeMounts", index];
    of.found.push({ kind: "identity", value, at, container: of.container, volume: value });
  }
  return isHolder;
}

/** Whether a volume gives the mesh's identity by another name: the same driver, or a token for whom the proxy's is for. */
function isIdentity(volume: JsonObject | undefined, volumes: readonly JsonObject[], pod: JsonObject): boolean {
  if (volume === undefined) return false;
  if (IDENTITY_DRIVERS.includes(text(objectOf(volume["csi"])["driver"]))) return true;
  const audiences = audiencesOf(volume);
  if (audiences.length === 0) return false;
  const proxy = containersOf(pod).find((each) => nameIn(each) === "istio-proxy");
  const mounted = objectsOf(proxy?.["volumeMounts"]).map(nameIn);
  const known = volumes.filter((each) => nameIn(each) === "istio-token" || mounted.includes(nameIn(each)));
  const ofProxy = ["istio-ca", ...known.flatMap(audiencesOf)];
  return audiences.some((audience) => ofProxy.includes(audience));
}

function audiencesOf({ projected }: JsonObject): readonly string[] {
  return objectsOf(objectOf(projected)["sources"]).flatMap(({ serviceAccountToken: token }) =>
    token === undefined ? [] : [text(objectOf(token)["audience"])],
  );
}

/** Judges variables or mounts, but for those that the author wrote as they are. */
function judgeItems(
  field: "env" | "volumeMounts",
  before: readonly JsonValue[],
  items: readonly JsonValue[],
  of: Walk,
) {
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as JsonValue;
    if (isClean(item, field) || nameIn(item) === UNKNOWN || before.some((each) => jsonEqual(each, item))) continue;
    const { length } = of.found;
    const isAlone = field === "env" ? judgeVariable(before, items, index, of) : judgeMount(item, index, of);
    if (isAlone && length === of.found.length) remember(item, field);
  }
}

/** Returns whether no other variable decides over it. */
function judgeVariable(before: readonly JsonValue[], env: readonly JsonValue[], index: number, of: Walk): boolean {
  const name = nameIn(env[index]);
  const value = textOf(objectOf(env[index])["value"]) ?? "";
  if (!isProxyVariable(name, value) || !isOwnValue(env, index, before)) found(of, [index], name);
  else if (name === "PROXY_CONFIG") judgeConfig(value, [index, "value"], of);
  return !value.includes("$");
}

/** Whether a container of the mesh may have a variable, with that value, without anybody's word. */
export function isProxyVariable(name: string, value: string | undefined): boolean {
  return (isKnown(name) || PROXY_VARIABLES.includes(`${name}=${value}`)) && !isClosed(name);
}

// Nearly all pods have the same variables, and there are a hundred patterns.
const isKnown = namedBy(PROXY_VARIABLES);
const isClosed = namedBy(CLOSED_VARIABLES);

function namedBy(patterns: readonly string[]): (name: string) => boolean {
  return memoize((name) => patterns.some((pattern) => matchesPattern(pattern, name)));
}

/** The agent reads JSON, and YAML, which no injection writes. */
function judgeConfig(json: string, at: readonly (string | number)[], of: Walk): void {
  if (json === "{}" || json.includes(UNKNOWN)) return;
  const parsed = parseJson(json);
  if (!isObject(parsed)) found(of, at);
  const config = objectOf(parsed);
  for (const field in config) if (!PROXY_CONFIG_FIELDS.includes(field)) found(of, [...at, field], field);
  for (const [name, value] of Object.entries(objectOf(config["proxyMetadata"])))
    if (!isProxyVariable(name, textOf(value))) found(of, [...at, "proxyMetadata", name], name);
}

/** A container with another name has no command line that is known. */
function judgeArguments(name: string, args: readonly JsonValue[], of: Walk): void {
  const { words = [], taking = [], alone = [] } = COMMAND_LINES.get(name) ?? {};
  const isFlag = (word: string) => taking.includes(word) || alone.includes(word);
  let at = 0;
  for (const known of words) {
    const word = text(args[at]);
    if (args.length === 0 || word.startsWith("-")) break;
    if (!known.includes(word)) found(of, [at]);
    at += 1;
  }
  for (; at < args.length; at++) {
    const word = text(args[at]);
    const [flag = ""] = word.split("=");
    if (!isFlag(flag)) found(of, [at]);
    else if (flag === word && taking.includes(flag) && !isFlag(text(args[at + 1]))) at += 1;
  }
}

/** Returns whether the mount is one of the proxy's own; a volume of the author's is judged by what it is. */
function judgeMount(mount: JsonValue, index: number, of: Walk): boolean {
  const name = nameIn(mount);
  if (PROXY_MOUNTS.has(`${text(objectOf(mount)["mountPath"]).replace(/\/$/, "")}=${name}`)) return true;
  if (!objectsOf(of.was["volumes"]).some((volume) => nameIn(volume) === name)) found(of, [index], name);
  return false;
}

/** A handler runs no program in the container but the agent, and a pause. */
function judgeHandlers(value: Value, of: Walk, at: readonly string[] = []): void {
  for (const [field, handler] of Object.entries(objectOf(value))) {
    if (field === "exec") {
      const command = listOf(objectOf(handler)["command"]);
      const isKnown = PROXY_HOOKS.some((words) => words.every((word, index) => word.test(text(command[index]))));
      if (!isKnown) found(of, [...at, field]);
    } else if (isObject(handler)) judgeHandlers(handler, of, [...at, field]);
  }
}
