// Which rows of docs/reference/differences.json explain why a case differs from the reference: each difference needs a row
// that names its path, and whose condition holds for the pod. A row of the setting `compatibility` explains what differs
// without the setting and is equal with it; any other row, what differs even so.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { annotationRules, isObject, type JsonObject, jsonEqual, metadataKeys, objectOf } from "@outrigger/base";
import { containerNames } from "@outrigger/injector";
import { type Container, type Pod, validatePod } from "@outrigger/pod";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { compareObjects, type Difference, differencesOf, parsed } from "./compare-objects.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { isAt } from "./difference-path.ts";
import { type CaseOutcome, readDocuments } from "./entry-points.ts";
import { podsOf } from "./manifest-pods.ts";

/** A deliberate difference from Istio's injector. */
export interface DifferenceRow {
  readonly id: string;
  /** Heading of docs/differences.md under which the row is printed. */
  readonly section: string;
  /** The pod, or the setting, that shows the difference. */
  readonly what: string;
  readonly reference: string;
  readonly here: string;
  readonly why: string;
  /** The cells of the row in another language, by the language's tag. */
  readonly translations: Readonly<Record<string, Pick<DifferenceRow, "what" | "reference" | "here">>>;
  /** The first version of Outrigger that differs. */
  readonly since: string;
  /**
   * The differences that the row explains, each by its path in the injected pod and, after a colon, the kinds of the two
   * values: `.spec.*[istio-proxy].securityContext.runAsUser: number → nothing`. Where there is only one pod, by the answer:
   * `denied` and `failed` by Outrigger, `injected` where the reference denies.
   */
  readonly paths: readonly string[];
  /** The key of `config` with which there is no difference; null where there is always one. */
  readonly setting: "compatibility" | null;
  /** A pod that shows it, with the settings that it needs in addition to the shipped ones; null where no pod is needed. */
  readonly example: (JsonObject & { readonly pod: JsonObject }) | null;
}

const DIFFERENCES_FILE = join(projectRoot, "docs/reference/differences.json");

export const differenceRows: readonly DifferenceRow[] = JSON.parse(readFileSync(DIFFERENCES_FILE, "utf8"));

/**
 * The rows that together explain every difference of a case, as few as there can be; none if a difference has no row.
 *
 * @param count the number of differences that are known; those outside of pods have no row
 */
export function explainingRows(
  conformanceCase: ConformanceCase,
  outcome: CaseOutcome,
  settings: readonly DifferenceRow["setting"][],
  count: number,
): readonly string[] {
  const rows = settings.flatMap((setting) => differenceRows.filter((row) => row.setting === setting));
  const found = differencesOfCase(conformanceCase, outcome);
  const explained = rows.map(({ id, paths }) => ({
    id,
    found: found.filter((each) => paths.some((path) => isAt(path, each)) && EXPLAINS.get(id)?.(each, conformanceCase)),
  }));
  return found.length < count ? [] : fewestRows(explained, found);
}

interface Explained {
  readonly id: string;
  readonly found: readonly Differing[];
}

/** The row that explains the most of what is left, and so on. */
function fewestRows(rows: readonly Explained[], left: readonly Differing[]): readonly string[] {
  if (left.length === 0) return [];
  const counted = rows.map(({ id, found }) => ({ id, rest: left.filter((each) => !found.includes(each)) }));
  const best = counted.reduce((a, b) => (b.rest.length < a.rest.length ? b : a));
  if (best.rest.length === left.length) return [];
  const others = fewestRows(rows, best.rest);
  return best.rest.length > 0 && others.length === 0 ? [] : [best.id, ...others];
}

/** One difference of a pod. */
interface Differing extends Pods, Omit<Difference, "line" | "expected" | "actual"> {
  /** The two values at the path. */
  readonly values: readonly [expected: unknown, actual: unknown];
}

/** One pod of a case. */
interface Pods {
  readonly author: Pod;
  /** The pod that the reference makes of it, or undefined if it denies the pod. */
  readonly expected: Pod | undefined;
  /** The pod that Outrigger makes of it, or undefined if it denies the pod or fails. */
  readonly actual: Pod | undefined;
  readonly outcome: CaseOutcome;
}

