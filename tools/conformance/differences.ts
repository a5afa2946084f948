// Which row of docs/reference/differences.json explains why a case differs from the reference. A row of the setting
// `compatibility` explains what differs without the setting and is equal with it; any other row, what differs even so.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, jsonEqual, metadataKeys } from "@outrigger/base";
import { containerNames } from "@outrigger/injector";
import { type Container, type Pod, validatePod } from "@outrigger/pod";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { compareObjects } from "./compare-objects.ts";
import type { ConformanceCase } from "./conformance-case.ts";
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
  /** The key of `config` with which there is no difference; null where there is always one. */
  readonly setting: "compatibility" | null;
  /** A pod that shows it, with the settings that it needs in addition to the shipped ones; null where no pod is needed. */
  readonly example: (JsonObject & { readonly pod: JsonObject }) | null;
}

const DIFFERENCES_FILE = join(projectRoot, "docs/reference/differences.json");

export const differenceRows: readonly DifferenceRow[] = JSON.parse(readFileSync(DIFFERENCES_FILE, "utf8"));

/** The first row that explains a difference, those of the first setting first; undefined if none does. */
export function explainingRow(
  conformanceCase: ConformanceCase,
  outcome: CaseOutcome,
  settings: readonly DifferenceRow["setting"][],
): string | undefined {
  const pods = differingPods(conformanceCase, outcome);
  const rows = settings.flatMap((setting) => differenceRows.filter((row) => row.setting === setting));
  return rows.find(({ id }) => pods.some((pod) => EXPLAINS.get(id)?.(pod, conformanceCase)))?.id;
}

/** One pod of a case. */
interface Differing {
  readonly author: Pod;
  /** The pod that the reference makes of it, or undefined if it denies the pod. */
  readonly expected: Pod | undefined;
  /** The pod that Outrigger makes of it, or undefined if it denies the pod or fails. */
  readonly actual: Pod | undefined;
  readonly outcome: CaseOutcome;
}

function differingPods({ request, expect }: ConformanceCase, outcome: CaseOutcome): readonly Differing[] {
  if (request.manifest === undefined) {
    const author = request.object as Pod;
    const expected = expect.injected === false ? author : (expect.pod as Pod | undefined);
    return [{ author, expected, actual: outcome.kind === "pod" ? (outcome.pod as Pod) : undefined, outcome }];
  }
  const expected = podsOf(expect.documents ?? []);
  return podsOf(readDocuments(request.manifest)).map(({ pod }, at) => ({
    author: pod as Pod,
    expected: expected[at]?.pod as Pod | undefined,
    actual: outcome.kind === "pods" ? (outcome.pods[at] as Pod) : undefined,
    outcome,
  }));
}

type Explains = (pod: Differing, conformanceCase: ConformanceCase) => boolean;

const { proxy, init, validation } = containerNames;

/**
 * The function of each row that says whether the row explains the difference of a pod. Rows about something else than a
 * pod have none.
 */
