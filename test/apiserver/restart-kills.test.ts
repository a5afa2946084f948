// A restart on a real API server whose process is ended by SIGKILL at each of its writes: after the first, after the second, and so on. The
// same is run again when the journal's lease is over. Both together patch each workload once and replace or change no pod twice, no lease
// is left, and what is printed is so.
import { join } from "node:path";
import { type JsonObject, listOf, objectOf, parseJson } from "@outrigger/base";
import { isRunning, metadataOf } from "@outrigger/pod";
import { buildRbac, isInjected } from "@outrigger/webhook";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EndedProcess, type FakeForCluster, startFakeForCluster } from "./support/fake-for-cluster.ts";
import { startFaultyProxy } from "./support/faulty-proxy.ts";
import { restartsTurn } from "./support/killed-turn.ts";
import { openRealLab, type RealLab } from "./support/real-lab.ts";

const JOURNAL = "configmaps/outrigger-restart";
const TAG = "0.0.1-new";
/** A restart makes fewer writes than this: the one that would be killed here is not. Those that only renew its lease come by the time, and do not count. */
const TOO_MANY = 12;
const WORKLOADS = [
  { kind: "Deployment", plural: "deployments", revisions: "replicasets", name: "web", replicas: 2 },
  { kind: "StatefulSet", plural: "statefulsets", revisions: "controllerrevisions", name: "db", replicas: 1 },
] as const;
const PODS = 3;

const MODES = {
  restart: [],
  "restart --in-place": ["--in-place", "--container", "istio-proxy", "--container", "istio-init"],
} as const;
type Mode = keyof typeof MODES;

/** Every sixth number of writes of one of the two: a commit's share. */
const PLACES = (Object.keys(MODES) as Mode[]).flatMap((mode, at) => {
  const all = Array.from({ length: TOO_MANY }, (_, index) => index + 1);
  const taken = all.filter((writes) => restartsTurn.has((writes % 6) * 2 + at));
  return taken.length === 0 ? [] : [...new Set([...taken, TOO_MANY])].map((writes) => ({ mode, writes }));
});

/** The pods of a namespace, how many revisions its workloads have had, and the journal of its restart. */
interface Seen {
  readonly pods: readonly JsonObject[];
  readonly revisions: readonly number[];
  readonly journal: JsonObject | undefined;
}

/** A restart that was killed, and the same again. */
interface Story {
  readonly isKilled: boolean;
  readonly killed: EndedProcess;
  readonly status: EndedProcess;
  readonly again: EndedProcess;
  readonly before: Seen;
  readonly left: Seen;
  readonly after: Seen;
}

