// A pod of a cluster as it may be kept in a source tree: with the shape of its owner's pod, and nothing of its values that a condition of
// a template does not need. What is kept is an allow-list; every other text is replaced, so a field that nobody thought of is too.
//
// | what of the pod                                              | in the sample                                                     |
// |--------------------------------------------------------------|-------------------------------------------------------------------|
// | numbers, booleans, amounts, keys, how many there are of what | as they are                                                       |
// | words that API servers define (`restartPolicy: Never`)       | as they are                                                       |
// | the names of its workload, namespace and containers          | as they are                                                       |
// | words that the tree spells itself                            | as they are                                                       |
// | values of variables, arguments, addresses, names in Secrets  | never: another text of the same form                              |
// | every other text                                             | another text of the same form, but where a condition needs it     |
import { type FieldPath, isObject, type JsonObject, type JsonValue, metadataKeys, parseJson } from "@outrigger/base";
import { workloadOf } from "@outrigger/injector";
import { formatFieldPath, isQuantity, POD_TYPE, type Pod, type TypeSchema } from "@outrigger/pod";
import { formatYaml, parseYaml } from "@outrigger/yaml";
import { hasAddress, isPlain, neutralImage, neutralText, startNaming, withoutRegistry } from "./neutral-text.ts";

/** What a pod is asked about while its values are replaced. */
interface NeutralPorts {
  /** The branches that a pod takes, as a set of bits. None where it would not be made, or is less valid than the first one. */
  readonly branchesOf: (pod: Pod) => bigint;
  /** Whether the tree itself has the word. */
  readonly isTrees: (text: string) => boolean;
}

interface NeutralPod {
  readonly pod: Pod;
  /** Fields whose values are those of the owner's pod, because a condition needs them. */
  readonly kept: readonly string[];
  /** The branches that it takes: those of the owner's pod, but where values decide that are never kept. */
  readonly branches: bigint;
}

/**
 * Returns the pod with as few of its own values as its branches allow.
 *
 * @param given the pod as its author wrote it
 */
export function neutralPod(given: Pod, { branchesOf, isTrees }: NeutralPorts): NeutralPod {
  const pod = withoutHashes(withOwner(given));
  const withheld = withheldTexts(pod);
  const { replaced } = replaceTexts(pod, new Set(), withheld, isTrees);
  const branchesWith = (kept: readonly string[]) => branchesOf(replaceTexts(pod, new Set(kept), withheld, isTrees).pod);
  const all = [...replaced.keys()];
  const least = branchesWith([]);
  // Where values decide that are never kept, the most that can be had of the pod's branches.
  const most = least === branchesOf(given) ? least : branchesWith(all);
  const kept = least === most ? [] : neededOf([], all, (texts) => branchesWith(texts) === most);
  const made = replaceTexts(pod, new Set(kept), withheld, isTrees);
  const fields = kept.flatMap((text) => replaced.get(text) ?? []);
  return { pod: made.pod, kept: [...new Set(fields)], branches: most };
}

/** As few texts as are needed: without any one of them, the pod takes other branches. */
function neededOf(
  base: readonly string[],
  texts: readonly string[],
  isFit: (kept: readonly string[]) => boolean,
): readonly string[] {
  if (isFit(base)) return [];
  if (texts.length <= 1) return texts;
  const middle = texts.length >> 1;
  const [left, right] = [texts.slice(0, middle), texts.slice(middle)];
  const ofLeft = neededOf([...base, ...right], left, isFit);
  return [...ofLeft, ...neededOf([...base, ...ofLeft], right, isFit)];
}

/** Metadata that an author writes, with the controller as the only owner. */
function withOwner({ metadata = {}, spec }: Pod): Pod {
  const { name, generateName, namespace, labels, annotations, ownerReferences = [] } = metadata;
  const owners = ownerReferences.filter(({ controller }) => controller === true);
  const { [metadataKeys.fallback]: _, ...own } = annotations ?? {};
  const written = {
    ...(generateName ? { generateName } : { name }),
    ...(generateName && owners.some(({ kind }) => kind === "StatefulSet") && { name }),
    namespace,
    ...(labels !== undefined && { labels }),
    ...(Object.keys(own).length > 0 && { annotations: own }),
    ...(owners.length > 0 && {
      ownerReferences: owners.map(({ apiVersion, kind, name: owner }) => ({
        apiVersion,
        kind,
        name: owner,
        uid: UID,
        controller: true,
      })),
    }),
  };
  return { metadata: written, spec } as Pod;
}

const UID = "00000000-0000-4000-8000-000000000001";

