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
import { CONTAINER, type Rule, ruleOf } from "./fields.ts";
import { isOwnValue, keepFree, nameIn, text, type Value, type Walk } from "./judge-difference.ts";
import { IDENTITY_DRIVERS } from "./kinds.ts";
import { matchesPattern } from "./patterns.ts";
import {
  CLOSED_VARIABLES,
  COMMAND_LINES,
  type CommandLine,
  IDENTITY_VOLUMES,
  PROXY_CONFIG_FIELDS,
  PROXY_FIELDS,
  PROXY_HOOKS,
  PROXY_MOUNTS,
  PROXY_VARIABLES,
} from "./proxy-shape.ts";

/**
 * Reports what an injection gives one of its containers that only the proxy may have, or not even the proxy, and has each part judged
 * besides: of nearly every part it is known that there is nothing.
 *
 * @param mine what the pod's author wrote of it
 * @param judgePart judges a part at the walk's place by its rule; returns whether it is free in every pod
 */
export function judgeProxy(name: string, mine: Value, now: JsonObject, of: Walk, judgePart: JudgePart): void {
  const isHolder = name !== "istio-proxy" && reportIdentity(mine, now, of);
  if (!isHolder && !COMMAND_LINES.has(name)) {
    judgePart(now, CONTAINER);
    return;
  }
  const before = objectOf(mine);
  const parts = of.options.freeOfMesh?.(of.needs)(COMMAND_LINES.get(name) ?? UNKNOWN_LINE);
  for (const field in now) {
    const value = now[field];
    if (value === undefined) continue;
    const isList = (field === "env" || field === "volumeMounts") && Array.isArray(value);
    const items = isList ? value : [value];
    const free = parts?.get(field);
    of.at.push(field);
    for (let index = 0; index < items.length; index++) {
      const item = items[index] as JsonValue;
      if (free?.includes(item) === true) continue;
      const { length } = of.found;
      if (isList) of.at.push(index);
      const isFree = judgePart(item, ruleOf(CONTAINER.fields, field));
      const isAlone = isList
        ? judgeItem(field, listOf(before[field]), value, index, of)
        : judgeField(field, before[field], value, of);
      if (isList) of.at.pop();
      if (isFree && isAlone && length === of.found.length) keepFree(parts, field, item);
    }
    of.at.pop();
  }
}

type JudgePart = (value: Value, rule: Rule) => boolean;

/** Judges a field, unless it is as the author wrote it; returns that nothing else decides over it. */
function judgeField(field: string, before: Value, value: JsonValue, of: Walk): boolean {
  if (jsonEqual(before ?? null, value)) return true;
  if (!PROXY_FIELDS.has(field)) found(of);
  else if (field === "args") judgeArguments(listOf(value), of);
  else if (field === "lifecycle" || field.endsWith("Probe")) judgeHandlers(value, of);
  return true;
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

/** Judges a variable or mount, unless it is as the author wrote it; returns whether it is free in every pod. */
function judgeItem(
  field: string,
  before: readonly JsonValue[],
  items: readonly JsonValue[],
  index: number,
  of: Walk,
): boolean {
  const item = items[index] as JsonValue;
  if (nameIn(item) === UNKNOWN || before.some((each) => jsonEqual(each, item))) return false;
  return field === "env" ? judgeVariable(before, items, index, of) : judgeMount(item, of);
}

/** Returns whether no other variable decides over it. */
function judgeVariable(before: readonly JsonValue[], env: readonly JsonValue[], index: number, of: Walk): boolean {
  const name = nameIn(env[index]);
  const value = textOf(objectOf(env[index])["value"]) ?? "";
  if (!isProxyVariable(name, value) || !isOwnValue(env, index, before)) found(of, [], name);
  else if (name === "PROXY_CONFIG") judgeConfig(value, of);
  return !value.includes("$");
}

/** Whether a container of the mesh may have a variable, with that value, without anybody's word. */
export function isProxyVariable(name: string, value: string | undefined): boolean {
  return isOpenWithAnyValue(name) ?? PROXY_VARIABLES.includes(`${name}=${value}`);
}

/** Nearly all pods have the same variables, and there are a hundred patterns. Undefined for one that a value may open. */
const isOpenWithAnyValue = memoize((name): boolean | undefined => {
  const isOf = (patterns: readonly string[]) => patterns.some((pattern) => matchesPattern(pattern, name));
  return isOf(CLOSED_VARIABLES) ? false : isOf(PROXY_VARIABLES) || undefined;
});

/** The agent reads JSON, and YAML, which no injection writes. */
function judgeConfig(json: string, of: Walk): void {
  if (json === "{}" || json.includes(UNKNOWN)) return;
  const parsed = parseJson(json);
  if (!isObject(parsed)) found(of, ["value"]);
  const config = objectOf(parsed);
  for (const field in config) if (!PROXY_CONFIG_FIELDS.includes(field)) found(of, ["value", field], field);
  for (const [name, value] of Object.entries(objectOf(config["proxyMetadata"])))
    if (!isProxyVariable(name, textOf(value))) found(of, ["value", "proxyMetadata", name], name);
}

/** A container with another name has no command line that is known. */
function judgeArguments(args: readonly JsonValue[], of: Walk): void {
  const { words, flags } = COMMAND_LINES.get(of.container as string) ?? UNKNOWN_LINE;
  let at = 0;
  for (const known of words) {
    const word = text(args[at]);
    if (args.length === 0 || word.startsWith("-")) break;
    if (!known.includes(word)) found(of, [at]);
    at += 1;
  }
  for (; at < args.length; at++) {
    const word = text(args[at]);
    const takesWord = flags.get(word);
    if (takesWord === undefined) {
      if (!flags.has(word.split("=", 1)[0] ?? "")) found(of, [at]);
    } else if (takesWord && !flags.has(text(args[at + 1]))) at += 1;
  }
}

const UNKNOWN_LINE: CommandLine = { words: [], flags: new Map() };

/** Returns whether the mount is one of the proxy's own; a volume of the author's is judged by what it is. */
function judgeMount(mount: JsonValue, of: Walk): boolean {
  const name = nameIn(mount);
  if (PROXY_MOUNTS.has(`${text(objectOf(mount)["mountPath"]).replace(/\/$/, "")}=${name}`)) return true;
  if (!objectsOf(of.was["volumes"]).some((volume) => nameIn(volume) === name)) found(of, [], name);
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