/** The differences between the pods; where an answer has no pod, the answer. */
function differencesOfCase(conformanceCase: ConformanceCase, outcome: CaseOutcome): readonly Differing[] {
  return podsOfCase(conformanceCase, outcome).flatMap((pods): readonly Differing[] => {
    const { author, expected, actual } = pods;
    if (outcome.kind === "denied" || outcome.kind === "failed")
      return [{ ...pods, path: outcome.kind, values: [undefined, undefined] }];
    if (expected === undefined) return [{ ...pods, path: "injected", values: [undefined, undefined] }];
    return differencesOf(expected, actual, author).map(({ path, ...values }) => ({
      ...pods,
      path,
      values: [values.expected, values.actual],
    }));
  });
}

function podsOfCase({ request, expect }: ConformanceCase, outcome: CaseOutcome): readonly Pods[] {
  if (request.manifest === undefined) {
    const author = request.object as Pod;
    const expected = expect.injected === false ? author : (expect.pod as Pod | undefined);
    return [{ author, expected, actual: outcome.kind === "pod" ? (outcome.pod as Pod) : undefined, outcome }];
  }
  const expected = podsOf(expect.documents ?? []);
  const actual = podsOfOutcome(outcome);
  return podsOf(readDocuments(request.manifest)).map(({ pod }, at) => ({
    author: pod as Pod,
    expected: expected[at]?.pod as Pod | undefined,
    actual: actual[at] as Pod | undefined,
    outcome,
  }));
}

function podsOfOutcome(outcome: CaseOutcome): readonly JsonObject[] {
  if (outcome.kind === "documents") return podsOf(outcome.documents).map(({ pod }) => pod);
  return outcome.kind === "pods" ? outcome.pods : [];
}

/** The condition of a row, besides its paths. */
type Explains = (difference: Differing, conformanceCase: ConformanceCase) => boolean;

const { proxy, init, validation } = containerNames;

