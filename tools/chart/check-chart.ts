// Packages the Helm chart and renders the archive with Helm's own packages, where Go is installed, and compares every object with
// what the builders of `outrigger print webhook` and `outrigger print rbac` make of the same settings. What a builder refuses, the chart has
// to refuse.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { isObject, type JsonObject, jsonEqual, objectOf } from "@outrigger/base";
import {
  buildRbac,
  buildSafetyNet,
  buildWebhookConfigurations,
  objectKeys,
  PROBE_NAMESPACE,
  rbacFeatures,
  rolloutPhases,
  type WebhookSettings,
} from "@outrigger/webhook";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { prepareGo } from "../support/go-checks.ts";
import { readRecord } from "../support/read-record.ts";

type RbacOptions = Parameters<typeof buildRbac>[0];
type RbacFeature = RbacOptions["features"][number];

const FOLDER = join(projectRoot, "tools", "chart");
const CHART = join(projectRoot, "infra", "chart");

interface ChartCase {
  readonly name: string;
  readonly values: JsonObject;
  /** The objects that are expected. They are missing if the values are refused. */
  readonly expected: readonly JsonObject[] | undefined;
}

interface Rendered {
  readonly name: string;
  readonly objects: readonly JsonObject[];
  readonly error?: string;
  readonly lint: readonly string[];
}

export interface ChartReport {
  readonly passed: number;
  readonly findings: readonly string[];
  /** The reason why nothing was checked. */
  readonly lacking?: string;
}