/** A hash of the pod's template, wherever names have it, is that of no template. */
function withoutHashes({ metadata = {}, ...rest }: Pod): Pod {
  const hashes = HASHES.flatMap((key) => metadata.labels?.[key] || []);
  if (hashes.length === 0) return { metadata, ...rest };
  const rename = (text: string | undefined) =>
    text && hashes.reduce((named, hash) => named.replaceAll(hash, HASH), text);
  const labels = Object.entries(metadata.labels ?? {}).map(([key, value]) => [
    key,
    HASHES.includes(key) ? HASH : value,
  ]);
  const { generateName, name, ownerReferences } = metadata;
  return {
    ...rest,
    metadata: {
      ...metadata,
      ...(generateName && { generateName: rename(generateName) }),
      ...(name && { name: rename(name) }),
      labels: Object.fromEntries(labels),
      ...(ownerReferences && {
        ownerReferences: ownerReferences.map((owner) => ({ ...owner, name: rename(owner.name) })),
      }),
    },
  } as Pod;
}

const HASHES: readonly string[] = ["pod-template-hash", "rollouts-pod-template-hash"];
const HASH = "6d4cf56db6";

/**
 * Texts that no other field of a sample may have either, where they are long enough to be no ordinary word. Secrets are often called as
 * their workload is: such a name stays its workload's.
 */
function withheldTexts(pod: Pod): readonly string[] {
  const names = namesOf(pod);
  const found = new Set<string>();
  eachText(pod, (text, path) => {
    if (isWithheld(path)) found.add(text);
    return text;
  });
  return [...found].filter((text) => text.length >= LONG && !names.has(text));
}

const LONG = 8;

interface Replaced {
  readonly pod: Pod;
  /** The texts that were replaced, and may be kept → the fields that have them. */
  readonly replaced: ReadonlyMap<string, readonly string[]>;
}

function replaceTexts(
  pod: Pod,
  kept: ReadonlySet<string>,
  withheld: readonly string[],
  isTrees: (text: string) => boolean,
): Replaced {
  const nameOf = startNaming();
  const replaced = new Map<string, readonly string[]>();
  const names = namesOf(pod);
  const tells = (text: string) => withheld.some((one) => text.includes(one));
  const made = eachText(
    pod,
    (text, path) => {
      const isImage = path.at(-1) === "image" && path[0] === "spec";
      const neutral = () => (isImage ? neutralImage(text, nameOf) : neutralText(text, nounOf(path), nameOf));
      if (isWithheld(path)) return withheldText(text, path, neutral);
      if (isDefined(path) || isPlain(text) || isTrees(text) || names.has(text)) return text;
      const own = isImage ? withoutRegistry(text) : text;
      if (tells(own) || /[{}]/.test(own) || (!isImage && hasAddress(own))) return neutral();
      replaced.set(text, [...(replaced.get(text) ?? []), formatFieldPath(path)]);
      return kept.has(text) ? own : neutral();
    },
    (key) => (tells(key) && !isTrees(key) ? neutralText(key, "key", nameOf) : key),
  );
  return { pod: made, replaced };
}

/** Of variables, arguments and headers, only whether there is a text is left. Other texts have to stay apart. */
function withheldText(text: string, path: FieldPath, neutral: () => string): string {
  if (text === "") return "";
  return ANY_TEXT.has(fieldsOf(path).slice(-2).join(".")) || ANY_TEXT.has(String(fieldsOf(path).at(-1)))
    ? "value"
    : neutral();
}

const ANY_TEXT: ReadonlySet<string> = new Set(["env.value", "httpHeaders.value", "options.value", "args", "command"]);

/** Fields that hold an address, or a name that is one. */
const ADDRESSES: readonly string[] = [
  ...["ip", "hostIP", "host", "hostnames", "nameservers", "searches", "hostname", "subdomain", "hostnameOverride"],
  ...["server", "targetPortal", "portals", "monitors", "gateway", "endpoints", "address", "registry"],
];
const VALUES: ReadonlySet<string> = new Set([...ANY_TEXT, "sysctls.value", "volumeAttributes", "options"]);

/** What a text at this place is called in a sample. */
function nounOf(path: FieldPath): string {
  const fields = fieldsOf(path);
  if (path[0] === "metadata") return "value";
  if (fields.some((field) => /secret/i.test(field))) return "secret";
  return NOUNS[fields.at(-2) ?? ""] ?? "value";
}

/** List that holds the items → what their names are called. */
const NOUNS: Readonly<Record<string, string>> = {
  env: "variable",
  volumes: "volume",
  volumeMounts: "volume",
  volumeDevices: "volume",
  ports: "port",
  httpHeaders: "header",
  hostAliases: "host",
  httpGet: "host",
  configMap: "config",
  configMapRef: "config",
  configMapKeyRef: "config",
};

/** Whether a text at this place is never in a sample. */
function isWithheld(path: FieldPath): boolean {
  const fields = fieldsOf(path);
  const [holder = "", last = ""] = [fields.at(-2), fields.at(-1)];
  return (
    VALUES.has(`${holder}.${last}`) ||
    VALUES.has(last) ||
    VALUES.has(holder) ||
    ADDRESSES.includes(last) ||
    fields.some((field) => /secret|password|passwd|credential|token|proxyMetadata/i.test(field))
  );
}

