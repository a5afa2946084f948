// A search over generated clusters for what a restart may never do: workloads of every kind, shared labels and budgets, sidecars that
// fail up to ten minutes after they were ready, replicas that change, old kubelets, lost answers, commands that are frozen or killed, a
// second operator, and a channel that moves. OUTRIGGER_RESTART_RUNS says how many, OUTRIGGER_RESTART_SEED where they begin.
import { isOwnError, type JsonObject, objectOf, objectsOf, ownError } from "@outrigger/base";
import { interruptedSince, type RestartJournal, type RestartPorts, readJournal } from "@outrigger/rollouts";
import { expect, it } from "vitest";
import { BUDGETS, Killed, openRestartLab, type RestartLab } from "./restart-lab.ts";
import { appOf, isNew } from "./rollout-lab.ts";
import { budgetOf, type TestFate } from "./workload-controllers.ts";

/** Seconds that each workload must be well before the next. */
const BAKE = 60;
const RUNS = Number(process.env["OUTRIGGER_RESTART_RUNS"] ?? 4);
const FIRST = Number(process.env["OUTRIGGER_RESTART_SEED"] ?? 1);
/**
 * Found faults: lost answers kept a restart in place from going on; a lost answer hid that a workload was begun; a view was out of date;
 * a pod that was down for a moment had "fallen"; time in which a workload was complete was counted as lateness; so was that of a pod that
 * an autoscaler had just made; a workload was begun by a call that was made again after a pause;
 * two workloads waited for each other's part of a budget. And of this laboratory: a webhook answered with what was served before for as long
 * as a command was away; a Deployment with fewer replicas kept its new pods, and was late.
 */
const FOUND = [21, 1057, 3442, 3017063, 3029054, 5004080, 5022031, 9004015, 20039000, 20042048];
const SHOP = "/api/v1/namespaces/shop/pods/";
const KINDS = ["Deployment", "StatefulSet", "DaemonSet", "Rollout"] as const;

it("a restart does nothing that it may not, in generated clusters", { timeout: 3_600_000 }, async () => {
  const found: string[] = [];
  for (const seed of [...FOUND, ...Array.from({ length: RUNS }, (_, index) => FIRST + index)]) {
    if (found.length >= 20) break;
    const faults = await search(seed).catch((error: unknown) => [String(error instanceof Error ? error.stack : error)]);
    found.push(...faults.slice(0, 2).map((fault) => `seed ${seed}: ${fault}`));
  }
  expect(found).toEqual([]);
});

type Random = ReturnType<typeof randomOf>;

/** Mulberry32. */
function randomOf(seed: number) {
  let state = seed * 0x9e3779b9;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (share: number) => next() < share,
    pick: <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item,
  };
}

interface Cluster {
  readonly lab: RestartLab;
  readonly random: Random;
  readonly inPlace: readonly string[] | undefined;
  /** The fate of the new release's pods. It is undefined if the release is good. */
  readonly bad: TestFate | undefined;
  /** Whether the release is so bad that it shows in every workload before the next may begin. */
  readonly isBadSoon: boolean;
  readonly others: readonly string[];
  readonly faults: string[];
}

async function search(seed: number): Promise<readonly string[]> {
  const lab = await openRestartLab();
  try {
    const cluster = await generate(lab, randomOf(seed));
    await restart(cluster);
    return cluster.faults;
  } finally {
    await lab.close();
  }
}