describe("a restart whose process is killed at each write, on a real API server", () => {
  let lab: RealLab;
  let fake: FakeForCluster;
  let direct: string;
  const namespaceFor = (mode: Mode, writes: number) => `${mode === "restart" ? "killed" : "placed"}-${writes}`;

  beforeAll(async () => {
    lab = await openRealLab();
    await lab.allow(["register", "check", "registration", "pods", "restart"]);
    lab.write("direct.kubeconfig", lab.kubeconfigText());
    direct = join(lab.cwd, "direct.kubeconfig");
    fake = await startFakeForCluster(lab.cwd, direct);
    await done("register", "--cluster", "shop", "--ca-file", fake.caFile, "--phase", "cluster");
    await Promise.all(PLACES.map(({ mode, writes }) => fill(mode, namespaceFor(mode, writes))));
    lab.write("tree/values/50-image.yaml", `global:\n  tag: ${TAG}\n`);
    await done("push", "tree", "--publish", "-m", "A new image");
  });
  afterAll(async () => {
    if (fake !== undefined) await done("unregister", "--cluster", "shop", "--yes");
    await Promise.all(
      PLACES.map(({ mode, writes }) => lab?.api.admin.remove(`/api/v1/namespaces/${namespaceFor(mode, writes)}`)),
    );
    await fake?.close();
    await lab?.close();
  });

  const done = async (...argv: readonly string[]) => {
    const { code, out, err } = await fake.start(direct, ...argv).ended;
    expect([argv.join(" "), code, out, err]).toEqual([argv.join(" "), 0, out, err]);
  };

  /** Makes a namespace with workloads whose pods are ready. Those that are to be changed in place have their sidecar, of the old image. */
  const fill = async (mode: Mode, namespace: string) => {
    const asks = { "istio-injection": "enabled" };
    await lab.namespace(namespace, mode === "restart" ? {} : asks);
    for (const workload of WORKLOADS) await lab.apply(objectFor(workload, namespace));
    await lab.until(`the pods of ${namespace} are ready`, async () => {
      const pods = (await lab.pods(namespace)).filter(isRunning);
      return pods.length === PODS && pods.every((pod) => JSON.stringify(pod).includes('"phase":"Running"'));
    });
    await lab.namespace(namespace, asks);
    // A cluster has one restart at a time. Here each namespace is a cluster of its own, whose journal is kept there.
    const place = { revisions: [], tags: [], probeNamespaces: [], istioNamespace: "istio-system" };
    const roles = buildRbac({ ...place, group: "outrigger-registrars", name: "outrigger", features: ["restart"] });
    for (const role of roles.filter((one) => metadataOf(one).namespace === "default"))
      await lab.apply({ ...role, metadata: { ...objectOf(role["metadata"]), namespace } });
  };

  const look = async (namespace: string): Promise<Seen> => {
    const revisions = WORKLOADS.map(async ({ revisions: plural, name }) => {
      let count = 0;
      for await (const one of lab.api.admin.list(`/apis/apps/v1/namespaces/${namespace}/${plural}`))
        if (metadataOf(one).name.startsWith(`${name}-`)) count += 1;
      return count;
    });
    const map = await lab.api.admin.get(`/api/v1/namespaces/${namespace}/${JOURNAL}`);
    return {
      revisions: await Promise.all(revisions),
      pods: (await lab.pods(namespace)).filter(isRunning),
      journal: map && (JSON.parse(String(objectOf(map["data"])["restart"])) as JsonObject),
    };
  };

  /** Lets the lease of a journal run out, as a minute does. */
  const endLease = (namespace: string, journal: JsonObject) => {
    const lease = { ...objectOf(journal["lease"]), until: new Date(Date.now() - 1000).toISOString() };
    const data = { restart: JSON.stringify({ ...journal, lease }) };
    return lab.api.admin.mergePatch(`/api/v1/namespaces/${namespace}/${JOURNAL}`, { data });
  };

  /** Runs a restart whose process is killed after so many writes, and then the same again. */
  const killAt = async (mode: Mode, writes: number): Promise<Story> => {
    const namespace = namespaceFor(mode, writes);
    const before = await look(namespace);
    const life = { made: 0, kill: () => {} };
    const isOver = () => life.made >= writes;
    const isRenewal = renewals();
    const wrote = (body = "{}") => {
      if (!isRenewal(body)) life.made++;
      if (isOver()) life.kill();
    };
    const apart = (text: string) =>
      text
        .replace(`/namespaces/default/${JOURNAL}`, `/namespaces/${namespace}/${JOURNAL}`)
        .replace(/("kind":"ConfigMap".*?"namespace":)"default"/, `$1"${namespace}"`);
    const mortal = await startFaultyProxy(lab.api, { isOver, wrote }, apart);
    const endless = await startFaultyProxy(lab.api, undefined, apart);
    const reaching = (url: string, number: number) => {
      lab.write(`${namespace}-${number}`, lab.kubeconfigText().replace(lab.api.url, url));
      return join(lab.cwd, `${namespace}-${number}`);
    };
    const context = ["--context", "real"];
    const argv = ["restart", ...context, "-n", namespace, "--parallel", "2", ...MODES[mode], "--yes"];
    const first = fake.start(reaching(mortal.url, 1), ...argv);
    life.kill = () => first.child.kill("SIGKILL");
    const killed = await first.ended;
    const left = await look(namespace);
    const kubeconfig = reaching(endless.url, 2);
    const status = await fake.start(kubeconfig, "restart", "status", ...context).ended;
    if (left.journal?.["lease"] !== undefined) await endLease(namespace, left.journal);
    const again = await fake.start(kubeconfig, ...argv).ended;
    const after = await look(namespace);
    await Promise.all([mortal.close(), endless.close()]);
    return { isKilled: killed.code === undefined, before, killed, left, status, again, after };
  };

  /** All at once: each spends most of its time waiting for pods, and for the time for which they are watched. */
  let told: Promise<readonly { readonly mode: Mode; readonly writes: number; readonly story: Story }[]> | undefined;
  const storiesOf = async (asked: Mode) => {
    told ??= Promise.all(PLACES.map(async (place) => ({ ...place, story: await killAt(place.mode, place.writes) })));
    return (await told).filter(({ mode }) => mode === asked);
  };

  const isTaken = (asked: Mode) => PLACES.some(({ mode }) => mode === asked);

  for (const mode of Object.keys(MODES) as Mode[])
    it.runIf(isTaken(mode))(mode, async () => {
      const stories = await storiesOf(mode);
      const killed = stories.filter(({ story }) => story.isKilled);
      console.log(`${mode}: killed after ${killed.map(({ writes }) => writes).join(", ")} writes`);
      const faults = stories.flatMap(({ writes, story }) =>
        faultsOf(mode, story).map((fault) => `after ${writes} writes: ${fault}\n${JSON.stringify(story.again)}`),
      );
      expect(faults).toEqual([]);
      expect(killed).not.toEqual([]);
      // Otherwise writes are left at which it was not killed.
      expect(stories.find(({ writes }) => writes === TOO_MANY)?.story.isKilled).toBe(false);
    });
});