/** Names that a reader knows the pod by: they are in the name of its sample, and conditions and annotations refer to them. */
function namesOf(pod: Pod): ReadonlySet<string> {
  const { metadata = {}, spec } = pod;
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const owners = metadata.ownerReferences?.flatMap(({ name, uid }) => [name, uid]) ?? [];
  const own = [metadata.name, metadata.generateName, metadata.namespace, workloadOf(pod).name, HASH];
  return new Set([...own, ...owners, ...containers.map(({ name }) => name)].filter((name) => name !== undefined));
}

/** Fields whose texts API servers define: what is not one of a few words is rejected. */
const DEFINED: ReadonlySet<string> = new Set(
  [
    "apiVersion kind uid controller fieldPath resource protocol scheme operator effect medium restartPolicy",
    "dnsPolicy imagePullPolicy pullPolicy preemptionPolicy terminationMessagePolicy procMount mountPropagation",
    "recursiveReadOnly volumeMode accessModes whenUnsatisfiable stopSignal nodeAffinityPolicy nodeTaintsPolicy",
    "fsGroupChangePolicy supplementalGroupsPolicy seLinuxChangePolicy cachingMode storageMode action keyType",
    "os.name hostPath.type seccompProfile.type appArmorProfile.type capabilities.add capabilities.drop",
  ].flatMap((line) => line.split(" ")),
);

function isDefined(path: FieldPath): boolean {
  const [holder, last] = fieldsOf(path).slice(-2);
  if (path[0] !== "spec" && path[1] !== "ownerReferences") return false;
  return DEFINED.has(String(last)) || DEFINED.has(`${holder}.${last}`);
}

function fieldsOf(path: FieldPath): readonly string[] {
  return path.filter((step) => typeof step === "string");
}

/** Replaces each text of a pod, those inside annotations that are JSON, YAML or lists too. Quantities and numbers are no texts. */
function eachText(
  pod: Pod,
  replace: (text: string, path: FieldPath) => string,
  replaceKey: (key: string) => string = (key) => key,
): Pod {
  return visit(pod as JsonObject, POD_TYPE, []) as Pod;

  function visit(value: JsonValue, type: TypeSchema | undefined, path: FieldPath): JsonValue {
    if (Array.isArray(value)) return value.map((item, at) => visit(item, type?.element, [...path, at]));
    if (isObject(value)) {
      const entries = Object.entries(value).flatMap(([key, inner]): readonly (readonly [string, JsonValue])[] => {
        if (inner === undefined) return [];
        const field = type?.kind === "map" ? type.element : type?.fields.get(key)?.type;
        const name = type?.kind === "object" ? key : replaceKey(key);
        return [[name, visit(inner, field, [...path, key])]];
      });
      return Object.fromEntries(entries);
    }
    if (typeof value !== "string") return value;
    if (type?.kind === "quantity" && isQuantity(value)) return value;
    return path[1] === "annotations" ? annotation(value, path) : replace(value, path);
  }

  function annotation(text: string, path: FieldPath): string {
    const json = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
    if (isObject(json) || Array.isArray(json)) return apart(JSON.stringify(visitOpaque(json, path)));
    const yaml = /:\s/.test(text) || text.endsWith(":") ? parsedYaml(text) : undefined;
    if (isObject(yaml)) return formatYaml(visitOpaque(yaml, path));
    return text
      .split(",")
      .map((part) => part.replace(/\S(?:.*\S)?/s, (word) => replace(word, path)))
      .join(",");
  }

  /** Inside of an annotation, a path goes on by the keys. */
  function visitOpaque(value: JsonValue, path: FieldPath): JsonValue {
    if (Array.isArray(value)) return value.map((item, at) => visitOpaque(item, [...path, at]));
    if (typeof value === "number") return numberOr(replace(String(value), path));
    if (!isObject(value)) return typeof value === "string" ? replace(value, path) : value;
    const entries = Object.entries(value).flatMap(([key, inner]) =>
      inner === undefined ? [] : [[replaceKey(key), visitOpaque(inner, [...path, key])] as const],
    );
    return Object.fromEntries(entries);
  }
}

/** A number of an annotation may be a password: it is replaced as a text is. */
function numberOr(text: string): JsonValue {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

/** Parameter Store takes no two braces in a row. No text inside of this JSON has any. */
function apart(json: string): string {
  return json.replaceAll(/[{}](?=[{}])/g, "$& ");
}

function parsedYaml(text: string): JsonValue | undefined {
  try {
    return parseYaml(text, "") as JsonValue;
  } catch {
    return undefined;
  }
}