async function generate(lab: RestartLab, random: Random): Promise<Cluster> {
  const isMesh = random.chance(0.3);
  const inPlace = random.chance(0.5) ? (isMesh ? ["istio-proxy"] : []) : undefined;
  const isOld = isMesh && random.chance(0.3);
  const container = isMesh ? random.pick(["side", "ship"]) : "side";
  const crashes = { container, exitCode: 1 };
  const readyAfter = random.pick([1000, 3000, 20_000]);
  const fallsAfter = random.pick([1000, 10_000, 40_000, 70_000, 150_000, 300_000, 600_000]);
  const bad = random.chance(0.5)
    ? random.pick<TestFate>([{ crashes }, {}, ...Array(4).fill({ readyAfter, crashes, fallsAfter })])
    : undefined;
  const few = random.chance(0.3);
  const isBadSoon = bad !== undefined && !few && (bad.fallsAfter ?? 0) < BAKE * 1000;
  lab.state.served = isMesh ? "mesh-old" : "old";
  for (const [name, version] of [
    ["node-0", "v1.33.2-eks-1"],
    ["node-1", isOld ? "v1.30.4-eks-1" : "v1.32.0"],
  ] as const)
    lab.putNode(name, version);
  let made = 0;
  lab.state.nodeOf = () => (made++ % 5 === 0 ? "node-1" : "node-0");
  const fateOf = (pod: JsonObject): TestFate => {
    if (!isOfWorkload(pod)) return {};
    const keepsSidecars = isOld && objectOf(pod["spec"])["nodeName"] === "node-1";
    const isBad = bad !== undefined && isNew(pod) && !(few && appOf(pod) === "w-0");
    return { ...(isBad ? bad : { readyAfter }), keepsSidecars };
  };
  const count = 2 + random.below(5);
  for (let index = 0; index < count; index++) {
    const kind = random.pick(KINDS);
    const labels: JsonObject = random.chance(0.6) ? { tier: random.pick(["web", "db"]) } : {};
    lab.put(kind, `w-${index}`, { progressDeadlineSeconds: 120, ...specOf(kind, random) }, labels);
  }
  const budgets = random.below(3);
  for (let index = 0; index < budgets; index++) {
    const matchLabels = random.chance(0.7) ? { tier: random.pick(["web", "db"]) } : { app: `w-${random.below(count)}` };
    const limit = random.pick([{ maxUnavailable: 1 }, { maxUnavailable: 2 }, { minAvailable: "50%" }]);
    lab.putBudget(`b-${index}`, matchLabels as JsonObject, limit as JsonObject);
  }
  const others = random.chance(0.5) ? putOthers(lab) : [];
  lab.state.fateOf = () => ({ readyAfter: 1000 });
  await lab.settle();
  await lab.later(40);
  lab.state.fateOf = fateOf;
  lab.state.served = isMesh ? "mesh-new" : "new";
  lab.api.calls.length = 0;
  return { lab, random, inPlace, bad, others, faults: [], isBadSoon };
}

function specOf(kind: (typeof KINDS)[number], random: Random): JsonObject {
  const replicas = 1 + random.below(4);
  const isOnDelete = random.chance(0.15);
  if (kind === "Deployment") {
    const [maxUnavailable, maxSurge] = random.pick([
      ["25%", "25%"],
      [1, 0],
      [0, 1],
      [2, 0],
    ] as const);
    return { replicas, strategy: { rollingUpdate: { maxUnavailable, maxSurge } } };
  }
  if (kind === "Rollout")
    return random.chance(0.5)
      ? { replicas }
      : { replicas, selector: null, workloadRef: { kind: "Deployment", name: "gone" } };
  if (isOnDelete) return { replicas, updateStrategy: { type: "OnDelete" } };
  return kind === "StatefulSet" ? { replicas } : {};
}

/** A Job's pod, a bare one, and one of another ReplicaSet, with labels of the first workload; none is to be touched. */
function putOthers({ api }: RestartLab): readonly string[] {
  const owner = (kind: string, name: string) => [{ apiVersion: "v1", kind, name, uid: name, controller: true }];
  const of: Readonly<Record<string, JsonObject>> = {
    "job-1": { ownerReferences: owner("Job", "job") },
    bare: {},
    "other-5d8f-x": { ownerReferences: owner("ReplicaSet", "other-5d8f"), labels: { "pod-template-hash": "5d8f" } },
  };
  return Object.entries(of).map(([name, { labels, ...metadata }]) => {
    const all = { app: "w-0", "sidecar.istio.io/inject": "false", ...objectOf(labels) };
    api.put(`${SHOP}${name}`, {
      metadata: { name, namespace: "shop", creationTimestamp: "2026-11-20T00:00:00Z", ...metadata, labels: all },
      spec: { containers: [{ name: "app", image: "app" }] },
    } as JsonObject);
    return name;
  });
}

