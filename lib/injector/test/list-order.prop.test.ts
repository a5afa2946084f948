// Templates that order lists: injecting again changes nothing, and another configuration gives what it gives to the
// author's pod. Overlays name the author's items in any order, add their own and have directives of order.

import { type JsonObject, metadataKeys } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUNS } from "../../../test/support/arbitrary-pod.ts";
import { injectPod } from "../inject-pod.ts";
import type { Injector } from "../injection.ts";
import { compileRelease } from "../release/compile-release.ts";
import { loadRelease } from "../release/load-release.ts";

type Item = Readonly<Record<string, unknown>>;

/** Fields of an overlay for one list: items of the author's and new ones, and perhaps a directive that orders them. */
const listOf = (field: string, key: string, known: readonly unknown[], added: readonly unknown[], rest: Item) =>
  fc
    .record({
      named: fc.shuffledSubarray([...known, ...added]),
      ordered: fc.option(fc.shuffledSubarray([...known, ...added]), { nil: undefined }),
    })
    .map(({ named, ordered }) => ({
      ...(named.length > 0 && { [field]: named.map((name) => ({ [key]: name, ...rest })) }),
      ...(ordered && {
        [`$setElementOrder/${field}`]: [...new Set([...named, ...ordered])].map((name) => ({ [key]: name })),
      }),
    }));

const inner = fc.record({
  env: listOf("env", "name", ["A", "B"], ["N"], { value: "t" }),
  mounts: listOf("volumeMounts", "mountPath", ["/a", "/b"], ["/n"], { name: "v1" }),
  ports: listOf("ports", "containerPort", [80, 81], [90], { protocol: "TCP" }),
});

const template = fc
  .record({
    containers: listOf("containers", "name", ["a", "b", "c"], ["n", "istio-proxy"], { image: "t" }),
    initContainers: listOf("initContainers", "name", ["i", "j"], ["m", "o"], { image: "t" }),
    volumes: listOf("volumes", "name", ["v1", "v2"], ["w1", "w2"], { emptyDir: {} }),
    imagePullSecrets: listOf("imagePullSecrets", "name", ["s1", "s2"], ["s3"], {}),
    inner,
  })
  .map(({ containers, initContainers, volumes, imagePullSecrets, inner: { env, mounts, ports } }): JsonObject => {
    const named = (containers["containers"] ?? []) as readonly Item[];
    const items = named.map((item, index) => (index === 0 ? { ...item, ...env, ...mounts, ...ports } : item));
    const first = items.length > 0 ? { containers: items } : {};
    return { spec: { ...containers, ...first, ...initContainers, ...volumes, ...imagePullSecrets } } as JsonObject;
  });

const some = <T>(items: readonly T[], minLength = 0) => fc.shuffledSubarray([...items], { minLength });

/** An API server drops empty lists. */
const filled = (lists: Readonly<Record<string, readonly unknown[]>>) =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));

const pod: fc.Arbitrary<Pod> = fc
  .record({
    containers: some(["a", "b", "c", "istio-proxy"], 1),
    initContainers: some(["i", "j"]),
    env: some(["A", "B"]),
    mounts: some(["/a", "/b"]),
    secrets: some(["s1", "s2"]),
    volumes: some(["v2"]),
  })
  .map(({ containers, initContainers, env, mounts, secrets, volumes }) => ({
    metadata: { name: "p" },
    spec: {
      containers: containers.map((name) => ({
        name,
        image: "p",
        ...filled({
          env: env.map((variable) => ({ name: variable, value: "p" })),
          volumeMounts: mounts.map((mountPath) => ({ mountPath, name: "v1" })),
        }),
        ports: [{ containerPort: 81 }],
      })),
      volumes: [...volumes, "v1"].map((name) => ({ name, emptyDir: {} })),
      ...filled({
        initContainers: initContainers.map((name) => ({ name, image: "p" })),
        imagePullSecrets: secrets.map((name) => ({ name })),
      }),
    },
  }));

/** Braces apart: two of them would be a tag. */
const text = (overlay: JsonObject) =>
  JSON.stringify(overlay)
    .replaceAll(/[{}]/g, " $& ")
    .replaceAll(/\{ +\}/g, "{ }");

function injectorOf(templates: readonly JsonObject[]): Injector {
  const names = templates.map((_, index) => `t${index}`);
  const files = templates.map((overlay, index) => [`templates/t${index}`, text(overlay)]);
  const config = `defaultTemplates: [${names.join(", ")}]\nnativeSidecars: false\n`;
  return loadRelease(
    compileRelease([{ config, mesh: "enablePrometheusMerge: false\n", ...Object.fromEntries(files) }]),
  );
}

function inject(injector: Injector, given: Pod): Pod {
  const result = injectPod(injector, { pod: given, namespace: "shop", parameters: {} });
  if (!result.injected) throw new Error(result.reason);
  return result.pod;
}

function recordOf(metadata: Pod["metadata"]): string {
  const record: object = JSON.parse(metadata?.annotations?.[metadataKeys.status] ?? "{}");
  return JSON.stringify(Object.entries(record).filter(([key]) => !/^(?:order\/volumes|checksum)\//.test(key)));
}

/** The order of volumes means nothing, and the record's note of its author's order with it, which its checksum is of. */
const withSortedVolumes = ({ metadata, spec }: Pod) => ({
  metadata: { ...metadata, annotations: { ...metadata?.annotations, [metadataKeys.status]: recordOf(metadata) } },
  spec: { ...spec, volumes: [...(spec?.volumes ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1)) },
});

describe("injectPod() with templates that order lists", () => {
  it("changes nothing the second time, and the second configuration wins", { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(
        fc.array(template, { minLength: 1, maxLength: 2 }),
        template,
        fc.array(pod, { minLength: 4, maxLength: 4 }),
        (templates, other, pods) => {
          const [one, two] = [injectorOf(templates), injectorOf([other])];
          for (const authored of pods) {
            const first = inject(one, authored);
            expect(inject(one, first)).toEqual(first);
            expect(withSortedVolumes(inject(two, first))).toEqual(withSortedVolumes(inject(two, authored)));
          }
        },
      ),
      { numRuns: Math.ceil(RUNS / 40), seed: 1 },
    );
  });
});
