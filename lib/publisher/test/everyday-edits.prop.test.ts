// Edits of every day, by the table: none of them is held by its class or refused by `baseline`, and no pod that an API server sends
// fails on one, save for those that have themselves what a template writes: such an edit waits where everyday changes alone go out.
// They run on the shipped tree. OUTRIGGER_EVERYDAY_EDITS=all runs them all with all pods, and otherwise the examples and every tenth with
// every fourth pod.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { listOf, ownError } from "@outrigger/base";
import { type Guardrails, guardedInjection, guardRelease, parseGuardrails } from "@outrigger/guardrails";
import { compileRelease, loadRelease, type Release, type SourceTree } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { beforeAll, describe, expect, it } from "vitest";
import { CREATED_IN, createdPods, reviewPods } from "../../../test/pod-validation/admitted-pods.ts";
import { turnOf } from "../../../test/support/in-turn.ts";
import { compileUntried, shippedTree } from "../../../test/support/shipped-tree.ts";
import { compareReleases } from "../effect/compare-releases.ts";
import { HELD_BY_DEFAULT } from "../effect/effects.ts";
import { judgeEdit } from "../effect/judge-edit.ts";
import { readSourceTree } from "../source/source-directory.ts";

type Edit = readonly [what: string, after: SourceTree, before?: SourceTree];

const values = (text: string): SourceTree => ({ "values/10-mine": text });
const proxy = (text: string) => values(`global: {proxy: {${text}} }`);
const each = (what: string, choices: readonly (string | number)[], make: (choice: string | number) => SourceTree) =>
  choices.map((choice): Edit => [`${what} ${choice}`, make(choice)]);

const VALUES: readonly Edit[] = [
  ...each(
    "tag",
    ["1.31.1", "1.31.2", "1.31.3", "1.31.0-distroless", "1.31.1-debug", "1.31-alpha.1", "nightly"],
    (tag) => values(`global: {tag: '${tag}'}`),
  ),
  ...each(
    "registry",
    [
      "registry.example/istio",
      "123456789012.dkr.ecr.eu-west-1.amazonaws.com/istio",
      "gcr.io/istio-release",
      "quay.io/mesh",
      "mirror.example:5000/a/b",
    ],
    (hub) => values(`global: {hub: '${hub}'}`),
  ),
  ...each("CPU request", ["10m", "20m", "50m", "80m", "150m", "199m", "0.1", "0.2"], (cpu) =>
    proxy(`resources: {requests: {cpu: '${cpu}'} }`),
  ),
  ...each("memory request", ["64Mi", "100Mi", "192Mi", "256Mi"], (memory) =>
    proxy(`resources: {requests: {memory: '${memory}'} }`),
  ),
  ...each("CPU limit", ["500m", "1", "1500m", "3", "4"], (cpu) => proxy(`resources: {limits: {cpu: '${cpu}'} }`)),
  ...each("memory limit", ["512Mi", "768Mi", "1Gi", "1536Mi", "2Gi"], (memory) =>
    proxy(`resources: {limits: {memory: '${memory}'} }`),
  ),
  ...each("log level", ["trace", "debug", "info", "error", "critical", "warn"], (level) => proxy(`logLevel: ${level}`)),
  ...each("component log level", ["misc:info", "http:debug", "rbac:debug,jwt:debug", "upstream:warning"], (level) =>
    proxy(`componentLogLevel: '${level}'`),
  ),
  ...each("agent log level", ["default:debug", "default:warn,ads:debug"], (level) =>
    values(`global: {logging: {level: '${level}'} }`),
  ),
  ...each("JSON logs", ["true", "false"], (on) => values(`global: {logAsJson: ${on}}`)),
  ...each("startup failures", [30, 60, 90, 120, 300, 900, 1200], (count) =>
    proxy(`startupProbe: {failureThreshold: ${count}}`),
  ),
  ...each("startup probe", ["true", "false"], (on) => proxy(`startupProbe: {enabled: ${on}}`)),
  ...each("readiness period", [1, 2, 5, 10, 30], (seconds) => proxy(`readinessPeriodSeconds: ${seconds}`)),
  ...each("readiness failures", [2, 10, 30], (count) => proxy(`readinessFailureThreshold: ${count}`)),
  ...each("readiness delay", [1, 5], (seconds) => proxy(`readinessInitialDelaySeconds: ${seconds}`)),
  ...each("hold the application", ["true", "false"], (on) => proxy(`holdApplicationUntilProxyStarts: ${on}`)),
  ...each("pull policy", ["Always", "IfNotPresent"], (policy) => values(`global: {imagePullPolicy: ${policy}}`)),
  ...each("pull secret", ["regcred", "team-registry"], (name) => values(`global: {imagePullSecrets: [${name}]}`)),
  ...each("network", ["network-1", "eu-west-1"], (name) => values(`global: {network: ${name}}`)),
  ...each("mesh ID", ["mesh-1", "shop"], (id) => values(`global: {meshID: ${id}}`)),
  ...each("cluster name", ["shop", "eu-1"], (name) => values(`global: {multiCluster: {clusterName: ${name}} }`)),
  ...each("cluster domain", ["cluster.internal", "shop.local"], (domain) => proxy(`clusterDomain: ${domain}`)),
  ...each("seccomp", ["RuntimeDefault"], (type) => proxy(`seccompProfile: {type: ${type}}`)),
  ...each("preStop sleep", [5, 15, 30], (seconds) =>
    proxy(`lifecycle: {preStop: {exec: {command: [sleep, '${seconds}']} } }`),
  ),
  ...each("probes are rewritten", ["true"], (on) => values(`sidecarInjectorWebhook: {rewriteAppHTTPProbe: ${on}}`)),
];

