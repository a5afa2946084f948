// Samples of generated fleets: every branch that the pods take is taken, by the least number of samples, with which the tree is as sound as
// before, and nothing in them is the pods' own that must not be. More: OUTRIGGER_SAMPLE_PODS=10000, which prints the time that it takes.
import { isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import { listed } from "@outrigger/cluster";
import { defaultedPod } from "@outrigger/fake-aws";
import {
  branchReader,
  injectPod,
  lintSource,
  loadRelease,
  type Release,
  type SourceTree,
  samplePods,
} from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { podGenerator, READ_LABEL } from "../../../test/support/generated-pods.ts";
import { randomOf } from "../../../test/support/random.ts";
import { shippedTree } from "../../../test/support/shipped-tree.ts";
import { fleetBranches } from "./fleet-branches.ts";
import { planSamples } from "./plan-samples.ts";

const PODS = Number(process.env["OUTRIGGER_SAMPLE_PODS"] ?? 20);
const isMeasured = process.env["OUTRIGGER_SAMPLE_PODS"] !== undefined;

/** Conditions of every kind, on values that a sample may have. */
const AGENT = `spec:
  containers:
  - name: agent
    image: agent:1
    {{#if metadata.labels.${READ_LABEL}}}
    workingDir: /labelled
    {{/if}}
    {{#if (lookup metadata.annotations "agent.example.com/port")}}
    tty: true
    {{/if}}
    {{#if (hasPrefix "team-4" metadata.namespace)}}
    stdin: true
    {{/if}}
    {{#if (hasPrefix "own" metadata.labels.owner)}}
    stdinOnce: true
    {{/if}}
    {{#each spec.volumes}}
    {{#if secret}}
    terminationMessagePolicy: FallbackToLogsOnError
    {{/if}}
    {{/each}}
    {{#if spec.imagePullSecrets}}
    terminationMessagePath: /pulled
    {{/if}}
`;

/** Conditions on what no sample has: it is wanted, and not kept. */
const NOSY = `${AGENT}    {{#each spec.containers}}
    {{#each env}}
    {{#if (hasPrefix "canary" (default "" value))}}
    # wanted
    {{/if}}
    {{#if valueFrom.secretKeyRef}}
    {{#if (hasPrefix "canary" valueFrom.secretKeyRef.name)}}
    # wanted
    {{/if}}
    {{/if}}
    {{/each}}
    {{#each args}}
    {{#if (hasPrefix "--key=canary" this)}}
    # wanted
    {{/if}}
    {{/each}}
    {{/each}}
    {{#each spec.volumes}}
    {{#if secret}}
    {{#if (hasPrefix "canary" (default "" secret.secretName))}}
    # wanted
    {{/if}}
    {{/if}}
    {{/each}}
    {{#each spec.hostAliases}}
    {{#if (hasPrefix "10.9" ip)}}
    # wanted
    {{/if}}
    {{/each}}
    {{#if (hasPrefix "postgres" (default "" (lookup metadata.annotations "acme.example.com/database")))}}
    # wanted
    {{/if}}
    {{#if (hasPrefix "canary" (default "" (lookup metadata.annotations "acme.example.com/secret-name")))}}
    # wanted
    {{/if}}
`;

async function openTree(config: string, agent: string) {
  const shipped = await shippedTree();
  const tree: SourceTree = { config, "templates/agent": agent };
  const { release, findings } = lintSource([shipped, tree]);
  if (release === undefined) throw new Error(findings.map(({ message }) => message).join("\n"));
  const injector = loadRelease(release);
  const isTrees = (text: string) => injector.templates.names.includes(text) || injector.templates.isRead(text);
  return { shipped, tree, release, injector, read: branchReader(release, injector), isTrees };
}

type OpenedTree = Awaited<ReturnType<typeof openTree>>;

/** Texts that are planted in a pod, wherever it has a place for one. */
const CANARY = "canary-7f3e";

function planted(pod: Pod, index: number): Pod {
  const host = `${CANARY}-host-${index}.internal`;
  const visit = (value: JsonValue, path: readonly string[]): JsonValue => {
    if (Array.isArray(value)) return value.map((item) => visit(item, path));
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, visit(inner ?? null, [...path, key])]),
      );
    if (typeof value !== "string") return value;
    const field = path.slice(-2).join(".");
    if (field === "env.value") return `${CANARY}-variable-${index}`;
    if (path.includes("args") || path.includes("command")) return `--key=${CANARY}-argument-${index}`;
    if (
      /(secret\.secretName|secretKeyRef\.name|secretRef\.name|imagePullSecrets\.name|nodePublishSecretRef\.name|azureFile\.secretName|secret\.name)$/.test(
        field,
      )
    )
      return `${CANARY}-secret-${index}`;
    if (["httpGet.host", "tcpSocket.host"].includes(field)) return host;
    if (field === "hostAliases.hostnames") return host;
    if (field === "dnsConfig.searches") return host;
    return value;
  };
  const { metadata = {}, spec, ...rest } = visit(pod as JsonObject, []) as Pod;
  const [first, ...others] = spec?.containers ?? [];
  return {
    ...rest,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, owner: index % 3 === 0 ? "own-team" : "others" },
      annotations: {
        ...metadata.annotations,
        "acme.example.com/database": `postgres://app:${CANARY}-password@10.9.8.7:5432/db`,
        "acme.example.com/secret-name": `${CANARY}-secret-${index}`,
        ...(index % 4 === 0 && {
          "proxy.istio.io/config": `proxyMetadata:\n  KEY: ${CANARY}-variable-${index}\n  PIN: "73218844"\ndiscoveryAddress: ${CANARY}.internal:15012\n`,
          // A number, of an annotation that takes one: a pod that would be denied is in no sample.
          "acme.example.com/limits": `pin: 73218844\n`,
        }),
        ...(index % 5 === 0 && {
          "sidecar.istio.io/userVolume": JSON.stringify({
            own: { secret: { secretName: `${CANARY}-secret-${index}` } },
          }),
        }),
        ...(index % 7 === 0 && { "traffic.sidecar.istio.io/includeOutboundIPRanges": "10.9.8.0/24,10.9.7.0/24" }),
      },
    },
    spec: {
      ...spec,
      hostAliases: [{ ip: "10.9.8.7", hostnames: [host] }],
      containers: [
        {
          ...first,
          env: [
            ...(first?.env ?? []).filter(({ name }) => name !== "PLANTED"),
            { name: "PLANTED", value: `${CANARY}-variable-${index}` },
          ],
          ...(first?.args === undefined && index % 2 === 0 && { args: [`--key=${CANARY}-argument-${index}`] }),
        },
        ...others,
      ],
    },
  } as Pod;
}

