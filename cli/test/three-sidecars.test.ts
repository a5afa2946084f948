// A team without a mesh, measured: a tree of three sidecars of the shelf over the pods of public manifests and those that an API server sent.
import { join } from "node:path";
import { type JsonObject, jsonEqual, metadataKeys, objectOf } from "@outrigger/base";
import {
  admittedRequest,
  compileRelease,
  decodePod,
  injectPod,
  loadRelease,
  type SourceTree,
} from "@outrigger/injector";
import { admittedForm, containersOf, type Pod, validatePod } from "@outrigger/pod";
import { readExamples, readSourceTree } from "@outrigger/publisher";
import { describe, expect, it } from "vitest";
import { reviewPods } from "../../test/pod-validation/admitted-pods.ts";
import { realPods } from "../../test/pod-validation/pod-cases.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Each is for the pods with its label. */
const SIDECARS = ["log-shipper", "otel-collector", "pgbouncer"] as const;
const LABELS = {
  "sidecars.example.com/logs": "log-shipper",
  "sidecars.example.com/telemetry": "otel-collector",
  "sidecars.example.com/database": "pgbouncer",
} as const;

const examples = await readExamples(join(ROOT, "docs/examples"));
const entries = Object.entries(LABELS).map(([label, name]) => ({ name, match: { podLabels: { [label]: "yes" } } }));
const tree: SourceTree = {
  ...Object.assign({}, ...examples.filter(({ name }) => SIDECARS.some((one) => one === name)).map((one) => one.tree)),
  config: JSON.stringify({ mesh: "none", defaultTemplates: entries }).replaceAll(/\}(?=\})/g, "} "),
  // pgbouncer's sample is for the label of its own example.
  "samples/web": `kind: Pod\nmetadata: {name: web, labels: ${JSON.stringify(Object.fromEntries(Object.keys(LABELS).map((label) => [label, "yes"])))} }\nspec: {containers: [{name: web, image: web}]}\n`,
};
const injector = loadRelease(compileRelease([await readSourceTree(join(ROOT, "templates")), tree]));

const pods = [...realPods().filter(({ verdict }) => verdict === "accepted"), ...reviewPods()]
  .map(({ pod }) => decodePod(pod, "written"))
  // A pod on the node's network is never injected, and one that names templates asks for those.
  .filter(({ spec }) => spec?.hostNetwork !== true)
  .filter(({ metadata }) => metadata?.annotations?.[metadataKeys.templates] === undefined);

const inject = (pod: Pod) => injectPod(injector, admittedRequest({ pod, namespace: "shop", parameters: {} }));
const labelled = (pod: Pod, labels: Readonly<Record<string, string>>): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, labels: { ...pod.metadata?.labels, ...labels } },
});
const SCRAPE = /^prometheus\.io\//;
const scrapedAt = ({ metadata }: Pod) =>
  Object.entries(metadata?.annotations ?? {}).filter(([key]) => SCRAPE.test(key));

describe("a tree of three sidecars over the pods of public manifests", () => {
  it("has 400 pods of them at least", () => {
    expect(pods.length).toBeGreaterThanOrEqual(400);
  });

  it("leaves each pod that no sidecar is for as it is: no patch at all", () => {
    const changed = pods.filter((pod) => inject(pod).injected);
    expect(changed.map(({ metadata }) => metadata)).toEqual([]);
  });

  it.each([...Object.entries(LABELS), ["all three", ""] as const])(
    "for %s, adds what is asked for to a pod that stays valid, and leaves the author's metrics, probes and containers",
    (label, name) => {
      const asked =
        name === "" ? Object.fromEntries(Object.keys(LABELS).map((key) => [key, "yes"])) : { [label]: "yes" };
      const wanted = name === "" ? SIDECARS : [name];
      let made = 0;
      for (const each of pods) {
        const pod = labelled(each, { ...asked });
        let result: ReturnType<typeof inject>;
        try {
          result = inject(pod);
        } catch {
          // A pod that has a port, a volume or a container of the sidecar's name itself.
          continue;
        }
        if (!result.injected) continue;
        made += 1;
        expect(containersOf(result.pod.spec as unknown as JsonObject).map((one) => one["name"])).toEqual(
          expect.arrayContaining([...wanted]),
        );
        const before = admittedForm(pod, { namespace: "shop" });
        expect(scrapedAt(result.pod)).toEqual(scrapedAt(before));
        for (const own of before.spec?.containers ?? []) {
          const after = result.pod.spec?.containers?.find((one) => one.name === own.name);
          for (const field of ["readinessProbe", "livenessProbe", "startupProbe", "image", "ports", "command"] as const)
            expect(jsonEqual(objectOf(after)[field] ?? null, objectOf(own)[field] ?? null), field).toBe(true);
        }
        expect(validatePod(result.pod as unknown as JsonObject)).toEqual([]);
        expect(result.pod.metadata?.annotations?.[metadataKeys.status]).toBeDefined();
      }
      expect(made).toBeGreaterThanOrEqual(pods.length * 0.9);
    },
  );
});