/** One restart, with what happens meanwhile, and what it may not do at each of its writes. */
async function restart(cluster: Cluster): Promise<void> {
  const { lab, random, inPlace, bad, faults } = cluster;
  const parallel = 1 + random.below(3);
  const question = inPlace === undefined ? {} : { inPlace };
  const served = lab.state.served;
  const asked = { question, parallel, bake: BAKE };
  const guard = guardOf(cluster, parallel);
  const plan = {
    scales: random.chance(0.3),
    lost: random.chance(0.3) ? { every: 3 + random.below(20), isDone: random.chance(0.5) } : undefined,
    killAt: random.chance(0.3) ? { call: 3 + random.below(80), isDone: random.chance(0.5) } : undefined,
    /** The number of the call at which the command is frozen for a minute and a half, while another one may continue; 0 for never. */
    frozenAt: random.chance(0.3) ? 1 + random.below(120) : 0,
    isTaken: random.chance(0.5),
    secondAt: random.chance(0.25) ? 1 + random.below(30) : 0,
    movesAt: random.chance(0.2) ? 1 + random.below(40) : 0,
    /** Whether the release is taken back while the command is frozen. */
    isBack: random.chance(0.3),
    /** The webhook answers with what was served before, for ten seconds. */
    isBehind: random.chance(0.2),
    /** Some pods of a workload are down for a while, whatever release they have. */
    outage: random.chance(0.3)
      ? { app: `w-${random.below(3)}`, from: random.below(200), seconds: 10 + random.below(50) }
      : undefined,
    isFrozenInWrite: random.chance(0.5),
  };
  const begun = lab.now();
  const { fateOf } = lab.state;
  lab.state.fateOf = (pod) => {
    const { app, from, seconds } = plan.outage ?? { app: "", from: 0, seconds: 0 };
    const time = (lab.now() - begun) / 1000 - from;
    return appOf(pod) === app && time >= 0 && time < seconds && isStruck(pod) ? {} : fateOf(pod);
  };
  if (plan.isBehind) lab.state.answers = served === "mesh-new" ? "mesh-old" : "old";
  lab.state.answersUntil = begun + 10_000;
  const look = async () => (lab.state.served === served ? undefined : "another release is served by now");
  let taken: RestartJournal | undefined;
  let isSecond = false;
  guard.freeze(plan.frozenAt, plan.isFrozenInWrite, async () => {
    // The first command is meant: it waits while the second asks.
    if (isSecond) return false;
    for (let time = 0; time < 90; time += 5) await lab.sleep(5000);
    if (plan.isBack) lab.state.served = served === "mesh-new" ? "mesh-old" : "old";
    // One that has ended is not taken over: a restart after it is another one, which a person asks for.
    const isRunning = (await readJournal(lab.portsOf().kube))?.state === "running";
    if (plan.isTaken && isRunning) taken = await lab.restart(asked, lab.portsOf()).catch(() => undefined);
    return taken !== undefined;
  });
  const portsOf = (killAt?: typeof plan.killAt): RestartPorts => {
    const inner = lab.portsOf(killAt, 0, plan.lost);
    let sleeps = 0;
    const sleep = async (milliseconds: number) => {
      sleeps++;
      if (sleeps > 20_000) throw new Error("it never ends");
      if (plan.scales && random.chance(0.05)) scale(lab, random);
      if (sleeps === plan.movesAt) lab.state.served = served === "mesh-new" ? "mesh-old" : "old";
      await inner.sleep(milliseconds);
      isSecond = sleeps === plan.secondAt;
      const running = isSecond ? await readJournal(lab.portsOf().kube) : undefined;
      if (running?.state === "running") {
        const second = await lab.restart(asked, lab.portsOf()).catch(ownError);
        const isRefused = "code" in second && second.code === "cluster-conflict";
        // Once the first has been frozen for longer than its lease, it is the second one's turn.
        if (!("code" in second) && interruptedSince(running, lab.now()) !== undefined) taken = second;
        else if (!isRefused && taken === undefined) faults.push("a second operator: let in");
      }
      isSecond = false;
    };
    return { ...inner, sleep, whyMoved: look, ...(inPlace !== undefined && { look }) };
  };
  const attempt = (request: Parameters<typeof lab.restart>[0], ports: RestartPorts) =>
    lab.restart(request, ports).catch((error: unknown) => {
      // The other command has ended it.
      if (taken === undefined || !isOwnError(error, "cluster-conflict")) throw error;
      return taken;
    });
  const journal = await attempt(asked, portsOf(plan.killAt)).catch(async (error: unknown) => {
    if (!(error instanceof Killed)) throw error;
    await lab.later(62);
    return attempt({ ...asked, isResumed: true }, portsOf());
  });
  guard.end();
  checkEnd(cluster, journal, served);
  const stored = await readJournal(lab.portsOf().kube);
  if (stored?.state !== journal.state) faults.push(`the journal says ${stored?.state}, the command ${journal.state}`);
  if (bad === undefined || journal.state !== "failed") return;
  // The release is taken back, and its pods.
  lab.state.served = served === "mesh-new" ? "mesh-old" : "old";
  const after = guardOf(cluster, 10, true);
  const back = await lab.restart({ question: { release: served }, parallel: 10 }, lab.portsOf(undefined, 0, plan.lost));
  after.end();
  const stuck = podsIn(lab).filter(isNew);
  const left = new Set(back.left.map(({ workload }) => workload.split("/")[2]));
  if (back.state !== "done" || stuck.some((pod) => !left.has(String(appOf(pod)))))
    faults.push(`taken back: ${back.state}, ${stuck.length} pods have it`);
  for (const { workload, why } of back.left) if (!why.includes("OnDelete")) faults.push(`${workload} keeps it: ${why}`);
}

