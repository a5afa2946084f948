// One schedule of two commands: the first is frozen at one of its calls for longer than the lease while the second begins; the
// second may be frozen at one of its own while the first continues. What pods and people see is looked at after every change.
import { type JsonObject, OutriggerError } from "@outrigger/base";
import { digestOfToken, kubeClient, type RegistrationPorts, registerCluster } from "@outrigger/cluster";
import { CLUSTER, type ClusterLab, openClusterLab, resetTo } from "./cluster-lab.ts";
import { type FrozenCommand, type Side, spareToken, type statesBefore } from "./frozen-commands.ts";
import { deadWebhooks, isAdmitted } from "./pod-admission.ts";

/** Milliseconds that a command is frozen, which is longer than the lease. */
const FROZEN = 301_000;

/**
 * The ways to freeze a command: before its call takes effect, after it, or before it and with its own clock stopped, as in a paused
 * machine.
 */
export const freezes = ["in", "after", "paused in"] as const;

export interface Freeze {
  readonly call: number;
  readonly how: (typeof freezes)[number];
}

export interface Schedule {
  readonly commands: readonly [FrozenCommand, FrozenCommand];
  readonly first: Freeze;
  /** The freeze of the second command. If it is left out, the command runs to its end. */
  readonly second?: Freeze;
}

export interface Outcome {
  /** Whether each of the two was frozen: a command may have fewer calls than that. */
  readonly frozen: readonly [first: boolean, second: boolean];
  /** The number of calls that the first command has made. */
  readonly calls: number;
  readonly lies: readonly string[];
  readonly worse: readonly string[];
  /** The reasons why the commands failed; undefined for one that was done. */
  readonly failures: readonly (string | undefined)[];
}

/** A laboratory whose API server and webhook are asked without a network. */
async function openFrozenLab(): Promise<ClusterLab> {
  const lab = await openClusterLab();
  lab.api.webhook = (_url, pod) => {
    const metadata = { ...(pod["metadata"] as JsonObject), annotations: { "sidecar.istio.io/status": "{}" } };
    return { ...pod, metadata };
  };
  const kube = kubeClient({ name: CLUSTER.name, sleep: async () => {}, exchange: lab.api.direct });
  return { ...lab, ports: { ...lab.ports, kube, selfTest: async () => {} } };
}

/** Puts a laboratory back to how it is now. */
export async function preparedLab([, asked, hasSpare]: (typeof statesBefore)[number]): Promise<{
  lab: ClusterLab;
  reset(): void;
}> {
  const lab = await openFrozenLab();
  if (asked !== undefined) await registerCluster(lab.request(asked), lab.ports);
  const add = { action: "add-token", cluster: CLUSTER.name, cause: { by: "ann", why: "" } } as const;
  if (hasSpare) await lab.publisher.ask({ ...add, sha256: digestOfToken(spareToken) });
  return { lab, reset: resetTo(lab) };
}

interface Running {
  readonly ports: RegistrationPorts;
  readonly calls: () => number;
  /** The place of its first call in the order in which all calls took effect. `ended` is that of its last call about a side. */
  readonly began: () => number;
  readonly ended: (side: Side) => number;
}

type Clock = { steps: number };

/** Ports that freeze at one call, for as long as something else takes. */
function freezing(
  lab: ClusterLab,
  clock: Clock,
  freeze: Freeze | undefined,
  meanwhile: () => Promise<void>,
  look: () => void,
): Running {
  let [calls, stopped, began] = [0, 0, 0];
  const ended = { cluster: 0, record: 0 };
  const wait = async () => {
    const start = lab.ports.now();
    await lab.ports.sleep(FROZEN);
    await meanwhile();
    if (freeze?.how === "paused in") stopped += lab.ports.now() - start;
  };
  const called = async <Result>(
    side: "cluster" | "record",
    send: () => Promise<Result>,
    isWrite = true,
  ): Promise<Result> => {
    const isIt = ++calls === freeze?.call;
    if (isIt && freeze.how !== "after") await wait();
    ended[side] = ++clock.steps;
    began ||= clock.steps;
    try {
      return await send();
    } finally {
      if (isWrite) look();
      if (isIt && freeze.how === "after") await wait();
    }
  };
  const ports: RegistrationPorts = {
    ...lab.ports,
    now: () => lab.ports.now() - stopped,
    kube: kubeClient({
      name: CLUSTER.name,
      sleep: async () => {},
      exchange: (request) => called("cluster", () => lab.api.direct(request), request.method !== "GET"),
    }),
    ask: (request) => called("record", () => lab.publisher.ask(request)),
    readRecord: (cluster) => called("record", () => lab.publisher.readRecord(cluster)),
  };
  return {
    ports,
    calls: () => calls,
    began: () => began,
    ended: (side) => (side === "both" ? Math.max(ended.cluster, ended.record) : ended[side]),
  };
}