const setting = (text: string): SourceTree => ({ mesh: `defaultConfig: {${text}}\n` });

const MESH: readonly Edit[] = [
  ...each("concurrency", [0, 1, 2, 3, 4, 6, 8, 16], (count) => setting(`concurrency: ${count}`)),
  ...each("drain", ["5s", "15s", "30s", "60s", "120s", "300s"], (time) => setting(`drainDuration: ${time}`)),
  ...each("termination drain", ["10s", "20s", "45s"], (time) => setting(`terminationDrainDuration: ${time}`)),
  ...each("hold until the proxy starts", ["true", "false"], (on) => setting(`holdApplicationUntilProxyStarts: ${on}`)),
  ...each("sampling", [0, 0.1, 1, 5, 10, 20, 50, 100], (percent) => setting(`tracing: {sampling: ${percent}}`)),
  ...each("collector", ["zipkin.tracing:9411", "otel.observability.svc:9411", "jaeger.example:9411"], (address) =>
    setting(`tracing: {zipkin: {address: '${address}'} }`),
  ),
  ...each("statistics", ["cluster.outbound", "http.inbound", "listener"], (prefix) =>
    setting(`proxyStatsMatcher: {inclusionPrefixes: [${prefix}]}`),
  ),
  ...each(
    "metadata of the proxy",
    [
      "ISTIO_META_DNS_CAPTURE",
      "ISTIO_META_DNS_AUTO_ALLOCATE",
      "EXIT_ON_ZERO_ACTIVE_CONNECTIONS",
      "PROXY_XDS_VIA_AGENT",
      "BOOTSTRAP_XDS_AGENT",
      "SECRET_TTL",
    ],
    (name) => setting(`proxyMetadata: {${name}: 'true'}`),
  ),
  ...each("access log", ["/dev/stdout", "/var/log/istio/access.log"], (file) => ({ mesh: `accessLogFile: ${file}\n` })),
  ...each("access log encoding", ["JSON", "TEXT"], (encoding) => ({ mesh: `accessLogEncoding: ${encoding}\n` })),
  ...each("outbound policy", ["REGISTRY_ONLY", "ALLOW_ANY"], (mode) => ({
    mesh: `outboundTrafficPolicy: {mode: ${mode}}\n`,
  })),
  ...each("trust domain alias", ["old.example", "td2"], (name) => ({ mesh: `trustDomainAliases: [${name}]\n` })),
  ...each("locality", ["true", "false"], (on) => ({ mesh: `localityLbSetting: {enabled: ${on}}\n` })),
];

const container = (name: string, more = "") =>
  `spec:\n  containers:\n  - name: ${name}\n    image: registry.example/${name}:1\n${more}`;
const sidecar = (name: string, text: string): SourceTree => ({
  config: `defaultTemplates: [sidecar, ${name}]\n`,
  [`templates/${name}`]: text,
});