/** A person, or an autoscaler. */
function scale({ api }: RestartLab, random: Random): void {
  const places = [...api.objects.keys()].filter((path) => path.includes("/deployments/w-"));
  if (places.length === 0) return;
  api.edit(random.pick(places), "hpa", (object) => {
    const spec = objectOf(object["spec"]);
    return {
      ...object,
      spec: { ...spec, replicas: Math.min(5, Math.max(1, Number(spec["replicas"]) + random.pick([-1, 1]))) },
    };
  });
}

/** Looks at each write before it has its effect. */
function guardOf({ lab, others, faults, inPlace, isBadSoon }: Cluster, parallel: number, isUrgent = false) {
  const { direct } = lab.api;
  const begun = new Set<string>();
  /** Pods whose change has no effect yet: each is down from the next step on. */
  const falling = new Set<string>();
  let time = lab.now();
  let [calls, frozenAt, isOfWrites] = [0, 0, false];
  /** Whether another command has had its turn meanwhile. */
  let freeze = async () => false;
  (lab.api as { direct: typeof direct }).direct = async (request) => {
    const { method, path } = request;
    if (lab.now() !== time) falling.clear();
    time = lab.now();
    const pod = path.startsWith(SHOP) ? (path.slice(SHOP.length).split(/[/?]/)[0] ?? "") : undefined;
    if (method !== "GET" && pod !== undefined && others.includes(pod))
      faults.push(`${method} of ${pod}, of another owner`);
    const [, kind = "", name = ""] =
      /^\/apis\/(?:apps|argoproj\.io)\/[^/]+\/namespaces\/shop\/(\w+)\/([^?]+)\?/.exec(path) ?? [];
    // What a takeover writes changes nothing.
    const isChange = method === "PATCH" && !path.endsWith("=outrigger-restart");
    if (isChange && kind !== "" && !begun.has(name)) {
      begin(name);
      const shared = budgetsOver(
        lab,
        podsIn(lab).filter((one) => appOf(one) === name),
      );
      for (const [budget, allowed] of shared)
        if (!isUrgent && allowed < 1) faults.push(`${name} is restarted while ${budget} allows ${allowed}`);
    }
    if (isChange && pod !== undefined && inPlace !== undefined) {
      const object = lab.api.objects.get(`${SHOP}${pod}`);
      const app = String(object && appOf(object));
      if (!begun.has(app)) begin(app);
      if (object !== undefined && isReady(object) && !falling.has(pod)) change(pod, app, object);
    }
    // Nobody can know before this call what happens while it is on its way.
    const isWrite = isChange || method === "DELETE";
    if (isWrite || !isOfWrites) calls++;
    const isLate = (isWrite || !isOfWrites) && calls === frozenAt && (await freeze());
    const answer = await direct(request);
    if (isLate && (isWrite || method === "PUT") && answer.status < 300)
      faults.push(`${method} ${path}, sent before another command's turn, has its effect after it`);
    return answer;
  };
  function begin(name: string): void {
    const back = lab.lines.filter((line) => line.endsWith(" is back")).map((line) => line.split(/[/ ]/)[2]);
    const fallen = podsIn(lab).filter(
      (one) => isNew(one) && !isReady(one) && isCrashing(one) && back.includes(String(appOf(one))),
    );
    if (!isUrgent && fallen.length > 0) faults.push(`${name} is begun while ${appOf(fallen[0] as JsonObject)} is down`);
    begun.add(name);
    if (!isUrgent && isBadSoon && begun.size > parallel) faults.push(`a bad release is in ${[...begun].join(", ")}`);
    const open = [...begun].filter(
      (one) => !back.includes(one) && podsIn(lab).some((pod) => appOf(pod) === one && isNew(pod) && !isReady(pod)),
    );
    if (open.length > parallel) faults.push(`${open.length} workloads are under way: ${open.join(", ")}`);
  }
  function change(pod: string, app: string, object: JsonObject): void {
    const own = podsIn(lab).filter((one) => appOf(one) === app && !others.includes(nameOf(one)));
    const [down, pace] = [own.filter((one) => !isReady(one) || falling.has(nameOf(one))).length, paceOf(lab, app, own)];
    if (down + 1 > pace) faults.push(`${pod} is changed while ${down} pods of ${app} are down, of ${pace}`);
    for (const [budget, allowed] of budgetsOver(lab, [object], falling))
      if (allowed < 1) faults.push(`${pod} is changed while ${budget} allows ${allowed}`);
    falling.add(pod);
  }
  return {
    freeze: (at: number, isWrite: boolean, then: () => Promise<boolean>) => {
      [frozenAt, isOfWrites, freeze] = [isWrite ? at % 12 : at, isWrite, then];
    },
    end: () => {
      (lab.api as { direct: typeof direct }).direct = direct;
    },
  };
}

