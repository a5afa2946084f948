// What `outrigger explain` reads of a cluster: a workload, its namespace, the webhooks, and the pods that run of it.
import {
  DEFAULT_REVISION,
  injectionKeys,
  isObject,
  type JsonObject,
  metadataKeys,
  OutriggerError,
  objectOf,
  ownError,
  parseJson,
  recordKeys,
  textOf,
} from "@outrigger/base";
import { type InstalledWebhook, type KubeClient, runningPods, wantedSidecar, whyUninjected } from "@outrigger/cluster";
import { containerNames, decide, readStatus } from "@outrigger/injector";
import type { Container, Pod } from "@outrigger/pod";
import { matchesLabelSelector, metadataOf, parseLabelSelector } from "@outrigger/pod";
import { judgePod, type ServedRelease, troubleOf } from "@outrigger/rollouts";
import { type NamedWorkload, podOfWorkload } from "../manifests/workload-kinds.ts";
import { ageOf } from "../terminal/age-of.ts";

type Labels = Readonly<Record<string, string>>;

export async function readNamespaceLabels(kube: KubeClient, name: string): Promise<Labels> {
  const namespace = await kube.get(`/api/v1/namespaces/${encodeURIComponent(name)}`);
  if (namespace !== undefined) return metadataOf(namespace).labels;
  const message = `There is no namespace ${name} in cluster ${kube.name}: name it with -n`;
  throw new OutriggerError("cluster-refused", message);
}

/**
 * A workload, and `{metadata, spec}` of its pods.
 *
 * @throws OutriggerError where there is no such workload, or it has no pod template
 */
export async function readWorkload(kube: KubeClient, { kind, name }: NamedWorkload, namespace: string) {
  const place = kind.pathOf(namespace, name);
  const object = await kube.get(place).catch((cause: unknown) => {
    if (kind.group === "") throw cause;
    const { code } = ownError(cause, "cluster-kind-unknown");
    const message = `Cluster ${kube.name} has no kind ${kind.kind} (${kind.group}): install what brings it, or explain another kind of workload`;
    throw new OutriggerError(code, message, { path: place, cause });
  });
  if (object === undefined) {
    const message = `There is no ${kind.kind} ${name} in namespace ${namespace} of cluster ${kube.name}: name the namespace with -n`;
    throw new OutriggerError("cluster-refused", message, { path: place });
  }
  const pod = podOfWorkload(object, kind);
  if (pod !== undefined) return { object, pod };
  const reference = objectOf(object["spec"])["workloadRef"];
  const remediation = isObject(reference)
    ? `explain what it refers to: ${String(reference["kind"]).toLowerCase()}/${String(reference["name"])}`
    : "it has no pod template";
  throw new OutriggerError("manifest-invalid", `Cannot explain ${kind.kind} ${name}: ${remediation}`);
}

export interface RunningPod {
  readonly name: string;
  readonly age: string;
  readonly isInjected: boolean;
  /** A description of the sidecar that it carries, or the reason why it carries none. */
  readonly state: string;
}

/** The pods that run of a workload, and how their sidecars compare with what is injected now. */
export async function readRunningPods(
  { kube, installed }: { readonly kube: KubeClient; readonly installed: readonly InstalledWebhook[] },
  { kind, name }: NamedWorkload,
  object: JsonObject,
  namespace: { readonly name: string; readonly labels: Labels },
  servedBy: ServedBy,
  now: number,
): Promise<readonly RunningPod[]> {
  const pods: JsonObject[] = [];
  if (kind.kind === "Pod") pods.push(object);
  else {
    const chosen = isOwned(kind.kind, name, objectOf(object["spec"])["selector"]);
    for await (const pod of runningPods(kube, { namespace: namespace.name })) if (chosen(pod)) pods.push(pod.whole());
  }
  const question = {
    namespaces: new Map([[namespace.name, namespace.labels]]),
    installed,
    decideFor: (revision: string, pod: Pod, place: string) => decide(servedBy(revision).injector.config, pod, place),
  };
  const stateOf = async (pod: JsonObject, isInjected: boolean) => {
    if (isInjected) return carried(pod, servedBy(injectedRevision(pod as Pod)));
    if ((pod as Pod).metadata?.annotations?.[metadataKeys.mirrorPod] !== undefined)
      return "no sidecar: it mirrors a static pod of its node, which no webhook changes";
    const wanted = wantedSidecar(pod as Pod, question);
    const why = wanted && whyUninjected(pod, wanted);
    return why === undefined ? "no sidecar, and none was asked for" : `no sidecar: ${why.reason} (${why.remediation})`;
  };
  return Promise.all(
    pods.map(async (pod) => {
      const { name, annotations, creationTimestamp } = (pod as Pod).metadata ?? {};
      const label = servedBy(DEFAULT_REVISION).injector.config.injectionLabel;
      const isInjected = annotations?.[injectionKeys(label).status] !== undefined;
      const state = `${await stateOf(pod, isInjected)}${troubleText(pod)}`;
      return { name: name ?? "", age: ageOf(creationTimestamp ?? "", now), isInjected, state };
    }),
  );
}