const TEMPLATES: readonly Edit[] = [
  ...each(
    "a sidecar",
    ["agent", "logs", "metrics", "cache", "proxy-sql", "tracer", "config-reloader", "warmer"],
    (name) => sidecar(`${name}`, container(`${name}`)),
  ),
  ...each("a sidecar with a port", [9100, 9113, 8125, 4317], (port) =>
    sidecar("agent", container("agent", `    ports:\n    - containerPort: ${port}\n`)),
  ),
  ...each("a sidecar with resources", ["10m", "100m", "1"], (cpu) =>
    sidecar("agent", container("agent", `    resources:\n      requests:\n        cpu: ${cpu}\n`)),
  ),
  ...each("a sidecar with a variable", ["TZ", "LANG", "DD_ENV", "OTEL_SERVICE_NAME"], (name) =>
    sidecar("agent", container("agent", `    env:\n    - name: ${name}\n      value: a\n`)),
  ),
  ...each("a label", ["team", "cost-center", "tier", "app.kubernetes.io/part-of", "env"], (key) =>
    sidecar("mark", `metadata:\n  labels:\n    ${key}: a\n`),
  ),
  ...each("an annotation", ["team", "prometheus.io/path", "note"], (key) =>
    sidecar("mark", `metadata:\n  annotations:\n    ${key}: a\n`),
  ),
  ...each("an annotation sidecar.istio.io/logLevel", ["debug"], (level) =>
    sidecar("mark", `metadata:\n  annotations:\n    sidecar.istio.io/logLevel: ${level}\n`),
  ),
  ...each("a scratch volume", ["tmp", "cache", "spool"], (name) =>
    sidecar(
      "agent",
      container(
        "agent",
        `    volumeMounts:\n    - name: ${name}\n      mountPath: /${name}\n  volumes:\n  - name: ${name}\n    emptyDir: {}\n`,
      ),
    ),
  ),
  ...each("a grace period", [30, 60, 120], (seconds) =>
    sidecar(
      "slow",
      `spec:\n{{#if (eq spec.terminationGracePeriodSeconds 30)}}\n  terminationGracePeriodSeconds: ${seconds}\n{{/if}}\n`,
    ),
  ),
  ...each("a DNS option", ["ndots", "timeout", "attempts"], (name) =>
    sidecar(
      "dns",
      `spec:\n{{#unless spec.dnsConfig}}\n  dnsConfig:\n    options:\n    - name: ${name}\n      value: "2"\n{{/unless}}\n`,
    ),
  ),
  ...each("a namespace's annotations", ["shop", "web"], (name) => ({
    namespaces: `${name}:\n  annotations:\n    team: ${name}\n`,
  })),
  ...each("a sample", ["web", "batch", "job"], (name) => ({
    [`samples/${name}`]: `kind: Pod\nspec: {containers: [{name: ${name}, image: ${name}}]}\n`,
  })),
  ...each("an alias", ["istio", "mesh", "full"], (name) => ({ config: `aliases: {${name}: [sidecar]}\n` })),
  ...each("another sidecar's tag", ["2", "3.1", "latest"], (tag) =>
    sidecar("agent", container("agent").replace(":1", `:${tag}`)),
  ).map(([what, after]): Edit => [what, after, sidecar("agent", container("agent"))]),
];

const RELEASES = ["1.28", "1.29", "1.30", "1.31"];
const release = (istio: string): SourceTree => ({ config: `istio: "${istio}"\n` });
const UPGRADES = RELEASES.flatMap((from) =>
  RELEASES.flatMap((to): readonly Edit[] =>
    from === to ? [] : [[`Istio ${from} to ${to}`, release(to), release(from)]],
  ),
);

