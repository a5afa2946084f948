// The safety net's whole table: labels, annotations, networks, policies, selectors and templates, with the webhook up and down.
// What is expected comes from the injector itself: a pod is rejected where it is to be injected and was not.
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@outrigger/base";
import { defined } from "@outrigger/base";
import type { Injector } from "@outrigger/injector";
import { compileRelease, decide, injectPod, loadRelease } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { readSourceTree } from "@outrigger/publisher";
import { buildSafetyNet, isInjected } from "@outrigger/webhook";

export interface SafetyNetCase {
  readonly name: string;
  readonly pod: JsonObject;
  /** The row of decide() that decided about it. */
  readonly reason: ReturnType<typeof decide>["reason"];
  readonly isRejected: boolean;
}

export interface SafetyNetTable {
  /** The name of the configuration. */
  readonly name: string;
  readonly policy: JsonObject;
  readonly bindings: readonly JsonObject[];
  readonly cases: readonly SafetyNetCase[];
  /** One pod of each template, as its author writes it. */
  readonly templates: Readonly<Record<string, JsonObject>>;
}

const INJECT = "sidecar.istio.io/inject";
const WISHES = [undefined, "", "true", "false", "maybe"];
const NEVER = { requirements: [{ key: "kind", operator: "In", values: ["batch"] }] } as const;
const ALWAYS = {
  requirements: [
    { key: "kind", operator: "Exists", values: [] },
    { key: "old", operator: "DoesNotExist", values: [] },
  ],
} as const;

const KIND = { requirements: [{ key: "kind", operator: "In", values: ["batch", "web"] }] } as const;

type TemplateMatch = Exclude<Injector["config"]["defaultTemplates"][number], string>["match"];

function matched(match: TemplateMatch) {
  return { name: "sidecar", match };
}

const CONFIGS: readonly (readonly [string, Partial<Injector["config"]>])[] = [
  ["enabled", {}],
  ["disabled", { policy: "disabled" }],
  ["unknown", { policy: "unknown" }],
  ["enabled, never", { neverInjectSelector: [NEVER] }],
  ["disabled, always", { policy: "disabled", alwaysInjectSelector: [ALWAYS] }],
  ["enabled, matched", { defaultTemplates: [matched({ podLabels: KIND }), matched({ namespaces: ["till"] })] }],
  [
    "disabled, always, matched",
    {
      policy: "disabled",
      alwaysInjectSelector: [ALWAYS],
      defaultTemplates: [matched({ podLabels: KIND, namespaces: ["shop"] })],
    },
  ],
  ["enabled, elsewhere", { defaultTemplates: [matched({ podLabels: KIND, namespaces: ["till"] })] }],
  ["disabled, both", { policy: "disabled", neverInjectSelector: [NEVER], alwaysInjectSelector: [ALWAYS] }],
];

const APP = { name: "app", image: "app:1" };

/** Pods by name: their annotations and containers. */
const SHAPES: Readonly<
  Record<string, { readonly annotations: Readonly<Record<string, string>>; readonly containers: readonly JsonObject[] }>
> = {
  plain: { annotations: {}, containers: [APP] },
  "the author's own istio-proxy": { annotations: {}, containers: [APP, { name: "istio-proxy", image: "mine:1" }] },
  gateway: {
    annotations: { "inject.istio.io/templates": "gateway" },
    containers: [{ name: "istio-proxy", image: "auto" }],
  },
  "grpc-simple": { annotations: { "inject.istio.io/templates": "grpc-simple" }, containers: [APP] },
  "grpc-agent": { annotations: { "inject.istio.io/templates": "grpc-agent" }, containers: [APP] },
};

/** The pod templates by the name of their shape. A pod that names no template is injected with the default ones. */
const TEMPLATES: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  Object.entries(SHAPES).map(([shape, { annotations, containers }]) => [
    shape,
    { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "shop", annotations }, spec: { containers } },
  ]),
);

const WINDOWS = { "kubernetes.io/os": "windows" };

