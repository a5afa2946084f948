// What differs between a pod that was injected with one configuration after another and one that was only injected with the
// second, save for what a pod that Istio's injector made does not record (docs/contributing/injection-record.md). A record of
// Outrigger's own has all of it, so these rows are wider than it needs.
import { isObject, type JsonObject, type JsonValue, jsonEqual, objectOf } from "@outrigger/base";
import type { Container, Pod, PodSpec, Volume } from "@outrigger/pod";

type Steps = readonly string[];

/**
 * The path of the first difference that no row explains.
 *
 * @param before the pod as the first configuration injected it
 */
export function undocumentedDifference(once: Pod, after: Pod, author: Pod, before: Pod): string | undefined {
  const rows = rowsFor(author, before);
  const found = differences(once as JsonObject, after as JsonObject, []);
  return found.find((steps) => !rows.some((isRow) => isRow(steps)))?.join(".");
}

type Row = (steps: Steps) => boolean;

const REWRITE = "sidecar.istio.io/rewriteAppHTTPProbers";

/** Annotations and labels that templates overwrite. */
const OVERWRITTEN =
  /^(?:istio\.io\/rev|traffic\.sidecar\.istio\.io\/.*|k8s\.v1\.cni\.cncf\.io\/networks|sidecar\.istio\.io\/rewriteAppHTTPProbers|security\.istio\.io\/tlsMode|service\.istio\.io\/canonical-.*)$/;

/** Fields that the generated templates write and that are not merged: what the author wrote there is lost. */
const REPLACED: ReadonlySet<string> = new Set([
  "dnsConfig",
  "hostAliases",
  "nodeSelector",
  "priorityClassName",
  "shareProcessNamespace",
  "terminationGracePeriodSeconds",
  "tolerations",
  "topologySpreadConstraints",
]);

function rowsFor(author: Pod, before: Pod): readonly Row[] {
  const containers: readonly Container[] = [...(author.spec?.containers ?? []), ...(author.spec?.initContainers ?? [])];
  const written = new Set(before.spec?.volumes?.filter((volume) => !isAuthors(volume, author)).map(({ name }) => name));
  const authored = new Set(author.spec?.volumes?.map(({ name }) => name));
  // Those of a pod without a proxy, which the next injection takes for the author's.
  const all = [...(before.spec?.containers ?? []), ...(before.spec?.initContainers ?? [])];
  const scraped = all.some(({ name }) => name === "istio-proxy") ? author : before;
  const hasScrapeAnnotations = Object.keys({ ...author.metadata?.annotations, ...scraped.metadata?.annotations }).some(
    (key) => key.startsWith("prometheus.io/"),
  );
  const hasNamedPort = containers.some((container) => /"port":(?:"|15020\b)/.test(JSON.stringify(container)));
  // A name, and the agent's own port. The gRPC templates overwrite the author's choice, and what follows from it.
  const hasLostProbes = hasNamedPort || author.metadata?.annotations?.[REWRITE] !== undefined;
  return [
    (steps) => hasLostProbes && steps.some((step) => /^(?:port|lifecycle|.*Probe|ISTIO_KUBE_APP_PROBERS)$/.test(step)),
    ([, field, key = ""]) => (field === "annotations" || field === "labels") && OVERWRITTEN.test(key),
    ([, field, key = ""]) => field === "annotations" && key.startsWith("prometheus.io/"),
    (steps) => hasScrapeAnnotations && steps.includes("ISTIO_PROMETHEUS_ANNOTATIONS"),
    ([, field]) => field === "securityContext",
    ([, field, name = ""]) => field === "volumes" && written.has(name) && authored.has(name),
    ([, field = ""]) => REPLACED.has(field) && author.spec?.[field as keyof PodSpec] !== undefined,
  ];
}

function isAuthors(volume: Volume, author: Pod): boolean {
  return author.spec?.volumes?.some((own) => jsonEqual(own, volume)) === true;
}

/** Annotations with the record of an injection, which is about what came before it. */
const RECORDS: ReadonlySet<string> = new Set(["sidecar.istio.io/status"]);

/** The annotation that holds containers, to which the same rows apply. */
const OVERRIDES = "proxy.istio.io/overrides";

function differences(a: JsonValue | undefined, b: JsonValue | undefined, steps: Steps): readonly Steps[] {
  if (a === b || (isAbsent(a, steps) && isAbsent(b, steps))) return [];
  if (steps.at(-1) === OVERRIDES && typeof a === "string" && typeof b === "string")
    return differences(JSON.parse(a), JSON.parse(b), steps);
  const lists = [a ?? [], b ?? []] as const;
  if (Array.isArray(lists[0]) && Array.isArray(lists[1])) return listDifferences(lists[0], lists[1], steps);
  if (!isObject(a) || !isObject(b)) return [steps];
  if (steps.at(-1) === "resources" && (a["requests"] === undefined || b["requests"] === undefined))
    return differences(withRequests(a), withRequests(b), [...steps, "(with requests)"]);
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].flatMap((key) => (RECORDS.has(key) ? [] : differences(a[key], b[key], [...steps, key])));
}

/** An API server stores an empty list, and null, as none; so it does a probe's delay of 0. */
function isAbsent(value: JsonValue | undefined, steps: Steps): boolean {
  if (value === 0) return steps.at(-1) === "initialDelaySeconds";
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** An API server writes the limits as requests where there are none: SetDefaults_Pod. */
function withRequests({ limits, requests, ...others }: JsonObject): JsonObject {
  const given = { ...objectOf(limits), ...objectOf(requests) };
  return { ...others, ...(limits === undefined ? {} : { limits }), requests: given };
}

/** Items with a name go by it. The order of volumes has no meaning. */
function listDifferences(a: readonly JsonValue[], b: readonly JsonValue[], steps: Steps): readonly Steps[] {
  const names = (list: readonly JsonValue[]) => list.map((item, at) => nameOf(item) ?? String(at));
  const [first, second] = [names(a), names(b)];
  const isOrdered = steps.at(-1) !== "volumes" && new Set(first).size === first.length;
  const order =
    isOrdered &&
    first.filter((name) => second.includes(name)).join() !== second.filter((name) => first.includes(name)).join();
  if (order) return [[...steps, "(order)"]];
  const all = new Set([...first, ...second]);
  return [...all].flatMap((name) => differences(a[first.indexOf(name)], b[second.indexOf(name)], [...steps, name]));
}

function nameOf(item: JsonValue): string | undefined {
  return isObject(item) && typeof item["name"] === "string" ? item["name"] : undefined;
}
