// A laboratory for restarts: an API server with controllers, two releases, workloads of every kind, and a clock that moves when a
// caller sleeps.
import { type JsonObject, OutriggerError, objectOf } from "@outrigger/base";
import { kubeClient } from "@outrigger/cluster";
import { defaultedPod } from "@outrigger/fake-aws";
import { compileRelease, injectPod, loadRelease } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { type RestartPorts, runRestart } from "@outrigger/rollouts";
import { isPodInShare } from "@outrigger/serving";
import { startFakeApiServer } from "./fake-api-server.ts";
import { labCertificate } from "./lab-certificate.ts";
import { type TestFate as Fate, workloadControllers } from "./workload-controllers.ts";

const tree = (image: string) => ({
  config: "defaultTemplates: [side]\npolicy: enabled\n",
  "templates/side": `spec:\n  containers:\n  - name: side\n    image: ${image}\n`,
});
/** A tree as tree() makes it, whose container has CPU and memory of its own. */
const sized = (image: string, cpu = "100m", memory = "128Mi") => ({
  ...tree(image),
  "templates/side": `${tree(image)["templates/side"]}    resources: {requests: {cpu: ${cpu}}, limits: {memory: ${memory}}}\n`,
});
/** A mesh: a proxy, an init container that runs once, and a native sidecar. */
const mesh = (tag: string) => ({
  config: "defaultTemplates: [mesh]\npolicy: enabled\n",
  "templates/mesh": [
    "spec:",
    `  containers: [{name: istio-proxy, image: "proxy:${tag}"}, {name: side, image: "side:${tag}"}]`,
    `  initContainers: [{name: istio-init, image: "init:1"}, {name: ship, image: "ship:${tag}", restartPolicy: Always}]`,
    "",
  ].join("\n"),
});
const TREES = {
  old: tree("side:old"),
  new: tree("side:new"),
  /** Differs from the others in more than its image. */
  more: { ...tree("side:new"), "templates/side": `${tree("side:new")["templates/side"]}    workingDir: /more\n` },
  "sized-old": sized("side:old"),
  "sized-new": sized("side:new", "200m", "256Mi"),
  /** Differ in their resources alone. */
  "sized-more": sized("side:old", "200m", "256Mi"),
  "sized-cpu": sized("side:old", "200m"),
  "mesh-old": mesh("old"),
  "mesh-new": mesh("new"),
};
const injectors = new Map(
  Object.entries(TREES).map(([name, each]) => [name, loadRelease(compileRelease([each]))] as const),
);

/** The names by which workloads are placed in a share. */
const PLACE = { cluster: "shop", namespace: "shop" };

type Kind = "Deployment" | "StatefulSet" | "DaemonSet" | "Rollout";
const PATHS: Readonly<Record<Kind, string>> = {
  Deployment: "/apis/apps/v1/namespaces/shop/deployments",
  StatefulSet: "/apis/apps/v1/namespaces/shop/statefulsets",
  DaemonSet: "/apis/apps/v1/namespaces/shop/daemonsets",
  Rollout: "/apis/argoproj.io/v1alpha1/namespaces/shop/rollouts",
};

export const BUDGETS = "/apis/policy/v1/namespaces/shop/poddisruptionbudgets/";

/** The fields that an API server fills in. */
const DEFAULTS: Readonly<Record<Kind, JsonObject>> = {
  Deployment: {},
  StatefulSet: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } } },
  DaemonSet: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } } },
  Rollout: {},
};

export type RestartLab = Awaited<ReturnType<typeof openRestartLab>>;

/** Seconds that the laboratory's restarts watch what is back, unless a test says more: most are about something else. */
const BAKE = 2;

/** A restart that was killed. */
export class Killed extends Error {}