/** Returns what the budgets of pods allow now, with pods that are about to fall deducted. */
function budgetsOver(
  { api }: RestartLab,
  pods: readonly JsonObject[],
  falling: ReadonlySet<string> = new Set(),
): readonly (readonly [string, number])[] {
  return [...api.objects]
    .filter(([path]) => path.startsWith(BUDGETS))
    .flatMap(([path, budget]) => {
      const { healthy, least, covered } = budgetOf(api.objects, path, budget);
      const own = pods.filter((pod) => covered.some((one) => nameOf(one) === nameOf(pod)));
      const lost = covered.filter((one) => isReady(one) && falling.has(nameOf(one))).length;
      return own.length === 0 ? [] : [[path.slice(BUDGETS.length), healthy - lost - least] as const];
    });
}

/** The number of pods that the strategy of a workload lets be down, at least one. */
function paceOf({ api }: RestartLab, app: string, pods: readonly JsonObject[]): number {
  const [path = "", object] =
    [...api.objects].find(([place]) => place.startsWith("/apis/") && place.endsWith(`/${app}`)) ?? [];
  const { strategy, replicas } = objectOf(object?.["spec"]);
  const { maxUnavailable = "25%" } = objectOf(objectOf(strategy)["rollingUpdate"]);
  if (!/deployments|rollouts/.test(path)) return 1;
  const wanted = Number(replicas ?? pods.length);
  return Math.max(1, typeof maxUnavailable === "number" ? maxUnavailable : Math.floor(wanted / 4));
}