const EXAMPLES_FOLDER = join(process.cwd(), "docs/examples");
/** The sidecars of the examples, next to Istio's: a whole example takes its place, which is held. */
const EXAMPLES = await Promise.all(
  readdirSync(EXAMPLES_FOLDER)
    .filter((name) => existsSync(join(EXAMPLES_FOLDER, name, "templates")))
    .map(async (name): Promise<Edit> => {
      const tree = Object.entries(await readSourceTree(join(EXAMPLES_FOLDER, name)));
      const own = Object.fromEntries(tree.filter(([path]) => /^(templates|partials|values)\//.test(path)));
      return [`the sidecar of the example ${name}`, { ...own, config: `defaultTemplates: [sidecar, ${name}]\n` }];
    }),
);

const EDITS: readonly Edit[] = [...VALUES, ...MESH, ...TEMPLATES, ...UPGRADES, ...EXAMPLES];
/** What waits for a person of an example: a Secret by its name, variables of the author's containers, and a label that a controller obeys. */
const HELD: Readonly<Record<string, readonly string[]>> = {
  "the sidecar of the example cloudwatch-agent": ["author-changed"],
  "the sidecar of the example datadog-agent": ["identity-used"],
  "the sidecar of the example pgbouncer": ["author-changed", "identity-used"],
  "the sidecar of the example vault-agent": ["identity-used"],
  "the sidecar of the example spire": ["privileges-widened"],
};

/** The entries that an example needs besides `baseline`, as its README has them: a label, and variables of the author's containers. */
const NEEDED: Readonly<Record<string, string>> = {
  "the sidecar of the example cloudwatch-agent": "field:spec.containers[*].env[AWS_EMF_AGENT_ENDPOINT]",
  "the sidecar of the example pgbouncer": "field:spec.containers[*].env[PGHOST],field:spec.containers[*].env[PGPORT]",
  "the sidecar of the example spire": "label:spiffe.io/",
};

/** Edits that write what some pod has already, and which pods those are. */
const MEETING: Readonly<Record<string, (pod: Pod) => boolean>> = {
  "a sidecar logs": ({ spec }) => [...listOf(spec?.containers), ...listOf(spec?.initContainers)].some(isNamed("logs")),
  "a sidecar with resources 1": ({ spec }) => spec?.["resources"] !== undefined,
  "a label tier": ({ metadata }) => metadata?.labels?.["tier"] !== undefined,
  "a label app.kubernetes.io/part-of": ({ metadata }) => metadata?.labels?.["app.kubernetes.io/part-of"] !== undefined,
  "a scratch volume cache": ({ spec }) => listOf(spec?.volumes).some(isNamed("cache")),
};

const isNamed = (name: string) => (entry: { readonly name?: unknown }) => entry.name === name;

const isAll = process.env["OUTRIGGER_EVERYDAY_EDITS"] === "all";
const turn = turnOf("Edits of every day", 2, isAll || undefined);

/** Pods as API servers send them and answer them, each with its namespace. */
const ALL_PODS = [
  ...reviewPods(),
  ...createdPods().map(({ admitted }) => ({ pod: admitted as Pod, namespace: CREATED_IN })),
].slice(0, 400);
const PODS = ALL_PODS.filter((_, index) => isAll || index % 4 === 0);

/** The pods that are not injected, by their place, with the reason. */
function failing(release: Release, guardrails: Guardrails): ReadonlyMap<number, string> {
  const injector = loadRelease(release);
  const inject = guardedInjection(guardrails);
  const found = new Map<number, string>();
  for (const [at, { pod, namespace }] of PODS.entries()) {
    try {
      inject(injector, { pod, namespace, parameters: {} });
    } catch (error) {
      // A word in an annotation that a later Istio reads is its author's to correct.
      const { code, message } = ownError(error);
      if (code !== "annotation-invalid") found.set(at, message);
    }
  }
  return found;
}

describe("an edit of every day", () => {
  const guardrails = parseGuardrails("baseline");
  let shipped: SourceTree;
  /** What most edits follow: the shipped tree, and the pods that it fails. */
  let usual: { readonly served: Release; readonly already: ReturnType<typeof failing> };
  beforeAll(async () => {
    shipped = await shippedTree();
    const served = compileUntried([shipped, {}]);
    usual = { served, already: failing(served, guardrails) };
  });

  it("has enough of them", () => {
    expect(EDITS.length).toBeGreaterThanOrEqual(200);
    expect(ALL_PODS.length).toBeGreaterThanOrEqual(200);
    expect(new Set(EDITS.map(([what]) => what)).size).toBe(EDITS.length);
  });

  it.for(
    EDITS.filter((edit, index) => isAll || index % 10 === 0 || EXAMPLES.includes(edit)).map(
      ([what, after, before], at) => ({ what, after, before, at }),
    ),
  )("is neither held nor refused, but for what an example needs: $what", ({ what, after, before, at }, { skip }) => {
    skip(!turn.has(at % turn.shares));
    const layers = [shipped, after];
    const next = compileRelease(layers);
    const served = before === undefined ? usual.served : compileUntried([shipped, before]);
    const effects = compareReleases(served, next, layers);
    expect(effects.map(({ name }) => name).filter((name) => HELD_BY_DEFAULT.includes(name))).toEqual(HELD[what] ?? []);
    const needed = NEEDED[what];
    const admitting = needed === undefined ? guardrails : parseGuardrails(`baseline,${needed}`);
    expect(guardRelease(admitting, next, layers)).toEqual([]);
    // What fails with what is served is the pod's own fault.
    const already = served === usual.served && admitting === guardrails ? usual.already : failing(served, admitting);
    const failed = [...failing(next, admitting)].filter(([at]) => !already.has(at));
    const meets = MEETING[what];
    expect(failed.filter(([at]) => !meets?.((PODS[at] as (typeof PODS)[number]).pod))).toEqual([]);
    if (meets === undefined) return;
    if (isAll) expect(failed).not.toEqual([]);
    const edit = { before: { release: served }, after: { release: next }, digest: "new", layers };
    expect(judgeEdit(edit, {}, { hold: "everyday" }).held.map(({ name }) => name)).toContain("unlisted");
  });
});