/** The reason why the pod does not become ready, if its status says so. */
function troubleText(pod: JsonObject): string {
  const { container, why, isInjected } = troubleOf([pod]) ?? {};
  if (container === undefined) return "";
  return container === "-" ? `; ${why}` : `; ${isInjected ? "injected" : "its own"} container ${container}: ${why}`;
}

type ServedBy = (revision: string) => ServedRelease;

/**
 * Compares a sidecar with one that would be injected now. It does not ask which release made it: only that is known
 * here.
 */
async function carried(pod: JsonObject, served: ServedRelease): Promise<string> {
  const { verdict } = await judgePod(pod, { servedFor: () => [served], releaseOf: async () => undefined });
  const sidecar = sidecarOf(pod as Pod);
  const image = sidecar?.image ?? "injected";
  if (verdict.state === "current") return `${image}, as it would be injected now`;
  if (verdict.state !== "outdated" && verdict.state !== "foreign")
    return `${image}, and a new pod would have no sidecar`;
  const by = verdict.state === "foreign" ? `, injected by ${verdict.by}` : "";
  const { changes } = verdict;
  const next = changes.find(({ field }) => field.endsWith(`ontainers[${sidecar?.name}].image`));
  if (next !== undefined) return `${image}${by}; now it would be ${String(next.now)}: restart it`;
  if (changes.length === 0) return `${image}${by}, as it would be injected now`;
  const [first, ...others] = changes.map(({ field }) => field);
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `${image}${by}; now it would differ in ${first}${more}: restart it`;
}

/** The proxy, or the first sidecar that was injected: a template may also name containers of the author, which come last. */
function sidecarOf(pod: Pod): Container | undefined {
  const { initContainers = [], containers = [] } = readStatus(pod) ?? {};
  const names = [...initContainers, ...containers];
  const { containers: regular = [], initContainers: initial = [] } = pod.spec ?? {};
  const all = [...initial.filter(({ restartPolicy }) => restartPolicy === "Always"), ...regular, ...initial];
  const injected = all.filter(({ name }) => names.includes(name));
  return injected.find(({ name }) => name === containerNames.proxy) ?? injected[0];
}

/** A CronJob's pods belong to its jobs; those of all others match its selector. */
function isOwned(kind: string, name: string, selector: unknown): (pod: { readonly metadata: unknown }) => boolean {
  if (kind === "CronJob") {
    return (pod) =>
      metadataOf(pod).ownerReferences.some(({ kind, name: job }) => {
        return kind === "Job" && job.startsWith(`${name}-`) && /^\d{8,10}$/.test(job.slice(name.length + 1));
      });
  }
  const isPlain = kind === "ReplicationController" && isObject(selector);
  const parsed = parseLabelSelector(isPlain ? { matchLabels: selector } : selector, "spec.selector");
  return (pod) => parsed.requirements.length > 0 && matchesLabelSelector(parsed, metadataOf(pod).labels);
}

/** The revision that injected a running pod: as the record of the injection says, Istio's status annotation; `default` where it does not. */
function injectedRevision({ metadata }: Pod): string {
  const status = objectOf(parseJson(metadata?.annotations?.[recordKeys(metadata.annotations).status] ?? ""));
  return textOf(status["revision"]) || DEFAULT_REVISION;
}