/** The condition of each row under which it explains a difference at its paths. Rows about something else than a pod have none. */
const EXPLAINS: ReadonlyMap<string, Explains> = new Map(
  Object.entries<Explains>({
    "url-parameter": ({ expected, outcome }, { request }) =>
      request.path?.startsWith("/inject/") === true &&
      says(outcome, /url-invalid|API server would reject/) &&
      faultsOf(expected).some((path) => path.includes(metadataKeys.network)),
    "proxy-in-both-lists": ({ author, outcome }) =>
      isIn(author, "containers", proxy) && isIn(author, "initContainers", proxy) && says(outcome, /in two lists/),
    "proxy-is-only-container": ({ author, outcome }) =>
      author.spec?.containers?.every(({ name }) => name === proxy) === true && says(outcome, /only container/),
    "canonical-name": ({ expected }) => faultsOf(expected).some((path) => path.includes(metadataKeys.canonicalName)),
    "status-port-0": ({ author }) => annotationOf(author, metadataKeys.statusPort) === "0",
    "author-volume": ({ author, expected, outcome }) =>
      says(outcome, /has the proxy's token/) &&
      author.spec?.volumes?.some(({ name }) =>
        expected?.spec?.volumes?.some((volume) => volume.name === name && Object.keys(volume).length > 2),
      ) === true,
    "template-names-proxy": ({ expected }) =>
      isInjectedIn(expected, "containers") && isInjectedIn(expected, "initContainers"),
    "texts-that-stop-the-proxy": ({ author, outcome }) =>
      Object.keys(objectOf(author.metadata?.annotations)).some(
        (key) => annotationRules.has(key) && "message" in outcome && outcome.message.includes(`Annotation ${key} `),
      ),
    "negative-drain-duration": ({ author, outcome }) =>
      /terminationDrainDuration["']?:\s*["']?-/.test(annotationOf(author, metadataKeys.proxyConfig) ?? "") &&
      says(outcome, /terminationDrainDuration/),
    "native-sidecar-value": ({ author }) =>
      !["true", "false", "", undefined].includes(annotationOf(author, metadataKeys.nativeSidecar)),
    "author-proxy-in-init-containers": ({ author }) => isIn(author, "initContainers", proxy),
    "author-handler": ({ expected }) =>
      faultsOf(expected).some((path) => /Probe|lifecycle|\.env\[|valueFrom/.test(path)),
    "own-init-container-user": ({ author, values: [, actual] }) =>
      actual !== 0 &&
      [init, validation].some((name) => isIn(author, "initContainers", name)) &&
      isIn(author, "containers", proxy),
    "platform-user": (_pod, { environment }) => environment.platform === "openshift",
    "spaces-between-ports": ({ author }, { values }) =>
      /[Ee]xcludeInboundPorts":"[^"]*\s/.test(textOf(author) + textOf(values)),
    "order-of-no-containers": ({ expected }, { config }) =>
      expected === undefined && textOf(config).includes("$setElementOrder/containers"),
    "types-in-eq": (_pod, { expect }) => expect.error?.includes("incompatible types for comparison") === true,
    "without-proxy": ({ expected }) =>
      expected !== undefined && !isInjectedIn(expected, "containers") && !isInjectedIn(expected, "initContainers"),
    "shared-merge-key": ({ author, actual, path }) =>
      author.spec?.containers?.some(
        ({ name, ports = [] }) =>
          path.startsWith(`.spec.containers[${name}]`) &&
          new Set(ports.map(({ containerPort }) => containerPort)).size < ports.length &&
          jsonEqual(ports, actual?.spec?.containers?.find((container) => container.name === name)?.ports ?? null),
      ) === true,
    "rejected-otherwise": ({ expected, outcome }) => namesFault(outcome, expected),

    windows: ({ author, actual }) => textOf(author.spec).includes("windows") && isSame(author, actual),
    "fault-is-500": ({ expected, outcome }) => expected === undefined && outcome.kind === "failed",
    "again-invalid": ({ author, outcome }) =>
      isInjected(author) && faultsOf(author).length > 0 && says(outcome, /in two lists/),
    again: ({ author, actual }) => isInjected(author) && isSame(author, actual),
    "again-deleted": ({ author }, { config }) => isInjected(author) && textOf(config).includes("$patch: delete"),
    "copied-annotations": ({ author }) =>
      annotationOf(author, metadataKeys.overrides) !== undefined && !hasRenderedProxy(author),
    "again-without-notes": ({ author, actual }) =>
      annotationOf(author, metadataKeys.overrides)?.includes(`"name":"${proxy}"`) === true &&
      !(annotationOf(author, metadataKeys.status) ?? "checksum/").includes("checksum/") &&
      namesOf(author) === namesOf(actual),
    decimal: ({ author, values: [octal, decimal] }) =>
      Object.values(author.metadata?.annotations ?? {}).some(
        (text) => /^0\d+$/.test(text) && Number.parseInt(text, 8) === octal && Number(text) === decimal,
      ),
    "user-volume": ({ author }) => /"\$|:\s*\{\s*\}/.test(annotationOf(author, "sidecar.istio.io/userVolume") ?? ""),
    "yaml-aliases": ({ outcome }) => says(outcome, /aliases/),
    "datadog-env": ({ author, path, values: [expected] }) => {
      const variables = variablesOf(author);
      if (path === "injected")
        return annotationOf(author, DATADOG) === "" || variables.some(([, value]) => !isPlain(value));
      return (
        expected === NO_VALUE && variables.some(([name, value]) => value === null && path.includes(`.env[${name}].`))
      );
    },
    "missing-value": ({ expected, outcome, path, values: [text, actual] }) =>
      path === "failed"
        ? textOf(expected).includes(NO_VALUE) && says(outcome, /is required/)
        : textOf(text).includes(NO_VALUE) && String(text).replaceAll(NO_VALUE, "") === (actual ?? ""),
    "repeated-template": ({ author }, { config }) => {
      const names = templatesOf(author, config["aliases"]);
      return new Set(names).size < names.length;
    },
    "text-in-annotation": ({ author, expected, outcome }, { values, expect }) => {
      if (!says(outcome, /API server would reject|cannot be/)) return false;
      if (expected === undefined && !/JSON document|unmarshal/.test(expect.error ?? "")) return false;
      const annotations = Object.entries(author.metadata?.annotations ?? {}).filter(
        ([key]) => !STRUCTURED.includes(key),
      );
      return /["'#{}\\\n]|: /.test(scalarsOf([Object.fromEntries(annotations), author.metadata?.labels, values]));
    },
  }),
);

const DATADOG = "apm.datadoghq.com/env";
const NO_VALUE = "<no value>";

/** Annotations that hold JSON or YAML, which is read as such. */
const STRUCTURED: readonly string[] = [
  ...[metadataKeys.status, metadataKeys.overrides, metadataKeys.proxyConfig, DATADOG],
  ...["sidecar.istio.io/userVolume", "sidecar.istio.io/userVolumeMount", "k8s.v1.cni.cncf.io/networks"],
];

function annotationOf({ metadata }: Pod, key: string): string | undefined {
  return metadata?.annotations?.[key];
}

function isIn({ spec }: Pod, list: "containers" | "initContainers", name: string): boolean {
  return spec?.[list]?.some((container) => container.name === name) === true;
}

/** The templates that a pod names, with those that an alias stands for. */
function templatesOf(author: Pod, aliases: unknown): readonly string[] {
  const names = annotationOf(author, metadataKeys.templates)?.split(",") ?? [];
  return names
    .map((name) => name.trim())
    .flatMap((name) => (isObject(aliases) ? ((aliases[name] ?? [name]) as readonly string[]) : [name]));
}

/** The environment variables of the annotation for Datadog. */
function variablesOf(author: Pod): readonly (readonly [string, unknown])[] {
  const variables = parsed(annotationOf(author, DATADOG));
  return isObject(variables) ? Object.entries(variables) : [];
}

/** Whether a value between quotation marks in a template is that value. */
function isPlain(value: unknown): boolean {
  return typeof value === "string" && !/["\\]/.test(value);
}

/** Whether a denial has the words; any other outcome has nothing to say. */
function says(outcome: CaseOutcome, words: RegExp): boolean {
  return (outcome.kind !== "denied" && outcome.kind !== "failed") || words.test(outcome.message);
}

/** Whether the denial names a fault of the reference's pod, wherever the item of a list stands there. */
function namesFault(outcome: CaseOutcome, expected: Pod | undefined): boolean {
  const withoutPlaces = (text: string) => text.replace(/\[\d+\]/g, "[]");
  const message = withoutPlaces("message" in outcome ? outcome.message : "");
  return faultsOf(expected).some((path) => message.includes(withoutPlaces(path)));
}

/** The names of a pod's containers, list by list. */
function namesOf(pod: Pod | undefined): string {
  const lists = [pod?.spec?.initContainers ?? [], pod?.spec?.containers ?? []];
  return lists
    .map((list) =>
      list
        .map(({ name }) => name)
        .sort()
        .join(),
    )
    .join(";");
}

/** Whether the status says that a template named the proxy in the list. */
function isInjectedIn(pod: Pod | undefined, list: "containers" | "initContainers"): boolean {
  const text = pod && annotationOf(pod, metadataKeys.status);
  if (text === undefined || !text.startsWith("{")) return false;
  const status = JSON.parse(text);
  return Array.isArray(status[list]) && status[list].includes(proxy);
}

function isInjected(pod: Pod): boolean {
  return annotationOf(pod, metadataKeys.status) !== undefined;
}

function hasRenderedProxy({ spec }: Pod): boolean {
  const containers: readonly Container[] = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return containers.some(({ name, env }) => name === proxy && env?.some((entry) => entry.name === "PROXY_CONFIG"));
}

function isSame(pod: Pod, actual: Pod | undefined): boolean {
  return compareObjects(pod, actual, pod).length === 0;
}

/** The places of a pod at which an API server rejects it. */
function faultsOf(pod: Pod | undefined): readonly string[] {
  return pod === undefined ? [] : validatePod(pod, { isTemplate: true }).map(({ path }) => path);
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

/** The texts in a value, without JSON's own characters. */
function scalarsOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? Object.values(value).map(scalarsOf).join(" ") : "";
}