function checkEnd({ lab, bad, faults, inPlace }: Cluster, journal: RestartJournal, served: string): void {
  const { state, failure, left } = journal;
  const isMoved = lab.state.served !== served;
  const why = failure?.why ?? "";
  if (state === "failed" && isMoved && why.includes("another release is served")) {
    if (failure?.workload !== undefined) faults.push(`${failure.workload} is blamed: ${why}`);
    return;
  }
  if (bad === undefined && state !== "done" && !(isMoved && state === "failed"))
    faults.push(`a good release: ${state}, ${why}`);
  const leftApps = new Set(left.map(({ workload }) => workload.split("/")[2]));
  const pods = podsIn(lab).filter((pod) => /^w-/.test(String(appOf(pod))) && isOfWorkload(pod));
  if (state === "done") {
    const old = pods.filter((pod) => !leftApps.has(String(appOf(pod))) && !isMoved && !isNew(pod));
    if (old.length > 0) faults.push(`done, and ${old.map(nameOf).join(", ")} are old`);
    const down = pods.filter((pod) => !leftApps.has(String(appOf(pod))) && isNew(pod) && isCrashing(pod));
    if (down.length > 0) faults.push(`done, and ${down.map(nameOf).join(", ")} are down`);
  }
  for (const { why: reason, workload } of left) {
    const isMeant = /OnDelete|no disruption|kubelet|only a restart|not healthy before|delete it and create/.test(
      reason,
    );
    if (!isMeant && !isMoved) faults.push(`${workload} is left: ${reason}`);
  }
  if (state === "failed" && failure?.workload !== undefined && failure.pod !== undefined) {
    const pod = lab.api.objects.get(`${SHOP}${failure.pod}`);
    if (pod !== undefined && isReady(pod) && inPlace === undefined)
      faults.push(`failed by ${failure.pod}, which is ready: ${why}`);
  }
}

function podsIn({ api }: RestartLab): readonly JsonObject[] {
  return [...api.objects].filter(([path]) => path.startsWith(SHOP)).map(([, pod]) => pod);
}

function isOfWorkload(pod: JsonObject): boolean {
  const [owner] = objectsOf(objectOf(pod["metadata"])["ownerReferences"]);
  return owner !== undefined && owner["kind"] !== "Job" && owner["name"] !== "other-5d8f";
}

function nameOf(pod: JsonObject): string {
  return String(objectOf(pod["metadata"])["name"]);
}

function isStruck(pod: JsonObject): boolean {
  return nameOf(pod).charCodeAt(nameOf(pod).length - 1) % 2 === 0;
}

function isReady(pod: JsonObject): boolean {
  const conditions = objectsOf(objectOf(pod["status"])["conditions"]);
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

function isCrashing(pod: JsonObject): boolean {
  return JSON.stringify(pod["status"] ?? {}).includes("CrashLoopBackOff");
}
