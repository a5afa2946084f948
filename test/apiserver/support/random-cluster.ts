// A cluster at random, as a namespace of a test's API server: workloads, and what comes to it after they run that may refuse their next
// pods. Pure.
import { defined, type JsonObject } from "@outrigger/base";
import { pick, type Random } from "../../support/random.ts";

/** The pods that a second webhook refuses. */
export type Refusal = "with a sidecar" | "without a label" | "all";

export interface RandomCluster {
  /** Its namespace. */
  readonly name: string;
  /** Service accounts that are gone by the time of the restart. */
  readonly accounts: readonly string[];
  readonly workloads: readonly JsonObject[];
  /** Quotas and limit ranges. */
  readonly objects: readonly JsonObject[];
  /** The labels of the namespace, for Pod Security. */
  readonly labels: Readonly<Record<string, string>>;
  readonly refuses?: Refusal;
}

/** The amounts of a pod, in thousandths of a processor and in MiB. */
type Amounts = Readonly<Record<"cpu" | "memory", number>>;

/** Istio's own for a sidecar: what a new pod needs more than the one before it. */
const SIDECAR = { requests: { cpu: 100, memory: 128 }, limits: { cpu: 2000, memory: 1024 } } as const;

export function randomCluster(name: string, random: Random): RandomCluster {
  const count = pick(random, [1, 1, 2, 3]);
  const accounts: string[] = [];
  const sums = { pods: 0, requests: { cpu: 0, memory: 0 }, limits: { cpu: 0, memory: 0 } };
  let isBare = false;
  const workloads = Array.from({ length: count }, (_, index) => {
    const kind = pick(random, ["Deployment", "Deployment", "StatefulSet", "DaemonSet"]);
    const replicas = kind === "DaemonSet" ? 1 : pick(random, [1, 1, 2]);
    const amounts: Amounts | undefined = pick(random, [undefined, { cpu: 50, memory: 64 }, { cpu: 200, memory: 256 }]);
    const account = random() < 0.08 ? `sa-${index}` : undefined;
    if (account !== undefined) accounts.push(account);
    if (amounts === undefined) isBare = true;
    sums.pods += replicas;
    for (const each of ["cpu", "memory"] as const) {
      sums.requests[each] += replicas * (amounts?.[each] ?? 0);
      sums.limits[each] += replicas * 2 * (amounts?.[each] ?? 0);
    }
    return workloadOf(name, { kind, replicas, amounts, account, app: `w${index}` }, random);
  });
  const objects = [
    ...Array.from({ length: pick(random, [0, 1, 1, 1, 2]) }, (_, index) => quotaOf(name, index, sums, isBare, random)),
    ...(random() < 0.3 ? [limitRangeOf(name, random)] : []),
  ];
  // Most of them refuse nothing for these reasons: where all is refused, no restart is tried.
  const enforce = random() < 0.25 ? pick(random, ["baseline", "restricted", "privileged"]) : undefined;
  const refuses = random() < 0.3 ? pick<Refusal>(random, ["with a sidecar", "without a label", "all"]) : undefined;
  return {
    ...{ name, accounts, workloads, objects },
    labels: defined({ "pod-security.kubernetes.io/enforce": enforce }),
    ...defined({ refuses }),
  };
}

interface Shape {
  readonly kind: string;
  readonly replicas: number;
  readonly amounts: Amounts | undefined;
  readonly account: string | undefined;
  readonly app: string;
}

function workloadOf(namespace: string, { kind, replicas, amounts, account, app }: Shape, random: Random): JsonObject {
  const rolling = {
    type: "RollingUpdate",
    rollingUpdate: pick(random, [
      { maxUnavailable: 1, maxSurge: 0 },
      { maxUnavailable: 0, maxSurge: 1 },
    ]),
  };
  const strategy = pick(random, [{ type: "Recreate" }, { type: "Recreate" }, rolling]);
  const resources = amounts && { requests: quantities(amounts, 1), limits: quantities(amounts, 2) };
  const secure = {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    runAsNonRoot: true,
    runAsUser: 1000,
    seccompProfile: { type: "RuntimeDefault" },
  };
  const isSecure = random() < 0.6;
  const container = {
    name: "app",
    image: "app:1",
    ...defined({ resources, securityContext: isSecure ? secure : undefined }),
  };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name: app, namespace },
    spec: {
      ...(kind !== "DaemonSet" && { replicas }),
      ...(kind === "StatefulSet" && {
        serviceName: app,
        podManagementPolicy: pick(random, ["OrderedReady", "Parallel"]),
      }),
      ...(kind === "Deployment" && { strategy }),
      selector: { matchLabels: { app } },
      template: {
        metadata: { labels: { app, ...(random() < 0.5 && { team: "blue" }) } },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [container],
          ...defined({ serviceAccountName: account }),
        },
      },
    },
  } as unknown as JsonObject;
}

function quantities({ cpu, memory }: Amounts, times: number) {
  return { cpu: `${cpu * times}m`, memory: `${memory * times}Mi` };
}

type Sums = { readonly pods: number; readonly requests: Amounts; readonly limits: Amounts };

/** A quota that what runs is within, by nothing, by less than a sidecar, by one or two of them, or by far. */
function quotaOf(namespace: string, index: number, sums: Sums, isBare: boolean, random: Random): JsonObject {
  const spare = pick(random, [0, 0.5, 1, 2, 100]);
  const isOfPods = random() < 0.5;
  const hard: Record<string, string> = isOfPods
    ? { [pick(random, ["pods", "count/pods"])]: `${sums.pods + Math.floor(spare)}` }
    : {};
  if (!isOfPods || random() < 0.3) {
    const [of, resource] = [pick(random, ["requests", "limits"] as const), pick(random, ["cpu", "memory"] as const)];
    const amount = Math.ceil(sums[of][resource] + spare * (SIDECAR[of][resource] + 100));
    hard[`${of}.${resource}`] = resource === "cpu" ? `${amount}m` : `${amount}Mi`;
  }
  // A pod without requests is of one scope before it gets a sidecar, and of another one afterwards.
  const scopes =
    isOfPods && Object.keys(hard).join() === "pods" && random() < 0.5
      ? [pick(random, ["BestEffort", "NotBestEffort"])]
      : undefined;
  const own = scopes === undefined ? hard : { pods: `${Math.floor((isBare ? 0 : sums.pods) + spare)}` };
  return {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: `q${index}`, namespace },
    spec: { hard: own, ...defined({ scopes }) },
  } as unknown as JsonObject;
}

function limitRangeOf(namespace: string, random: Random): JsonObject {
  const limit = pick(random, [
    { type: "Container", default: { cpu: "500m", memory: "256Mi" }, defaultRequest: { cpu: "50m", memory: "64Mi" } },
    { type: "Container", max: { cpu: "1" } },
    { type: "Container", max: { memory: "2Gi" } },
    { type: "Container", min: { memory: "32Mi" } },
    { type: "Pod", max: { memory: "1200Mi" } },
    { type: "Container", maxLimitRequestRatio: { cpu: "4" } },
  ]);
  return {
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name: "limits", namespace },
    spec: { limits: [limit] },
  } as unknown as JsonObject;
}
