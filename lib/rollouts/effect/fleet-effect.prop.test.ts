// Clusters of workloads whose pods were injected by some release, or by none, and stored: the effect of an edit on them is, pod by pod,
// the difference between the webhook's two answers to the pod that its controller sends. More: OUTRIGGER_FLEET_PODS=10000
// OUTRIGGER_FLEET_WORKLOADS=800 OUTRIGGER_FLEET_SEEDS=3, which prints the time and the memory that the answer takes.
import { type JsonObject, OutriggerError, sharedMemory } from "@outrigger/base";
import { listed } from "@outrigger/cluster";
import { defaultedPod } from "@outrigger/fake-aws";
import {
  compileRelease,
  effectBetween,
  type Injector,
  injectPod,
  loadRelease,
  type NextPod,
  withoutNames,
  workloadOf,
} from "@outrigger/injector";
import { isRunning, type Pod } from "@outrigger/pod";
import { expect, it } from "vitest";
import { changedTrees } from "../../../test/support/changed-trees.ts";
import { podGenerator } from "../../../test/support/generated-pods.ts";
import { pick, type Random, randomOf } from "../../../test/support/random.ts";
import { shippedTree } from "../../../test/support/shipped-tree.ts";
import { READER_CACHES } from "../running.ts";
import { fleetEffect } from "./fleet-effect.ts";

const PODS = Number(process.env["OUTRIGGER_FLEET_PODS"] ?? 240);
const WORKLOADS = Number(process.env["OUTRIGGER_FLEET_WORKLOADS"] ?? 60);
const SEEDS = Number(process.env["OUTRIGGER_FLEET_SEEDS"] ?? 1);
const SETTINGS = { cluster: { network: "west" }, parameters: { ISTIO_META_CLUSTER_ID: "east" } };

const isMeasured = process.env["OUTRIGGER_FLEET_PODS"] !== undefined;

/** The webhook's answer to a pod, asked without anything of this package. */
function answerTo(pod: Pod, injector: Injector, release = "1f2e3d4c5b6a"): NextPod & { readonly pod?: Pod } {
  try {
    const result = injectPod(injector, { pod, namespace: pod.metadata?.namespace ?? "", ...SETTINGS, release });
    return result.injected ? { kind: "injected", pod: result.pod } : { kind: "skipped", why: result.message };
  } catch (error) {
    if (!(error instanceof OutriggerError)) throw error;
    const isAuthors = ["annotation-invalid", "template-unknown", "pod-invalid"].includes(error.code);
    return { kind: isAuthors ? "refused" : "fails", why: error.message };
  }
}

const LETTERS = "bcdfghjklmnpqrstvwxz2456789";
const suffix = (index: number) =>
  [0, 1, 2, 3, 4].map((place) => LETTERS[Math.floor(index / LETTERS.length ** place) % LETTERS.length]).join("");

/** The pod that a workload's controller sends for each replica. */
function workloadPod(random: Random, made: Pod, index: number): (replica: number) => Pod {
  const namespace = `team-${index % 7}`;
  const name = `app-${index}`;
  const labels = { ...made.metadata?.labels, ...(random() < 0.1 && { "sidecar.istio.io/inject": "false" }) };
  const kind = pick(random, ["Deployment", "Deployment", "StatefulSet", "DaemonSet"]);
  return (replica) => {
    const { name: _, generateName: __, ownerReferences: ___, ...metadata } = made.metadata ?? {};
    const isSet = kind === "StatefulSet";
    const controller = kind === "Deployment" ? { kind: "ReplicaSet", name: `${name}-5d8f` } : { kind, name };
    const hash = kind === "Deployment" ? { "pod-template-hash": "5d8f" } : {};
    const ownerReferences = [{ apiVersion: "apps/v1", ...controller, uid: `uid-${index}`, controller: true }];
    const named = isSet ? { name: `${name}-${replica}` } : {};
    return defaultedPod({
      ...made,
      metadata: {
        ...metadata,
        ...named,
        labels: { ...labels, ...hash },
        generateName: `${controller.name}-`,
        namespace,
        ownerReferences,
      },
    });
  };
}

/** The pod as an API server stores it, bound to a node. */
function stored(pod: Pod, index: number): JsonObject {
  const { metadata = {}, spec = {} } = defaultedPod(pod);
  const { nodeName: _, ...bare } = spec as Readonly<Record<string, unknown>>;
  return {
    metadata: {
      ...metadata,
      name: metadata.name ?? `${metadata.generateName}${suffix(index)}`,
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
      resourceVersion: String(1000 + index),
      creationTimestamp: "2026-11-01T00:00:00Z",
    },
    spec: { ...bare, nodeName: `ip-10-0-${index % 250}-1.internal` },
    status: { phase: "Running" },
  } as unknown as JsonObject;
}

type Counts = Readonly<Record<string, number>>;

