// Stopping a command between two calls: a call that is under way is finished, so that its outcome is known, and the next
// one fails. Undoing is done with the ports as they were.
import { OutriggerError } from "@outrigger/base";
import type { KubeClient } from "../kube/kube-client.ts";
import type { RegistrationPorts } from "./registration.ts";

/** Ports whose calls throw `interrupted` once the signal is aborted; waiting ends at once. */
export function stoppable(ports: RegistrationPorts): RegistrationPorts {
  const { signal, kube, alarm } = ports;
  if (signal === undefined) return ports;
  const check = () => {
    if (signal.aborted) throw interrupted(signal);
  };
  const guarded =
    <Arguments extends readonly unknown[], Result>(call: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      check();
      return call(...args);
    };
  const guardedKube: KubeClient = {
    name: kube.name,
    get: guarded(kube.get),
    text: guarded(kube.text),
    async *list(path, query) {
      check();
      yield* kube.list(path, query);
    },
    async *pods(path, query) {
      check();
      yield* kube.pods(path, query);
    },
    apply: guarded(kube.apply),
    replace: guarded(kube.replace),
    mergePatch: guarded(kube.mergePatch),
    createDryRun: guarded(kube.createDryRun),
    review: guarded(kube.review),
    remove: guarded(kube.remove),
  };
  return {
    ...ports,
    kube: guardedKube,
    ask: guarded(ports.ask),
    readRecord: guarded(ports.readRecord),
    selfTest: guarded(ports.selfTest),
    alarm: { put: guarded(alarm.put), remove: guarded(alarm.remove) },
    async sleep(milliseconds) {
      check();
      await untilAborted(signal, ports.sleep(milliseconds));
      check();
    },
  };
}

/** Waits for a promise or for the signal. Each wait takes its listener away again. */
async function untilAborted(signal: AbortSignal, wait: Promise<void>): Promise<void> {
  let stop = () => {};
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    await Promise.race([wait, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function interrupted({ reason }: AbortSignal): OutriggerError {
  const why = typeof reason === "string" ? reason : "it was stopped";
  return new OutriggerError("interrupted", `The command did not finish: ${why}; run it again`);
}