export async function openRestartLab() {
  const api = await startFakeApiServer(await labCertificate());
  let clock = Date.UTC(2026, 10, 23, 9);
  api.now = () => clock;
  const state = {
    served: "old",
    /** A second release, which a share of the workloads is served. */
    share: undefined as { readonly release: string; readonly percent: number } | undefined,
    fateOf: (_pod: JsonObject): Fate => ({ readyAfter: 3000 }),
    nodeOf: (_pod: JsonObject): string | undefined => undefined,
    /** Throws what an API server says of a pod that it does not take. */
    check: (_pod: JsonObject): void => {},
    isWebhookUp: true,
    /** The release that the webhook answers with: what was served before, for some seconds. */
    answers: undefined as string | undefined,
    /** The time until which the webhook answers, in milliseconds since 1970. */
    answersUntil: Number.POSITIVE_INFINITY,
  };
  const releaseFor = (pod: Pod): string => {
    const isShared = state.share !== undefined && isPodInShare({ ...PLACE, pod }, state.share.percent);
    return isShared && state.share !== undefined ? state.share.release : state.served;
  };
  const isInjected = (pod: Pod) => pod.metadata?.labels?.["sidecar.istio.io/inject"] !== "false";
  const admit = (pod: JsonObject): JsonObject => {
    const sent = defaultedPod(pod as unknown as Pod);
    const release = (clock < state.answersUntil ? state.answers : undefined) ?? releaseFor(sent);
    const injector = injectors.get(release);
    if (injector === undefined || !isInjected(sent) || !state.isWebhookUp) return sent as unknown as JsonObject;
    const result = injectPod(injector, { pod: sent, namespace: "shop", parameters: {}, release });
    const made = (result.injected ? defaultedPod(result.pod) : sent) as unknown as JsonObject;
    state.check(made);
    const nodeName = state.nodeOf(made);
    return nodeName === undefined ? made : ({ ...made, spec: { ...objectOf(made["spec"]), nodeName } } as JsonObject);
  };
  const controllers = workloadControllers({
    api,
    now: () => clock,
    admit,
    fateOf: (pod) => state.fateOf(pod),
  });
  // What a dry run of a pod comes to is what would become of it: the webhook and the API server answer as they do then.
  const { around } = api;
  api.around = (request, next) => {
    if (request.query.get("dryRun") !== "All" || !request.path.endsWith("/pods")) return around(request, next);
    return around(request, async () => {
      try {
        return { code: 201, body: admit(request.body) };
      } catch (error) {
        const { message } = error as Error;
        const code = 422;
        return { code, body: { kind: "Status", apiVersion: "v1", status: "Failure", message, code } };
      }
    });
  };
  api.put("/api/v1/namespaces/default", { metadata: { name: "default" } });
  api.put("/api/v1/namespaces/shop", { metadata: { name: "shop" } });

  const put = (kind: Kind, name: string, spec: JsonObject = {}, labels: JsonObject = {}) => {
    const selector = { matchLabels: { app: name } };
    const template = {
      metadata: { labels: { app: name, ...labels } },
      spec: { containers: [{ name: "app", image: "app:1" }] },
    };
    api.put(`${PATHS[kind]}/${name}`, {
      apiVersion: kind === "Rollout" ? "argoproj.io/v1alpha1" : "apps/v1",
      kind,
      metadata: { name, namespace: "shop" },
      spec: { replicas: 2, selector, template, ...DEFAULTS[kind], ...spec },
    });
  };
  const settle = () =>
    controllers.settle(() => {
      clock += 2000;
    });
  const sleep = async (milliseconds: number) => {
    clock += milliseconds;
    await controllers.tick();
  };
  /** Lets time pass when a command has ended, as a cluster does. */
  const later = async (seconds: number) => {
    for (let count = 0; count < seconds / 2; count++) await sleep(2000);
  };
  let commands = 0;
  /**
   * @param killAt the API call that is not answered, and whether it has had its effect
   * @param ahead milliseconds that the command's clock is ahead
   * @param lost the answers that are lost, and whether the calls have had their effect
   */
  const portsOf = (
    killAt?: { readonly call: number; readonly isDone: boolean },
    ahead = 0,
    lost?: { readonly every: number; readonly isDone: boolean },
  ): RestartPorts & { readonly calls: () => number } => {
    const now = () => clock + ahead;
    const unanswered = () => new OutriggerError("cluster-unreachable", "it does not answer");
    let calls = 0;
    const exchange: typeof api.direct = async (request) => {
      calls++;
      if (killAt !== undefined && calls > killAt.call) throw new Killed("it is dead");
      if (calls === killAt?.call && !killAt.isDone) throw new Killed("before");
      const isLost = lost !== undefined && calls % lost.every === 0;
      if (isLost && !lost.isDone) throw unanswered();
      const answer = await api.direct(request);
      if (isLost) throw unanswered();
      if (calls === killAt?.call) throw new Killed("after");
      return answer;
    };
    return {
      kube: kubeClient({ name: "shop", exchange, sleep, now }),
      servedFor: (pod) => {
        if (!isInjected(pod)) return [];
        return [...new Set([releaseFor(pod), state.served])].flatMap((release) => {
          const injector = injectors.get(release);
          return injector === undefined ? [] : [{ release, injector, channel: "stable", cluster: {}, parameters: {} }];
        });
      },
      releaseOf: async (digest) => injectors.get(digest),
      now,
      sleep,
      report: (line) => void lines.push(line),
      id: `command-${commands++}`,
      by: "ann",
      every: () => () => {},
      calls: () => calls,
    };
  };
  const lines: string[] = [];
  const restart = (request: Partial<Parameters<typeof runRestart>[1]> = {}, ports: RestartPorts = portsOf()) =>
    runRestart("dev", { question: {}, parallel: 1, isResumed: false, bake: BAKE, ...request }, ports);
  /** Workloads whose rollout is under way. */
  const inMotion = () =>
    [...api.objects].filter(
      ([path]) => Object.values(PATHS).some((place) => path.startsWith(`${place}/`)) && isMoving(api.objects.get(path)),
    );
  return {
    api,
    state,
    put,
    settle,
    sleep,
    later,
    portsOf,
    restart,
    lines,
    inMotion,
    controllers,
    wait: (milliseconds: number) => {
      clock += milliseconds;
    },
    now: () => clock,
    /** A PodDisruptionBudget, of pods with these labels. */
    putBudget: (name: string, matchLabels: JsonObject, spec: JsonObject = { maxUnavailable: 1 }) =>
      api.put(`${BUDGETS}${name}`, {
        metadata: { name, namespace: "shop" },
        spec: { selector: { matchLabels }, ...spec },
      }),
    putNode: (name: string, kubeletVersion: string) =>
      api.put(`/api/v1/nodes/${name}`, { metadata: { name }, status: { nodeInfo: { kubeletVersion } } }),
    /** Path of each write of a workload → how often; a takeover's own do not count. */
    writes: () => {
      const counts = new Map<string, number>();
      for (const call of api.calls) {
        const [, path] = /^PATCH (\/apis\/(?:apps|argoproj)[^?]+)\?fieldManager=outrigger /.exec(call) ?? [];
        if (path !== undefined)
          counts.set(path.split("/").at(-1) as string, (counts.get(path.split("/").at(-1) as string) ?? 0) + 1);
      }
      return counts;
    },
    podsOf: (name: string) =>
      [...api.objects]
        .filter(([path]) => path.startsWith(`/api/v1/namespaces/shop/pods/${name}`))
        .map(([, pod]) => pod as unknown as Pod),
    /** Name of each pod that was written → how often. */
    changes: () => {
      const counts = new Map<string, number>();
      for (const call of api.calls) {
        const [, name] = /^PATCH \/api\/v1\/namespaces\/shop\/pods\/([^?]+)\?fieldManager=outrigger /.exec(call) ?? [];
        if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      return counts;
    },
    imagesOf: (name: string) =>
      [...api.objects]
        .filter(([path]) => path.startsWith(`/api/v1/namespaces/shop/pods/${name}-`))
        .map(([, pod]) => (pod as unknown as Pod).spec?.containers?.find((one) => one.name === "side")?.image),
    close: () => api.close(),
  };
}

function isMoving(object: JsonObject | undefined): boolean {
  const text = JSON.stringify(object);
  return text.includes("2026-11-23T");
}
