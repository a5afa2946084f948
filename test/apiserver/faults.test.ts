// Commands on a real API server of which one request fails, or two commands at once: pods are made all the while. None is rejected, none
// is without a sidecar that had one coming, and the next command ends right.
// More: OUTRIGGER_FAULT_RUNS=500. OUTRIGGER_FAULT_SEED names the first; each begins with what the one before has left.
import { setTimeout as pause } from "node:timers/promises";
import { type JsonObject, listOf, objectOf, objectsOf, ownError } from "@outrigger/base";
import { metadataOf } from "@outrigger/pod";
import { isInjected } from "@outrigger/webhook";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pick, type Random, randomOf } from "../support/random.ts";
import { type Fault, faultKinds, startFaultyProxy } from "./support/faulty-proxy.ts";
import { openRealLab, type RealLab } from "./support/real-lab.ts";

const RUNS = Number(process.env["OUTRIGGER_FAULT_RUNS"] ?? 8);
const FIRST = Number(process.env["OUTRIGGER_FAULT_SEED"] ?? 1);
const LIMIT = { timeout: 600_000 + RUNS * 10_000 };
/** More requests than any of these commands makes are made at times, by its undo. */
const MOST_REQUESTS = 26;

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const KINDS = ["mutatingwebhookconfigurations", "validatingadmissionpolicies", "validatingadmissionpolicybindings"];

/** A command, and what a cluster is after it. */
interface Step {
  readonly argv: readonly string[];
  readonly leaves: "serving" | "off" | "nothing";
}

const REGISTER = ["register", "--cluster", "shop", "--ca-file", "ca.pem"];
function canReject({ webhooks, spec }: JsonObject): boolean {
  const isStrict = objectsOf(webhooks).some(({ failurePolicy }) => failurePolicy === "Fail");
  return isStrict || listOf(objectOf(spec)["validationActions"]).includes("Deny");
}

const STEPS: readonly Step[] = [
  { argv: [...REGISTER, "--phase", "cluster"], leaves: "serving" },
  { argv: [...REGISTER, "--phase", "cluster", "--safety-net", "off"], leaves: "serving" },
  { argv: [...REGISTER, "--phase", "enforce", "--safety-net", "deny"], leaves: "serving" },
  { argv: [...REGISTER, "--phase", "enforce", "--safety-net", "warn"], leaves: "serving" },
  { argv: ["off", "--kubeconfig", "proxy.kubeconfig"], leaves: "off" },
  { argv: ["off", "--remove", "--yes", "--kubeconfig", "proxy.kubeconfig"], leaves: "nothing" },
  { argv: ["unregister", "--cluster", "shop", "--yes"], leaves: "nothing" },
];