/** Where the pod runs: on which network, and on which system. What the pod says of its system overrides its node selector. */
const PLACES: Readonly<Record<string, JsonObject>> = {
  anywhere: {},
  "host network": { hostNetwork: true },
  "its own network": { hostNetwork: false, nodeSelector: { "kubernetes.io/arch": "arm64" } },
  windows: { os: { name: "windows" } },
  "windows nodes": { nodeSelector: WINDOWS },
  "linux nodes": { nodeSelector: { "kubernetes.io/os": "linux" } },
  "windows on linux nodes": { os: { name: "windows" }, nodeSelector: { "kubernetes.io/os": "linux" } },
  "linux on windows nodes": { os: { name: "linux" }, nodeSelector: WINDOWS },
};

const KINDS: readonly Readonly<Record<string, string>>[] = [
  {},
  { kind: "batch" },
  { kind: "web" },
  { kind: "web", old: "1" },
];

export async function safetyNetTables(): Promise<readonly SafetyNetTable[]> {
  const release = compileRelease([await readSourceTree(fileURLToPath(new URL("../../templates", import.meta.url)))]);
  return CONFIGS.map(([name, change]) => {
    const config = { ...release.config, ...change };
    const injector = loadRelease({ ...release, config });
    const [policy, ...bindings] = buildSafetyNet({
      deployment: "dev",
      url: "https://a.test",
      token: "t".repeat(43),
      revision: "default",
      tags: [],
      phase: "cluster",
      namespaces: [],
      timeoutSeconds: 10,
      safetyNet: "deny",
      injection: config,
    });
    const cases = podsOf().flatMap(({ title, pod }): SafetyNetCase[] => {
      const decision = decide(config, pod, "shop");
      const { reason } = decision;
      const down = { name: `${name}, ${title}, down`, pod: pod as JsonObject, reason, isRejected: decision.inject };
      if (!decision.inject) return [down];
      const result = injectPod(injector, { pod, namespace: "shop", parameters: {} });
      if (!result.injected) throw new Error(`${title} was not injected`);
      const injected = result.pod;
      if (!isInjected(injected)) throw new Error(`${title} does not count as injected`);
      // A record that was copied from another pod, without what it records.
      const { metadata } = injected;
      const copied = {
        ...pod,
        metadata: { ...pod.metadata, annotations: metadata?.annotations },
      } as unknown as JsonObject;
      const up = { name: `${name}, ${title}, up`, pod: injected as unknown as JsonObject, reason, isRejected: false };
      if (isInjected(copied as Pod)) throw new Error(`${title} counts as injected by a copied record`);
      return [down, up, { name: `${name}, ${title}, copied`, pod: copied, reason, isRejected: true }];
    });
    return { name, policy: policy as JsonObject, bindings, cases, templates: TEMPLATES };
  });
}

function podsOf(): readonly { readonly title: string; readonly pod: Pod }[] {
  return WISHES.flatMap((label) =>
    WISHES.flatMap((annotation) =>
      Object.entries(SHAPES).flatMap(([shape, { annotations, containers }]) =>
        KINDS.flatMap((kind) =>
          placesOf(shape, kind).map(([place, where]) => ({
            title: JSON.stringify({ label, annotation, shape, kind, place }),
            pod: {
              apiVersion: "v1",
              kind: "Pod",
              metadata: {
                name: "web",
                namespace: "shop",
                labels: { ...kind, ...defined({ [INJECT]: label }) },
                annotations: { ...annotations, ...defined({ [INJECT]: annotation }) },
              },
              spec: { containers, ...where },
            } as unknown as Pod,
          })),
        ),
      ),
    ),
  );
}

/** Every place for a plain pod, and two of them for all others: nothing else of a pod changes what its place means. */
function placesOf(shape: string, kind: Readonly<Record<string, string>>) {
  const isPlain = shape === "plain" && Object.keys(kind).length === 0;
  return Object.entries(PLACES).slice(0, isPlain ? undefined : 2);
}