const LEAK = new RegExp(`${CANARY}|10\\.9\\.[78]\\.|73218844`);

/** The pod of a workload, as the API server stores it. */
function stored(pod: Pod, index: number, release: Release): JsonObject {
  const { name: _, generateName: __, ownerReferences: ___, ...metadata } = pod.metadata ?? {};
  const owner = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    name: `app-${index}-5d8f`,
    uid: `uid-${index}`,
    controller: true,
  };
  const namespace = `team-${index % 7}`;
  const labels = { ...metadata.labels, "pod-template-hash": "5d8f" };
  const sent = defaultedPod({
    ...pod,
    metadata: { ...metadata, namespace, labels, generateName: `app-${index}-5d8f-`, ownerReferences: [owner] },
  });
  const made = index % 2 === 0 ? sent : injected(sent, release);
  return {
    ...made,
    metadata: { ...made.metadata, name: `app-${index}-5d8f-bcdfg`, uid: `pod-${index}` },
    status: { phase: "Running", podIP: "10.9.8.7" },
  } as unknown as JsonObject;
}

function injected(pod: Pod, release: Release): Pod {
  try {
    const result = injectPod(loadRelease(release), { pod, namespace: pod.metadata?.namespace ?? "", parameters: {} });
    return result.injected ? defaultedPod(result.pod) : pod;
  } catch {
    return pod;
  }
}

async function fleetOf(objects: readonly JsonObject[], { injector, read }: OpenedTree) {
  const served = { cluster: {}, parameters: {}, release: "0", channel: "stable", injector };
  const kube = {
    pods: async function* () {
      for (const object of objects) yield listed(object);
    },
  };
  return fleetBranches([{ name: "shop", kube, servedFor: () => [served], releaseOf: async () => undefined }], read);
}

const errorsOf = (layers: readonly SourceTree[]) =>
  lintSource(layers)
    .findings.filter(({ severity }) => severity === "error")
    .map(({ message }) => message);

const fits = (text: string) => Buffer.byteLength(text) <= 4096;