/** Returns what tells a write of the journal that changes only its lease from all others: it compares each journal with the one before. */
function renewals() {
  let before: string | undefined;
  return (body: string): boolean => {
    const text = objectOf(objectOf(parseJson(body))["data"])["restart"];
    if (text === undefined) return false;
    const { lease, ...rest } = JSON.parse(String(text)) as JsonObject;
    const [last, now] = [before, JSON.stringify(rest)];
    before = now;
    return lease !== undefined && now === last;
  };
}

/** What is wrong with a story, in words. */
function faultsOf(mode: Mode, { isKilled, before, killed, left, status, again, after }: Story): readonly string[] {
  const isInPlace = mode !== "restart";
  const uids = ({ pods }: Seen) => pods.map((pod) => metadataOf(pod).uid);
  const kept = uids(after).filter((uid) => uids(before).includes(uid));
  const lines = `${killed.err}${again.err}`.split("\n");
  const twice = lines.filter(
    (line, at) => / is (?:restarted|changed in place|back)$/.test(line) && lines.indexOf(line) < at,
  );
  const counts = isKilled && left.journal?.["state"] !== "done" ? WORKLOADS.length : 0;
  const facts: Readonly<Record<string, boolean>> = {
    "the first ended otherwise": isKilled || killed.code === 0,
    [`the second ended with ${again.code}`]: again.code === 0,
    [`it says ${again.out}`]: again.out.endsWith(` is complete: ${counts} done, 0 not begun\n`),
    [`a lease is left`]: after.journal?.["lease"] === undefined && after.journal?.["state"] === "done",
    [`revisions: ${after.revisions.join(" and ")}`]: after.revisions.every((count) => count === (isInPlace ? 1 : 2)),
    [`pods: ${after.pods.length}`]: after.pods.length === PODS,
    "a pod has no sidecar of the new image": after.pods.every(
      (pod) => isInjected(pod as never) && JSON.stringify(pod["spec"]).includes(`:${TAG}`),
    ),
    [`of the pods before, there are ${kept.length}`]: kept.length === (isInPlace ? PODS : 0),
    "a pod was written more than once": after.pods.every(
      (pod) => objectOf(pod["metadata"])["generation"] === (isInPlace ? 2 : 1),
    ),
    [`printed twice: ${twice.join(", ")}`]: twice.length === 0,
    [`status says ${status.out}${status.err}`]: isTrueOf(left, isInPlace, status.out),
  };
  return Object.entries(facts).flatMap(([fault, isSo]) => (isSo ? [] : [fault]));
}

/** Whether what `restart status` says is so of a cluster: all workloads are counted once, and those that were begun are not called waiting. */
function isTrueOf({ journal, pods, revisions }: Seen, isInPlace: boolean, said: string): boolean {
  const begun = WORKLOADS.filter(({ name }, at) =>
    isInPlace
      ? pods.some((pod) => metadataOf(pod).name.startsWith(`${name}-`) && JSON.stringify(pod).includes(`:${TAG}`))
      : revisions[at] === 2,
  );
  if (said.endsWith(": nothing is begun yet\n")) return begun.length === 0;
  const [, word, done, , waiting] =
    / is (under way|complete): (\d) done(, \d under way \(.*\))?, (\d) not begun\n$/.exec(said) ?? [];
  const moving = listOf(journal?.["moving"]).length;
  const isAll = Number(done) + moving + Number(waiting) === WORKLOADS.length;
  return isAll && Number(done) + moving >= begun.length && (word === "complete") === (journal?.["state"] === "done");
}

function objectFor({ kind, name, replicas }: (typeof WORKLOADS)[number], namespace: string): JsonObject {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: "app", image: "app:1" }] } };
  // Both of its pods may be down at once.
  const together = { strategy: { rollingUpdate: { maxUnavailable: "100%", maxSurge: 0 } } };
  const own = kind === "StatefulSet" ? { serviceName: name } : together;
  return {
    ...{ apiVersion: "apps/v1", kind, metadata: { name, namespace } },
    spec: { replicas, selector: { matchLabels: { app: name } }, template, ...own },
  };
}
