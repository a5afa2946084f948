// What is remembered is what would be computed: the shipped templates, and pods that come again, changed or not.
import { readRelease } from "outrigger:bundled-release";
import type { JsonObject } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { expect, it } from "vitest";
import { RUNS } from "../../../test/support/arbitrary-pod.ts";
import { pick, randomOf } from "../../../test/support/random.ts";
import { below } from "../../../tools/fuzz/damage.ts";
import { podOf } from "../../../tools/fuzz/pods.ts";
import { injectPod } from "../inject-pod.ts";
import type { InjectAnswer, InjectRequest } from "../injection.ts";
import { loadRelease } from "../release/load-release.ts";
import { type Inject, rememberInjections } from "./remember-injections.ts";

const injector = loadRelease(readRelease());
const FIRST = Number(process.env["OUTRIGGER_PROPERTY_SEED"] ?? 1);

it("rememberInjections() answers as injectPod() does, whatever comes in whatever order", () => {
  let injections = 0;
  const remember = rememberInjections((...asked) => {
    injections += 1;
    return injectPod(...asked);
  });
  let asked = 0;
  // Of a workload that is not injected, nothing is remembered: where few are tried, all may be such.
  const isShown = () => asked - injections >= STEPS;
  for (let seed = FIRST; seed < FIRST + RUNS / 16 || (!isShown() && seed < FIRST + MOST); seed++)
    asked += compare(remember, seed);
  expect(isShown()).toBe(true);
});

it("rememberInjections() answers as injectPod() does where pods name a volume as another's token is named", () => {
  const remember = rememberInjections(injectPod);
  const named = (pod: JsonObject) => withUserVolume(pod, "kube-api-access-ddddd");
  for (let seed = FIRST; seed < FIRST + RUNS / 64; seed++) compare(remember, seed, named);
});

/** Sends pods of a workload. Returns how many. */
function compare(remember: Inject, seed: number, changed = (pod: JsonObject) => pod): number {
  const random = randomOf(seed);
  const pods = [podOf(random), podOf(random)].map((pod) => changed(ofController(pod, String(seed))));
  for (let step = 0; step < STEPS; step++) {
    const token = `kube-api-access-${pick(random, ["aaaaa", "bbbbb", "ccccc", "ddddd"])}`;
    const pod = withToken(pods[random() < 0.95 ? 0 : 1] as JsonObject, token);
    const request: InjectRequest = {
      pod: pod as Pod,
      namespace: "shop",
      parameters: below(random, 20) === 0 ? { ISTIO_META_NETWORK: "n2" } : {},
    };
    expect(outcomeOf(() => remember(injector, request))).toEqual(outcomeOf(() => injectPod(injector, request)));
  }
  return STEPS;
}

const STEPS = 20;
/** Workloads, of which a third is injected: none of so many is no chance. */
const MOST = 100;

function ofController(pod: JsonObject, uid: string): JsonObject {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-6d4cf56db6", uid, controller: true };
  const metadata = { ...(pod["metadata"] as JsonObject), generateName: "web-6d4cf56db6-", ownerReferences: [owner] };
  return { ...pod, metadata };
}

/** Adds a volume with a name that a later replica's token may get. */
function withUserVolume(pod: JsonObject, name: string): JsonObject {
  const metadata = pod["metadata"] as JsonObject;
  const volume = { "sidecar.istio.io/userVolume": JSON.stringify({ [name]: { emptyDir: {} } }) };
  return { ...pod, metadata: { ...metadata, annotations: { ...(metadata["annotations"] as JsonObject), ...volume } } };
}

function withToken(pod: JsonObject, token: string): JsonObject {
  const { containers, volumes = [], ...spec } = pod["spec"] as { containers: JsonObject[]; volumes?: JsonObject[] };
  const volumeMounts = [{ name: token, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true }];
  return {
    ...pod,
    spec: {
      ...spec,
      volumes: [...volumes, { name: token, projected: { sources: [] } }],
      containers: containers.map((container) => ({ ...container, volumeMounts })),
    },
  };
}

function outcomeOf(answer: () => InjectAnswer): unknown {
  try {
    const {
      author: _,
      pod: __,
      patch: ___,
      ...shown
    } = answer() as InjectAnswer & Partial<Record<"author" | "pod" | "patch", unknown>>;
    return shown;
  } catch (error) {
    return (error as Error).message;
  }
}