/** Returns why a command failed, in its words, or undefined if it succeeded. Any other error is a mistake in it. */
function failureOf(running: Promise<unknown>): Promise<string | undefined> {
  return running.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof OutriggerError) return error.message;
      throw error;
    },
  );
}

const REVISIONS = ["default", "prod"];

/** Runs it, and says what was untrue, and which pods were worse off. */
export async function runSchedule(lab: ClusterLab, schedule: Schedule): Promise<Outcome> {
  const { commands } = schedule;
  const clock: Clock = { steps: 0 };
  const lies = new Set<string>();
  const worse = new Set<string>();
  const look = () => {
    for (const revision of REVISIONS) if (!isAdmitted(lab, revision, true)) worse.add(`rejects pods of ${revision}`);
  };
  const failures: (string | undefined)[] = ["", ""];
  const isDone = (index: number) => failures[index] === undefined;
  let [isFrozen, isOtherFrozen] = [false, false];
  const runnings: Running[] = [];
  /** Whether the other command has rightly changed the cluster since this one's end. */
  const isOverruled = (index: 0 | 1) => {
    const [own, other] = [runnings[index] as Running, runnings[1 - index] as Running];
    const later = commands[1 - index] as FrozenCommand;
    if (!isDone(1 - index) || !commands[index].overruledBy.some((words) => later.name.startsWith(words))) return false;
    // Off is stronger than whatever had begun when it ended.
    if (commands[index].name.startsWith("off")) return other.began() > own.began();
    return other.ended("both") > own.ended(later.side);
  };
  const say = async (index: 0 | 1, when: string) => {
    const { name, isTrue } = commands[index];
    if (isDone(index) && !(await isTrue(lab)) && !isOverruled(index)) lies.add(`${name}, ${when}`);
  };
  const end = async (index: 0 | 1, running: Promise<unknown>, { calls }: Running, freeze: Freeze | undefined) => {
    failures[index] = await failureOf(running);
    // What happened after the answer to its last call is after its end.
    if (freeze?.how !== "after" || freeze.call !== calls()) await say(index, "at its end");
  };
  let release = () => {};
  const firstEnded = new Promise<void>((resolve) => {
    release = resolve;
  });
  let otherEnded: Promise<void> = Promise.resolve();
  let giveWay = () => {};
  const other = freezing(
    lab,
    clock,
    schedule.second,
    async () => {
      isOtherFrozen = true;
      giveWay();
      await firstEnded;
    },
    look,
  );
  const one = freezing(
    lab,
    clock,
    schedule.first,
    async () => {
      isFrozen = true;
      const gaveWay = new Promise<void>((resolve) => {
        giveWay = resolve;
      });
      otherEnded = end(1, commands[1].run(lab, other.ports), other, schedule.second);
      await Promise.race([gaveWay, otherEnded]);
    },
    look,
  );
  runnings.push(one, other);
  await end(0, commands[0].run(lab, one.ports), one, schedule.first);
  release();
  await otherEnded;
  for (const index of [0, 1] as const) await say(index, "afterwards");
  for (const name of deadWebhooks(lab)) {
    const isAsked = commands.some((command, index) => isDone(index) && command.name.startsWith("clusters remove"));
    if (!isAsked) worse.add(`${name} has a dead token in the end`);
  }
  return { frozen: [isFrozen, isOtherFrozen], calls: one.calls(), lies: [...lies], worse: [...worse], failures };
}
