// A channel with a share, from the token to the response: which release answers which pod, and that response and log name it.

import { fakeParameterStore } from "@outrigger/fake-aws";
import { compileRelease } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { clusterOf, PREFIX, snapshotOf, writeSnapshot } from "../../../test/support/stored-snapshot.ts";
import { tokenOf } from "../../../test/support/tokens.ts";
import { virtualClock } from "../../../test/support/virtual-clock.ts";
import { admit } from "../admission/admit.ts";
import { logAdmission } from "../observe/log.ts";
import { serveStore } from "../services/cluster-service.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { isInShare } from "../snapshot/workload-share.ts";

const TOKEN = tokenOf("east-");
const TREE = (image: string) => ({
  config: "defaultTemplates: [side]\npolicy: enabled\n",
  "templates/side": `spec:\n  containers:\n  - name: side\n    image: ${image}\n`,
});
/** A tree whose number is none for any pod. No sample is tried here. */
const BROKEN = {
  config: "defaultTemplates: [side]\npolicy: enabled\n",
  "templates/side":
    "spec:\n  containers:\n  - name: side\n    image: one\n    ports:\n    - containerPort: {{int metadata.generateName}}\n",
};
/** A tree that writes a label's value into a field that cannot have it: the pod's author is at fault. */
const DENYING = {
  config: BROKEN.config,
  "templates/side": `spec:
  containers:
  - name: side
    image: one
    {{#if (lookup metadata.labels "pod-template-hash")}}
    securityContext: {runAsUser: {{int (printf "-%s" (lookup metadata.labels "pod-template-hash"))}} }
    {{/if}}
`,
};
const releases = { aaaaaaaaaaaa: compileRelease([TREE("one")]), bbbbbbbbbbbb: compileRelease([TREE("two")]) };

async function serving(shares: Snapshot["shares"], broken?: object) {
  const clock = virtualClock();
  const store = fakeParameterStore({ now: clock.now });
  const all = { ...releases, ...broken };
  const content = {
    seq: 1,
    channels: { stable: "aaaaaaaaaaaa" },
    clusters: { east: clusterOf([TOKEN]) },
    releases: all,
  };
  await writeSnapshot(store, snapshotOf({ ...content, ...(shares === undefined ? {} : { shares }) } as never));
  store.forgetCalls();
  const { find, live } = serveStore({
    prefix: PREFIX,
    reader: store,
    clock,
    random: () => 0.5,
    ttl: 10_000,
    bundled: undefined,
    report: () => undefined,
  });
  live.start();
  await clock.advance(0);
  /** Returns the answer to a pod of a Deployment: the release by response and log, and the image. */
  const answerTo = async (name: string) => {
    const controller = { apiVersion: "apps/v1", kind: "ReplicaSet", name: `${name}-1`, uid: "u", controller: true };
    const metadata = {
      generateName: `${name}-1-`,
      labels: { "pod-template-hash": "1" },
      ownerReferences: [controller],
    };
    const object = { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [{ name: "app", image: "app" }] } };
    const request = {
      uid: "u",
      kind: { group: "", version: "v1", kind: "Pod" },
      resource: { group: "", version: "v1", resource: "pods" },
      operation: "CREATE",
      namespace: "shop",
      object,
    };
    const body = JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
    const headers = { "content-type": "application/json" };
    const path = `/t/${TOKEN}/inject`;
    return admit({ method: "POST", path, query: {}, headers, body }, { find, now: () => 0 });
  };
  const ask = async (name: string) => {
    const answer = await answerTo(name);
    const { response } = JSON.parse(answer.body);
    const patch = Buffer.from(response.patch, "base64").toString();
    return [response.auditAnnotations.release, answer.log.release, /"image":"(one|two)"/.exec(patch)?.[1]];
  };
  const log = async (name: string) => {
    const lines: string[] = [];
    const { log: record } = await answerTo(name);
    logAdmission(record, { write: (line) => lines.push(line), metrics: { stage: "dev", now: () => 0 } });
    return lines.map((line) => JSON.parse(line));
  };
  return { ask, log, calls: () => store.calls().GetParameters };
}

const ONE = ["aaaaaaaaaaaa", "aaaaaaaaaaaa", "one"];
const TWO = ["bbbbbbbbbbbb", "bbbbbbbbbbbb", "two"];

describe("a channel with a share", () => {
  it("answers the workloads of the share with its release, each of them always, and reads nothing more", async () => {
    const { ask, calls } = await serving({ stable: { release: "bbbbbbbbbbbb", percent: 25 } });
    let count = 0;
    for (let index = 0; index < 200; index++) {
      const workload = { cluster: "east", namespace: "shop", kind: "Deployment", name: `w${index}` };
      const expected = isInShare(workload, 25) ? TWO : ONE;
      if (expected === TWO) count++;
      expect([await ask(`w${index}`), await ask(`w${index}`)]).toEqual([expected, expected]);
    }
    expect(count).toBeGreaterThan(25);
    expect(count).toBeLessThan(75);
    expect(calls()).toBe(1);
  });

  it("answers every workload with its own release where the share's cannot be loaded", async () => {
    const { ask } = await serving(
      { stable: { release: "cccccccccccc", percent: 99 } },
      { cccccccccccc: { format: 999 } },
    );
    for (let index = 0; index < 20; index++) expect(await ask(`w${index}`)).toEqual(ONE);
  });

  it("answers a pod that the share's release cannot inject with its own, and counts it", async () => {
    const shares = { stable: { release: "cccccccccccc", percent: 100 } };
    const { ask, log } = await serving(shares, { cccccccccccc: compileRelease([BROKEN]) });
    expect(await ask("w")).toEqual(ONE);
    expect(await log("w")).toMatchObject([
      { decision: "injected", release: "aaaaaaaaaaaa" },
      { event: "regressed", release: "cccccccccccc", answeredBy: "aaaaaaaaaaaa", Regressed: 1, pod: "shop/w-1-*" },
    ]);
  });

  it("answers a pod that the share's release denies with its own, and counts it as one that failed", async () => {
    const shares = { stable: { release: "cccccccccccc", percent: 100 } };
    const denying = { cccccccccccc: compileRelease([DENYING]) };
    expect(await (await serving(undefined, { aaaaaaaaaaaa: compileRelease([DENYING]) })).log("w")).toMatchObject([
      { decision: "denied", reason: "pod-invalid", Denied: 1, Release: "aaaaaaaaaaaa" },
    ]);
    const { ask, log } = await serving(shares, denying);
    expect(await ask("w")).toEqual(ONE);
    expect(await log("w")).toMatchObject([
      { decision: "injected", release: "aaaaaaaaaaaa" },
      { event: "regressed", release: "cccccccccccc", answeredBy: "aaaaaaaaaaaa", Regressed: 1, pod: "shop/w-1-*" },
    ]);
  });

  it("answers with the share's own error where neither can inject the pod: it was rejected before", async () => {
    const shares = { stable: { release: "cccccccccccc", percent: 100 } };
    const releases = { aaaaaaaaaaaa: compileRelease([BROKEN]), cccccccccccc: compileRelease([BROKEN]) };
    const { log } = await serving(shares, releases);
    expect(await log("w")).toMatchObject([{ decision: "failed", release: "cccccccccccc" }]);
  });

  it("answers as ever where no channel has one", async () => {
    const { ask } = await serving(undefined);
    expect(await ask("w")).toEqual(ONE);
  });
});