const EXPLAINS: ReadonlyMap<string, Explains> = new Map(
  Object.entries<Explains>({
    "url-parameter": ({ expected }, { request }) =>
      request.path?.startsWith("/inject/") === true &&
      faultsOf(expected).some((path) => path.includes(metadataKeys.network)),
    "proxy-in-both-lists": ({ author }) => isIn(author, "containers", proxy) && isIn(author, "initContainers", proxy),
    "proxy-is-only-container": ({ author }) => author.spec?.containers?.every(({ name }) => name === proxy) === true,
    "canonical-name": ({ expected }) => faultsOf(expected).some((path) => path.includes(metadataKeys.canonicalName)),
    "status-port-0": ({ author }) => annotationOf(author, metadataKeys.statusPort) === "0",
    "author-volume": ({ author, expected }) =>
      author.spec?.volumes?.some(({ name }) =>
        expected?.spec?.volumes?.some((volume) => volume.name === name && Object.keys(volume).length > 2),
      ) === true,
    "template-names-proxy": ({ expected }) =>
      injectedIn(expected, "containers") && injectedIn(expected, "initContainers"),
    "native-sidecar-value": ({ author }) =>
      !["true", "false", "", undefined].includes(annotationOf(author, metadataKeys.nativeSidecar)),
    "author-proxy-in-init-containers": ({ author }) => isIn(author, "initContainers", proxy),
    "author-handler": ({ author, expected }) =>
      isIn(author, "containers", proxy) &&
      faultsOf(expected).some((path) => /Probe|lifecycle|\.env\[|valueFrom/.test(path)),
    "own-init-container-user": ({ author }) =>
      [init, validation].some((name) => isIn(author, "initContainers", name)) && isIn(author, "containers", proxy),
    "platform-user": (_pod, { environment }) => environment.platform === "openshift",
    "spaces-between-ports": ({ author }, { values }) =>
      /[Ee]xcludeInboundPorts":"[^"]*\s/.test(textOf(author) + textOf(values)),
    "order-of-no-containers": ({ expected }, { config }) =>
      expected === undefined && textOf(config).includes("$setElementOrder/containers"),
    "types-in-eq": (_pod, { expect }) => expect.error?.includes("incompatible types for comparison") === true,
    // Only where nothing else differs: with the reference's scrape annotations, the pod is the reference's.
    "without-proxy": ({ author, expected, actual }) =>
      actual !== undefined &&
      expected !== undefined &&
      !hasContainer(expected, proxy) &&
      compareObjects(expected, withScrapeOf(expected, actual), author).length === 0,
    "shared-merge-key": ({ author, actual }) =>
      author.spec?.containers?.some(
        ({ name, ports = [] }) =>
          new Set(ports.map(({ containerPort }) => containerPort)).size < ports.length &&
          jsonEqual(ports, actual?.spec?.containers?.find((container) => container.name === name)?.ports ?? null),
      ) === true,
    "rejected-otherwise": ({ expected }) => faultsOf(expected).length > 0,

    windows: ({ author, actual }) => textOf(author.spec).includes("windows") && isSame(author, actual),
    "fault-is-500": ({ expected, outcome }) => expected === undefined && outcome.kind === "failed",
    "again-invalid": ({ author }) => isInjected(author) && faultsOf(author).length > 0,
    again: ({ author, actual }) => isInjected(author) && isSame(author, actual),
    "again-deleted": ({ author }, { config }) => isInjected(author) && textOf(config).includes("$patch: delete"),
    "copied-annotations": ({ author }) =>
      annotationOf(author, metadataKeys.overrides) !== undefined && !hasRenderedProxy(author),
    "again-without-notes": ({ author, actual }) =>
      annotationOf(author, metadataKeys.overrides)?.includes(`"name":"${proxy}"`) === true &&
      !(annotationOf(author, metadataKeys.status) ?? "checksum/").includes("checksum/") &&
      namesOf(author) === namesOf(actual),
    decimal: ({ author }) => Object.values(author.metadata?.annotations ?? {}).some((text) => /^0\d+$/.test(text)),
    "user-volume": ({ author }) => /"\$|:\s*\{\s*\}/.test(annotationOf(author, "sidecar.istio.io/userVolume") ?? ""),
    "yaml-aliases": ({ outcome }) => outcome.kind === "denied" && outcome.message.includes("aliases"),
    "datadog-env": ({ author, expected }) =>
      annotationOf(author, DATADOG) !== undefined && (expected === undefined || textOf(expected).includes(NO_VALUE)),
    "missing-value": ({ expected }) => textOf(expected).includes(NO_VALUE),
    "repeated-template": ({ author }) => {
      const names =
        annotationOf(author, metadataKeys.templates)
          ?.split(",")
          .map((name) => name.trim()) ?? [];
      return new Set(names).size < names.length;
    },
    "text-in-annotation": ({ author, expected }, { values, expect }) => {
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

function hasContainer(pod: Pod, name: string): boolean {
  return isIn(pod, "containers", name) || isIn(pod, "initContainers", name);
}

/** The pod with the scrape annotations of another one. */
function withScrapeOf({ metadata: theirs }: Pod, pod: Pod): Pod {
  const isScrape = ([key]: [string, string]) => key.startsWith("prometheus");
  const own = Object.entries(pod.metadata?.annotations ?? {}).filter((entry) => !isScrape(entry));
  const scrape = Object.entries(theirs?.annotations ?? {}).filter(isScrape);
  return { ...pod, metadata: { ...pod.metadata, annotations: Object.fromEntries([...own, ...scrape]) } };
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
function injectedIn(pod: Pod | undefined, list: "containers" | "initContainers"): boolean {
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
