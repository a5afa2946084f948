// The whole answer of `outrigger explain`: which webhook sends a pod, the usual mistakes, the injector's decision, and what
// runs. A cluster is asked where one is named; the release is the one that serves it.
import { DEFAULT_REVISION, defined, type JsonObject, objectOf, usageError } from "@outrigger/base";
import { tryWorkload } from "@outrigger/cluster";
import type { InjectRequest } from "@outrigger/injector";
import { decodePod, loadRelease, manifestPods, type NamedPod, podWarnings } from "@outrigger/injector";
import type { ServedRelease } from "@outrigger/rollouts";
import { explainSelection, usualMistakes } from "@outrigger/webhook";
import { readManifests } from "../manifests/read-manifests.ts";
import { parseWorkload } from "../manifests/workload-kinds.ts";
import { type KubeconfigOptions, namesContext } from "../options/cluster-options.ts";
import { parseLabels } from "../options/names.ts";
import { findRelease, type PodOptions } from "../options/release-options.ts";
import type { Io } from "../terminal/io.ts";
import { shippedTree } from "../tree/read-trees.ts";
import { type RunningPod, readNamespaceLabels, readRunningPods, readWorkload } from "./explain-cluster.ts";
import { type Account, explainPod } from "./explain-pod.ts";
import { type Admission, type ExplainedLine, explainLines, resultOf, type Selection } from "./explain-result.ts";
import { connectToExplain, type ExplainedCluster, parametersOf, servedOptions } from "./explained-cluster.ts";

export interface ExplainOptions extends Omit<PodOptions, "filename">, KubeconfigOptions {
  readonly filename?: readonly string[];
  readonly namespaceLabel?: readonly string[];
  readonly lines?: true;
}

/** An account of one pod. What is not known is left out. */
export interface Explained extends Account {
  /** The verdict: what happens to the pod, in one sentence. */
  readonly result: string;
  readonly selection?: readonly Selection[];
  readonly mistakes: readonly string[];
  readonly running?: readonly RunningPod[];
  readonly admission?: Admission;
  readonly lines?: readonly ExplainedLine[];
}

type Labels = Readonly<Record<string, string>>;

interface Subject extends NamedPod {
  readonly kind: string;
  readonly workloadLabels: Labels;
}

export async function explainWorkloads(workload: string | undefined, options: ExplainOptions, io: Io) {
  const { filename, namespaceLabel } = options;
  if (workload === undefined && filename === undefined) {
    throw usageError("Required option '-f, --filename <file>' not specified, nor a workload such as deploy/web");
  }
  if (workload !== undefined && filename !== undefined) {
    throw usageError("Cannot use both a workload and --filename: name one of them");
  }
  const asksCluster = workload !== undefined || namesContext(options);
  if (asksCluster && namespaceLabel !== undefined) {
    throw usageError("Cannot use --namespace-label with a cluster: its namespaces have their own labels");
  }
  const given =
    namespaceLabel === undefined
      ? undefined
      : parseLabels(namespaceLabel, "--namespace-label", "istio-injection=enabled");
  const cluster = asksCluster ? await connectToExplain(options, io) : undefined;
  const named = workload === undefined ? undefined : parseWorkload(workload);
  const namespace = options.namespace ?? "default";
  const live = named && cluster && { named, cluster, ...(await readWorkload(cluster.kube, named, namespace)) };
  const subjects = live
    ? [liveSubject(workload ?? "", live.named.kind.kind, live.object, live.pod, namespace)]
    : await fileSubjects(filename ?? ["-"], options, io);
  const { referred, settings } = await findRelease(await servedOptions(options, cluster, subjects[0]?.request, io), io);
  const injector = loadRelease(referred.release);
  const layers = { release: referred.release, tree: referred.tree, shipped: await shippedTree(io) };
  const warningsOf = podWarnings(referred.release);
  const parameters = parametersOf(cluster);
  const registered = cluster?.installed.map(({ object }) => object) ?? options.revision ?? DEFAULT_REVISION;
  const { injectionLabel } = referred.release.config;
  const revisions = cluster?.revisions ?? [options.revision ?? DEFAULT_REVISION];
  const pods: Explained[] = [];
  for (const subject of subjects) {
    const request = { ...subject.request, cluster: settings, parameters };
    const account = explainPod(subject.name, request, injector, layers, warningsOf);
    const labels = cluster === undefined ? given : await readNamespaceLabels(cluster.kube, account.namespace);
    const { namespace: place } = account;
    const selection = labels && explainSelection(registered, { name: place, labels }, request.pod, injectionLabel);
    const { kind, workloadLabels } = subject;
    const about = { namespace: place, namespaceLabels: labels, pod: request.pod, workloadLabels, kind };
    const mistakes = usualMistakes({ ...about, revisions, injectionLabel });
    // The revision of a running pod's own injection counts, not that of the question.
    const servedTo = (revision: string): ServedRelease => {
      const own = revision === DEFAULT_REVISION ? settings : { ...settings, revision };
      return { injector, release: referred.digest, channel: referred.name, cluster: own, parameters };
    };
    const here = labels && { name: namespace, labels };
    const running =
      live && here && (await readRunningPods(live.cluster, live.named, live.object, here, servedTo, Date.now()));
    const admission =
      cluster && labels && (await admissionOf(cluster, subject, { name: place, labels, injectionLabel }, live?.object));
    const traced = { injector, compiled: referred.release.templates };
    const lines = options.lines === undefined ? undefined : explainLines(traced, request);
    const result = resultOf(account, selection, admission);
    pods.push({ ...account, result, mistakes, ...defined({ selection, running, admission, lines }) });
  }
  return { release: referred.digest, from: referred.name, pods };
}

/** A pod that runs has been admitted: what would become of another one is asked of its workload. */
async function admissionOf(
  { kube }: ExplainedCluster,
  { name, kind, request }: Subject,
  place: { readonly name: string; readonly labels: Labels; readonly injectionLabel: string | undefined },
  object: JsonObject | undefined,
): Promise<Admission | undefined> {
  if (kind === "Pod" && object !== undefined) return undefined;
  const { metadata = {}, spec = {} } = request.pod;
  const pod = { metadata, spec } as unknown as JsonObject;
  const workload = { name: name.split("/").at(-1) ?? name, namespace: place.name, namespaceLabels: place.labels, pod };
  return tryWorkload(kube, { ...workload, ...defined({ object, injectionLabel: place.injectionLabel }) });
}

async function fileSubjects(filename: readonly string[], options: ExplainOptions, io: Io): Promise<readonly Subject[]> {
  const { namespace, kind: kinds, recursive } = options;
  const manifests = await readManifests({ filename, ...defined({ recursive }) }, io);
  return manifestPods(manifests, defined({ namespace, kinds })).map(({ document, ...pod }) => ({
    ...pod,
    kind: String(document["kind"] ?? "Pod"),
    workloadLabels: document["kind"] === "Pod" ? {} : labelsOf(document),
  }));
}

function liveSubject(
  name: string,
  kind: string,
  object: JsonObject,
  { metadata = {}, spec = {} }: JsonObject,
  namespace: string,
): Subject {
  const pod = decodePod({ metadata, spec }, "encoded");
  const request: InjectRequest = { pod, namespace, parameters: {} };
  return { name, kind, workloadLabels: kind === "Pod" ? {} : labelsOf(object), request };
}

/** Reads labels, also those that are no texts: an unquoted `true` is a label to its author. */
function labelsOf(object: JsonObject): Labels {
  return objectOf(objectOf(object["metadata"])["labels"]) as Labels;
}