/** The effects that only one of the two has, cut to where they part. */
function differencesOf(found: Counts, expected: Counts): readonly string[] {
  const [more, less] = [found, expected].map((one, index) =>
    Object.keys(one).filter((key) => one[key] !== [expected, found][index]?.[key]),
  );
  return [...(more ?? []), ...(less ?? [])].map((key) => {
    const others = more?.includes(key) === true ? less : more;
    const at = Math.max(
      0,
      ...(others ?? []).map((other) => [...key].findIndex((letter, index) => letter !== other[index])),
    );
    return `${found[key] ?? 0} in place of ${expected[key] ?? 0}: ${key.slice(0, 60)}…${key.slice(Math.max(0, at - 60), at + 90)}`;
  });
}

/** Pairs of releases of which the second takes a container away, or the whole injection from some pods, or refuses some. */
async function lossyTrees() {
  const shipped = Object.entries(await shippedTree());
  const layer = Object.fromEntries(shipped.filter(([path]) => !path.startsWith("samples/")));
  const agent = (more = "") => `spec:\n  containers:\n  - name: agent\n    image: agent:1\n${more}`;
  const load = (config: string, template: string) =>
    loadRelease(compileRelease([layer, { config, "templates/agent": template }]));
  const before = load("defaultTemplates: [sidecar, agent]\n", agent());
  const never = "neverInjectSelector:\n- matchExpressions: [{key: pod-template-hash, operator: Exists}]\n";
  const port = `    ports:\n    - containerPort: {{int (annotation metadata "agent.example.com/port" "9200")}}\n`;
  return [
    { before, after: load("defaultTemplates: [sidecar]\n", agent()) },
    { before: load("defaultTemplates: [sidecar]\n", agent()), after: before },
    { before, after: load(`defaultTemplates: [sidecar, agent]\n${never}`, agent()) },
    { before, after: load("defaultTemplates: [sidecar, agent]\n", agent(port)) },
  ];
}

it(
  `fleetEffect() counts what the webhook gives for the next of ${PODS} pods in ${WORKLOADS} workloads`,
  async () => {
    const [makePod, pairs] = [podGenerator(), [...(await changedTrees()), ...(await lossyTrees())]];
    const makers = [undefined, ...new Set(pairs.flatMap(({ before, after }) => [before, after]))];
    let affected = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = randomOf(seed);
      // The lossy ones, one after the other, and any other.
      const { before, after } =
        seed % 2 === 1 ? (pairs.at(-1 - ((seed >> 1) % 4)) ?? pick(random, pairs)) : pick(random, pairs);
      const expected = new Map<string, number>();
      const texts: string[] = [];
      for (let workload = 0; workload < WORKLOADS; workload++) {
        const podOf = workloadPod(random, makePod(random), workload);
        const replicas = Math.ceil(((workload + 1) * PODS) / WORKLOADS) - Math.ceil((workload * PODS) / WORKLOADS);
        const maker = pick(random, makers);
        for (let replica = 0; replica < replicas; replica++) {
          const sent = podOf(replica);
          const made = maker && answerTo(sent, maker);
          const object = stored(made?.pod ?? sent, texts.length);
          texts.push(JSON.stringify(object));
          // A node makes its own pod, which no webhook is sent.
          if (!isRunning(object)) continue;
          const effect = effectBetween(sent, answerTo(sent, before), answerTo(sent, after));
          if (effect === undefined) continue;
          const { namespace, kind, name } = workloadOf(object as Pod);
          const [{ name: controller = "" } = {}] = sent.metadata?.ownerReferences ?? [];
          const names = { pod: sent.metadata?.name ?? "", controller, workload: name, namespace };
          const key = JSON.stringify([namespace, kind, name, withoutNames(effect, names)]);
          expected.set(key, (expected.get(key) ?? 0) + 1);
          affected++;
        }
      }
      sharedMemory.limit(READER_CACHES);
      globalThis.gc?.();
      const heap = process.memoryUsage().heapUsed;
      const [begun, used] = [performance.now(), process.cpuUsage()];
      const found = await fleetEffect(
        [
          {
            name: "shop",
            kube: {
              pods: async function* () {
                for (const text of texts) yield listed(JSON.parse(text));
              },
            },
            servedFor: () => [{ ...SETTINGS, release: "0", channel: "stable", injector: before }],
            releaseOf: async () => undefined,
          },
        ],
        { before, after },
      );
      const taken = performance.now() - begun;
      const { user, system } = process.cpuUsage(used);
      const counted = found.groups.flatMap(({ pods: _, workloads, ...effect }) =>
        workloads.map(({ namespace, kind, name, pods }) => {
          const controller = kind === "Deployment" ? `${name}-5d8f` : name;
          return [
            JSON.stringify([
              namespace,
              kind,
              name,
              withoutNames(effect, { pod: "", controller, workload: name, namespace }),
            ]),
            pods,
          ] as const;
        }),
      );
      expect(differencesOf(Object.fromEntries(counted), Object.fromEntries(expected))).toEqual([]);
      if (isMeasured) {
        const grown = Math.round((process.memoryUsage().heapUsed - heap) / 1e6);
        process.stdout.write(
          `seed ${seed}: ${texts.length} pods in ${Math.round(taken)} ms, ${Math.round((user + system) / 1000)} ms of processor time, ${found.groups.length} groups, ${grown} MB more\n`,
        );
      }
    }
    expect(affected).toBeGreaterThan(PODS / 4);
  },
  isMeasured ? 1_800_000 : 300_000,
);