describe("planSamples()", () => {
  const makePod = podGenerator();
  const fleet = (seed: number, pods: number, release: Release) => {
    const random = randomOf(seed);
    return Array.from({ length: pods }, (_, index) => stored(planted(makePod(random), index), index, release));
  };

  it("takes every branch that the pods take, says which it does not, and writes nothing of theirs", async () => {
    const opened = await openTree("defaultTemplates: [sidecar, agent]\n", AGENT);
    const { shipped, tree, read, isTrees } = opened;
    for (const seed of isMeasured ? [1, 2, 3] : [1]) {
      const { groups } = await fleetOf(fleet(seed, PODS, opened.release), opened);
      const begun = performance.now();
      const plan = planSamples({ groups, shipped, tree, read, isTrees, fits, isPruned: false });
      if (isMeasured)
        process.stdout.write(
          `seed ${seed}: ${groups.length} sets of branches, ${plan.written.length} samples, ${Math.round(performance.now() - begun)} ms\n`,
        );
      const written = Object.fromEntries(plan.written.map(({ path, text }) => [path, text]));
      for (const [path, text] of Object.entries(written)) {
        expect(LEAK.exec(text)?.[0], path).toBeUndefined();
        expect(fits(text), path).toBe(true);
      }
      const taken = new Set(
        samplePods([shipped, { ...tree, ...written }]).flatMap(({ request }) => [...read(request).branches]),
      );
      const asked = new Set(groups.flatMap(({ branches }) => [...branches]));
      const missed = [...asked].filter((branch) => !taken.has(branch)).sort();
      expect(missed).toEqual(plan.left.map(({ branch }) => branch).sort());
      // Of pods that would be made, values that no sample has decide nothing here.
      expect(plan.left.filter(({ why }) => !why.startsWith("the pods that take it would not be made"))).toEqual([]);
      expect(errorsOf([shipped, { ...tree, ...written }])).toEqual([]);
      const again = planSamples({
        groups,
        shipped,
        tree: { ...tree, ...written },
        read,
        isTrees,
        fits,
        isPruned: true,
      });
      expect([again.written, again.removed]).toEqual([[], []]);
    }
  }, 3_600_000);

  it(`has nothing of a pod that must not be in a sample, in ${PODS} pods`, async () => {
    const opened = await openTree("defaultTemplates: [sidecar, agent]\n", NOSY);
    const { read, isTrees } = opened;
    const leaks: string[] = [];
    let asGood = 0;
    for (const [index, object] of fleet(4, PODS, opened.release).entries()) {
      const { groups } = await fleetOf([object], opened);
      const plan = planSamples({ groups, shipped: {}, tree: {}, read, isTrees, fits, isPruned: false });
      for (const { text } of plan.written) {
        asGood += 1;
        const leak = LEAK.exec(text);
        if (leak !== null) leaks.push(`pod ${index}: …${text.slice(Math.max(0, leak.index - 80), leak.index + 40)}`);
      }
    }
    expect(leaks).toEqual([]);
    expect(asGood).toBeGreaterThan(PODS / 2);
    if (isMeasured) process.stdout.write(`${asGood} samples of ${PODS} pods\n`);
  }, 3_600_000);

  it("writes the least number of samples", async () => {
    const opened = await openTree("defaultTemplates: [sidecar, agent]\n", AGENT);
    const { shipped, tree, read, isTrees } = opened;
    for (let seed = 10; seed < (isMeasured ? 30 : 14); seed++) {
      const { groups } = await fleetOf(fleet(seed, 12, opened.release), opened);
      const { written } = planSamples({ groups, shipped, tree, read, isTrees, fits, isPruned: false });
      const before = new Set(samplePods([shipped, tree]).flatMap(({ request }) => [...read(request).branches]));
      const sets = groups
        .filter(({ error }) => error === undefined)
        .map(({ branches }) => [...branches].filter((each) => !before.has(each)));
      expect(written.length).toBe(leastNumber(sets));
    }
  });
});

/** By trying all selections of each size. */
function leastNumber(sets: readonly (readonly string[])[]): number {
  const all = new Set(sets.flat());
  for (let most = 0; ; most++) if (reaches(0, new Set(), most)) return most;

  function reaches(from: number, covered: ReadonlySet<string>, left: number): boolean {
    if (covered.size === all.size) return true;
    if (left === 0) return false;
    for (let at = from; at < sets.length; at++) {
      if (reaches(at + 1, new Set([...covered, ...(sets[at] ?? [])]), left - 1)) return true;
    }
    return false;
  }
}