describe("a fault at a random request, on a real API server", () => {
  let lab: RealLab;
  let proxy: Awaited<ReturnType<typeof startFaultyProxy>>;
  beforeAll(async () => {
    lab = await openRealLab();
    // An API server's own second is waited for; containers of the function know a new token at once here.
    lab.sleep = (milliseconds) => pause(Math.min(milliseconds, 2000));
    proxy = await startFaultyProxy(lab.api);
    await lab.allow(["register", "check", "registration", "off"]);
    expect((await lab.run("publish")).code).toBe(0);
    await lab.namespace("shop", { "istio-injection": "enabled" });
    await lab.until("the namespace has its service account", async () => {
      const path = "/api/v1/namespaces/shop/serviceaccounts/default";
      return (await lab.api.admin.get(path)) !== undefined;
    });
    const described = lab.services.clusters.get("shop");
    lab.services.clusters.set("shop", { ...described, endpoint: proxy.url });
    lab.write("proxy.kubeconfig", lab.kubeconfigText().replace(lab.api.url, proxy.url));
  });
  afterAll(async () => {
    await proxy?.close();
    await lab?.close();
  });

  /** What becomes of a new pod: it is injected, it is admitted as it is, or why it is not admitted. */
  const nextPod = async (): Promise<string> => {
    const containers = [{ name: "app", image: "app:1" }];
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers } };
    try {
      const made = await lab.api.admin.createDryRun("/api/v1/namespaces/shop/pods", pod);
      return isInjected(made as never) ? "injected" : "admitted";
    } catch (error) {
      return ownError(error).message;
    }
  };

  const objects = async () => {
    const found: JsonObject[] = [];
    for (const kind of KINDS)
      for await (const one of lab.api.admin.list(`${ADMISSION}/${kind}`, { labelSelector: "outrigger/revision" }))
        if (!JSON.stringify(one).includes('"name":"outrigger-off"')) found.push(one);
    return found;
  };

  /** Why the cluster is not as a command leaves it; undefined where it is. */
  const whyWrong = async ({ argv, leaves }: Step): Promise<string | undefined> => {
    const { code, out, err } = await lab.run(...argv);
    if (code !== 0) return `it ends with ${code}: ${err}`;
    const there = await objects();
    const left = there.map((one) => metadataOf(one).name).join(", ");
    if (leaves === "nothing") return left === "" ? undefined : `it leaves ${left}`;
    const strict = there.filter(canReject).map((one) => metadataOf(one).name);
    if (leaves === "off") return strict.length > 0 ? `${strict.join(", ")} may still reject: ${out}` : undefined;
    const checked = await lab.run("check", "--cluster", "shop", "--section", "registration");
    if (checked.code !== 0) return `check finds ${checked.out}`;
    return (await nextPod()) === "injected" ? undefined : "the next pod is not injected";
  };

  const stepsOf = (random: Random): readonly Step[] => {
    const step = pick(random, STEPS);
    return random() < 0.25 ? [step, pick(random, STEPS)] : [step];
  };

  it(`rejects no pod, leaves no sidecar out, and the next command ends right, in ${RUNS} runs`, LIMIT, async () => {
    const faults: string[] = [];
    // A long run says at once what it finds.
    const note = (fault: string) => {
      faults.push(fault);
      console.log(fault);
    };
    const counts = { pods: 0, failed: 0 };
    let isServing = false;
    for (let run = FIRST; run < FIRST + RUNS; run++) {
      const random = randomOf(run);
      // Half of all runs begin with a cluster that is registered, as most of a cluster's life is.
      if (!isServing && random() < 0.6) {
        const why = await whyWrong(pick(random, STEPS.slice(0, 4)));
        if (why !== undefined) note(`run ${run}, before: ${why}`);
        isServing = why === undefined;
      }
      const steps = stepsOf(random);
      const fault: Fault = { kind: pick(random, faultKinds), at: Math.floor(random() * MOST_REQUESTS) };
      const what = `run ${run}: ${steps.map(({ argv }) => argv.join(" ")).join(" and ")}, ${fault.kind} at ${fault.at}`;
      const isKept = isServing && steps.every(({ leaves }) => leaves === "serving");
      const watch = { isOver: false, pods: [] as string[] };
      const watching = (async () => {
        while (!watch.isOver) watch.pods.push(await nextPod());
      })();
      proxy.disturb(fault);
      const ended = await Promise.all(steps.map(({ argv }) => lab.run(...argv)));
      proxy.disturb(undefined);
      watch.isOver = true;
      await watching;
      counts.pods += watch.pods.length;
      counts.failed += ended.filter(({ code }) => code !== 0).length;
      const wrong = watch.pods.filter((pod) => (isKept ? pod !== "injected" : !["injected", "admitted"].includes(pod)));
      if (wrong.length > 0) note(`${what}: ${wrong.length} of ${watch.pods.length} pods: ${wrong[0]}`);
      const [next = steps[0]] = steps.slice(-1);
      const why = next && (await whyWrong(next));
      if (why !== undefined) note(`${what}; the next ${next?.argv.join(" ")}: ${why}`);
      isServing = why === undefined && next?.leaves === "serving";
    }
    console.log(`${RUNS} runs, ${counts.failed} commands failed, ${counts.pods} pods made meanwhile`);
    expect(faults).toEqual([]);
  });
});