export function checkChart(): ChartReport {
  const lacking = prepareGo(FOLDER);
  if (lacking !== undefined) return { passed: 0, findings: [], lacking };
  const cases = chartCases();
  const { stdout, stderr, status } = spawnSync("go", ["run", ".", CHART], {
    cwd: FOLDER,
    env: { ...process.env, GOFLAGS: "-mod=readonly" },
    input: cases.map(({ name, values }) => `${JSON.stringify({ name, values })}\n`).join(""),
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) return { passed: 0, findings: [`FAIL the chart cannot be rendered: ${stderr}`] };
  const rendered = stdout
    .trim()
    .split("\n")
    .map((line) => readRecord<Rendered>(line, "a rendered chart", { name: "text", objects: "list", lint: "list" }));
  const findings = cases.flatMap((one, index) => {
    const found = judge(one, rendered[index]);
    return found === undefined ? [] : [`FAIL chart, ${one.name}: ${found}`];
  });
  return { passed: cases.length - findings.length, findings };
}

/** Returns what is wrong with a rendered case. */
function judge({ expected, name }: ChartCase, rendered: Rendered | undefined): string | undefined {
  if (rendered === undefined || rendered.name !== name) return "it was not rendered";
  if (expected === undefined) return rendered.error === undefined ? "it was accepted" : undefined;
  if (rendered.error !== undefined) return rendered.error;
  // What helm lint only recommends is an icon.
  const lint = rendered.lint.filter((message) => !message.startsWith("[INFO]"));
  if (lint.length > 0) return `lint: ${lint.join("; ")}`;
  const [wanted, made] = [expected, rendered.objects].map(
    (objects) => new Map(objects.map((one) => [keyOf(one), one])),
  );
  const names = new Set([...(wanted?.keys() ?? []), ...(made?.keys() ?? [])]);
  for (const key of names) {
    const [one, other] = [wanted?.get(key), made?.get(key)];
    if (one === undefined) return `${key} is not wanted`;
    if (other === undefined) return `${key} is missing`;
    const [a, b] = [comparable(one), comparable(other)];
    if (!jsonEqual(a, b)) return `${key}: ${JSON.stringify(b)} and not ${JSON.stringify(a)}`;
  }
  return expected.length === rendered.objects.length ? undefined : "an object is there twice";
}

function keyOf({ kind, metadata }: JsonObject): string {
  const { name, namespace } = objectOf(metadata);
  return [kind, namespace, name].filter((part) => part !== undefined).join(" ");
}

/** The annotation is JSON whose keys have no order; rules of roles may be joined or not. */
function comparable(object: JsonObject): JsonObject {
  const { metadata, rules } = object;
  const { annotations } = objectOf(metadata);
  const settings = isObject(annotations) ? annotations[objectKeys.settings] : undefined;
  const parsed = typeof settings === "string" ? { settings: JSON.parse(settings) } : {};
  const { annotations: _, ...rest } = objectOf(metadata);
  const base = { ...object, metadata: { ...rest, annotations: parsed } };
  return Array.isArray(rules)
    ? { ...base, rules: [...new Set(rules.filter(isObject).flatMap(permissionsOf))].sort() }
    : base;
}

function permissionsOf(rule: JsonObject): readonly string[] {
  const [groups, resources, names, verbs] = ["apiGroups", "resources", "resourceNames", "verbs"].map((key) =>
    Array.isArray(rule[key]) ? rule[key].map(String) : ["*"],
  );
  const join = (lists: readonly (readonly string[] | undefined)[]) =>
    lists.reduce<readonly string[]>(
      (all, list = []) => all.flatMap((one) => list.map((item) => `${one} ${item}`)),
      [""],
    );
  return join([groups, resources, names, verbs]);
}

const TOKEN = "aB3_-".repeat(9).slice(0, 43);
const PEM = "-----BEGIN CERTIFICATE-----\nAAAA+/==\n-----END CERTIFICATE-----";
const BASE: WebhookSettings = {
  deployment: "prod",
  url: "https://abc.execute-api.eu-west-1.amazonaws.com",
  token: TOKEN,
  revision: "default",
  tags: [],
  phase: "audit",
  namespaces: [],
  timeoutSeconds: 10,
};

/** Settings that differ from one case to the next without regard to the rest. */
const EXTRAS: readonly Partial<WebhookSettings>[] = [
  {},
  { clusterId: "shop/eu", network: "net.1" },
  { timeoutSeconds: 3, failurePolicy: "Fail" },
  { url: `${BASE.url}/dev/`, failurePolicy: "Ignore" },
  { caBundle: `${PEM}\n`, enableNamespacesByDefault: true },
  { enableNamespacesByDefault: true, network: "a" },
  { injectionLabel: "sidecars.example.com/inject", enableNamespacesByDefault: true },
];

const NAMES: readonly Pick<WebhookSettings, "revision" | "tags">[] = [
  { revision: "default", tags: [] },
  { revision: "default", tags: ["prod", "canary"] },
  { revision: "1-30", tags: [] },
  { revision: "1-30", tags: ["prod", "default"] },
];

/** Settings that the builder refuses, each with an error that names the wrong one. */
const REFUSED: readonly Partial<WebhookSettings>[] = [
  { url: "http://abc.example" },
  { url: "https://ann@abc.example" },
  { url: "https://abc.example/?q" },
  { token: "short" },
  { revision: "Upper" },
  { tags: ["a", "a"] },
  { tags: ["default"] },
  { tags: ["a_b"] },
  { deployment: "-x" },
  { phase: "namespace" },
  { phase: "cluster", namespaces: ["shop"] },
  { phase: "namespace", namespaces: ["kube-system"] },
  { safetyNet: "deny" },
  { timeoutSeconds: 31 },
  { timeoutSeconds: 1.5 },
  { clusterId: "a?b" },
  { injectionLabel: 'a"b' },
  { injectionLabel: "sidecars.example.com/inject", revision: "true" },
  { injectionLabel: "sidecars.example.com/inject", tags: ["false"] },
  { network: "-a" },
  { caBundle: "no certificate" },
];

function chartCases(): readonly ChartCase[] {
  const nets = [undefined, "warn", "deny"] as const;
  const settings = NAMES.flatMap((names) =>
    rolloutPhases.flatMap((phase) =>
      (phase === "audit" ? [undefined] : nets).flatMap((safetyNet) =>
        EXTRAS.map((extra): WebhookSettings => {
          const namespaces = phase === "namespace" ? ["shop", "cart"] : [];
          return { ...BASE, ...names, phase, namespaces, ...(safetyNet === undefined ? {} : { safetyNet }), ...extra };
        }),
      ),
    ),
  );
  const webhooks = settings.map(
    (one): ChartCase => ({ name: nameOf(one), values: valuesOf(one), expected: objectsOf(one) }),
  );
  const refused = REFUSED.map((change): ChartCase => {
    const one = { ...BASE, ...change };
    let isRefused = false;
    try {
      objectsOf(one);
    } catch {
      isRefused = true;
    }
    if (!isRefused) throw new Error(`The builder accepts ${JSON.stringify(change)}`);
    return { name: `refused ${JSON.stringify(change)}`, values: valuesOf(one), expected: undefined };
  });
  const unknown = [
    { failurepolicy: "Fail" },
    { rbac: { enabled: true, for: ["everything"] } },
    { url: "" },
    { token: "" },
    { restart: { enabled: true, region: "eu-west-1" } },
    { restart: { enabled: true, image: "outrigger:1" } },
    { restart: { ...RESTART, command: ["restart"] } },
    { restart: { ...RESTART, command: ["off", "--yes"] } },
  ];
  const wrong = unknown.map((change): ChartCase => {
    const name = `refused ${JSON.stringify(change)}`;
    return { name, values: { ...valuesOf(BASE), ...change }, expected: undefined };
  });
  return [...webhooks, ...refused, ...wrong, ...rbacCases(), ...restartCases()];
}

const RESTART = { enabled: true, image: "registry.example/outrigger:1", region: "eu-west-1" };

/** The roles are those of `outrigger print rbac restart`, for a service account; a job's pod has no sidecar, and may do nothing more. */
function restartCases(): readonly ChartCase[] {
  const commands = [
    ["restart", "--yes"],
    ["promote", "canary", "stable", "--share", "5,25,100", "--restart", "--yes"],
  ];
  return commands.map((command, index): ChartCase => {
    const name = index === 0 ? "outrigger-restart" : "rollouts";
    const settings = index === 0 ? BASE : { ...BASE, injectionLabel: "sidecars.example.com/inject" };
    const annotations = index === 0 ? {} : { "eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/r" };
    const subject = { kind: "ServiceAccount", name, namespace: "outrigger" };
    const place = { revisions: [], tags: [], probeNamespaces: [], istioNamespace: "istio-system" };
    const user = `system:serviceaccount:${subject.namespace}:${name}`;
    const roles = buildRbac({ ...place, features: ["restart"], group: "", name }).map((object) => {
      if (object["kind"] === "ValidatingAdmissionPolicy") return forUser(object, user);
      return "subjects" in object ? { ...object, subjects: [subject] } : object;
    });
    const metadata = { name, namespace: "outrigger" };
    const own = Object.keys(annotations).length === 0 ? {} : { annotations };
    return {
      name: `restart ${command.join(" ")}`,
      values: { ...valuesOf(settings), restart: { ...RESTART, command, name, serviceAccountAnnotations: annotations } },
      expected: [
        ...objectsOf(settings),
        ...roles,
        { apiVersion: "v1", kind: "ServiceAccount", metadata: { ...metadata, ...own } },
        { apiVersion: "batch/v1", kind: "CronJob", metadata, spec: cronJobOf(name, command, settings) },
      ],
    };
  });
}

/** The policy of a role, for a service account in place of a group. */
function forUser(policy: JsonObject, user: string): JsonObject {
  const { matchConditions: _, validations, ...spec } = objectOf(policy["spec"]);
  const [validation] = validations as readonly JsonObject[];
  return {
    ...policy,
    spec: {
      ...spec,
      matchConditions: [{ name: "user", expression: `request.userInfo.username == ${JSON.stringify(user)}` }],
      validations: [{ ...validation, message: `${user} creates pods as dry runs only` }],
    },
  } as JsonObject;
}

function cronJobOf(
  name: string,
  command: readonly string[],
  { injectionLabel }: Pick<WebhookSettings, "injectionLabel">,
): JsonObject {
  const container = {
    name: "outrigger",
    image: RESTART.image,
    args: command,
    env: [
      { name: "OUTRIGGER_STAGE", value: BASE.deployment },
      { name: "AWS_REGION", value: RESTART.region },
    ],
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    resources: { requests: { cpu: "100m", memory: "384Mi" }, limits: { memory: "384Mi" } },
  };
  const spec = {
    serviceAccountName: name,
    restartPolicy: "Never",
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
    containers: [container],
  };
  const own = injectionLabel === undefined ? {} : { [injectionLabel]: "false" };
  const labels = { "app.kubernetes.io/name": name, "sidecar.istio.io/inject": "false", ...own };
  return {
    schedule: "0 22 * * *",
    timeZone: "Etc/UTC",
    concurrencyPolicy: "Forbid",
    startingDeadlineSeconds: 600,
    jobTemplate: { spec: { backoffLimit: 0, template: { metadata: { labels }, spec } } },
  } as JsonObject;
}

function rbacCases(): readonly ChartCase[] {
  const features: readonly (readonly RbacFeature[])[] = [rbacFeatures, ...rbacFeatures.map((feature) => [feature])];
  return NAMES.flatMap((names) =>
    features.flatMap((feature) =>
      ["istio-system", "mesh", ""].map((istioNamespace): ChartCase => {
        const probeNamespaces = istioNamespace === "mesh" ? [PROBE_NAMESPACE, "checkout"] : [PROBE_NAMESPACE];
        const rbac = { for: feature, probeNamespaces, istioNamespace, group: "oncall", name: "outrigger-oncall" };
        const { revision, tags } = names;
        const place = istioNamespace === "" ? undefined : istioNamespace;
        const options: RbacOptions = { ...rbac, features: feature, revisions: [revision], tags, istioNamespace: place };
        const one = { ...BASE, ...names };
        return {
          name: `rbac ${JSON.stringify({ ...names, ...rbac })}`,
          values: { ...valuesOf(one), rbac: { enabled: true, ...rbac } },
          expected: [...objectsOf(one), ...buildRbac(options)],
        };
      }),
    ),
  );
}

function nameOf({ token: _, ...settings }: WebhookSettings): string {
  return JSON.stringify(settings);
}

/** Returns the values for settings, which have the same names. */
function valuesOf(settings: WebhookSettings): JsonObject {
  return settings as unknown as JsonObject;
}

function objectsOf(settings: WebhookSettings): readonly JsonObject[] {
  return [...buildWebhookConfigurations(settings), ...buildSafetyNet(settings)];
}
