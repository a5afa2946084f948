// Every check against facts that are sound, and against facts with one thing wrong.
import { readFileSync } from "node:fs";
import { stackNames } from "@outrigger/aws";
import { describe, expect, it } from "vitest";
import type { Fact } from "../fact.ts";
import type { InstalledWebhook } from "../objects/installed-webhooks.ts";
import { checks, judgeFacts } from "./checks.ts";
import type { ClusterFacts } from "./collect-cluster-facts.ts";
import type { DeploymentFacts, EndpointFacts, Facts } from "./collect-facts.ts";
import type { Level } from "./finding.ts";
import { requiredPermissions } from "./read-cluster.ts";

const NOW = Date.UTC(2026, 10, 21);
const DAY = 86_400_000;
const known = <Value>(value: Value): Fact<Value> => ({ known: true, value });
const code = { state: "Active", lastUpdate: "Successful", codeSha256: "a" };
const inject = { ...code, live: { version: "7", codeSha256: "a" } };
const created = new Date(NOW - 10 * DAY).toISOString();
const record = { revisions: { default: "stable" }, arn: "arn", tokens: [{ sha256: "0".repeat(64), created }] };
const installed = [{ name: "w", revision: "default", settings: { safetyNet: "deny" } } as unknown as InstalledWebhook];
const revision = { revision: "default", channel: "stable", tags: ["prod"], phase: "enforce" };
const binding = { spec: { policyName: "net", validationActions: ["Deny"] } };
const dryRun = { sample: "samples/web", namespace: "default", milliseconds: 40, isInjected: true, isExpected: true };
const istiod = { namespace: "istio-system", revision: "default", image: "istio/pilot:1.31.2" };

const alarms = stackNames.alarms.map((name) => ({
  name: `outrigger-prod-${name}`,
  state: "OK",
  hasActions: true,
  isEnabled: true,
}));
const withCanary = (change: { readonly state?: string; readonly hasActions?: boolean; readonly isEnabled?: boolean }) =>
  alarms.map((alarm) => (alarm.name === "outrigger-prod-canary" ? { ...alarm, ...change } : alarm));

const as = "Outrigger 1 Stage=$.stage";
const filters = Object.entries(stackNames.filters).map(([metric, pattern]) => ({ metric, pattern, as }));
const [ofInject = "", ...otherGroups] = stackNames.logGroups("prod");
const access = otherGroups.at(-1) ?? "";
const logs = { [ofInject]: [], ...Object.fromEntries(otherGroups.map((group) => [group, []])), [access]: filters };

const deployment: DeploymentFacts = {
  name: "prod",
  caller: known({ who: "arn:aws:iam::1:user/ann", account: "1", region: "eu-west-1" }),
  stack: known({ name: "outrigger-prod", status: "UPDATE_COMPLETE", url: "https://a.test" }),
  functions: known({ inject, publish: code }),
  alarms: known(alarms),
  logs: known(logs),
  served: known({ seq: 3, channels: { stable: "1f2e" }, records: { stable: "1f2e" } }),
  sourceDifference: known(undefined),
  images: known([{ name: "a.test/proxy:1", found: { kind: "found" } }]),
};
const endpoint: EndpointFacts = {
  url: known("https://a.test"),
  tls: known({ protocol: "TLSv1.3", validTo: NOW + 60 * DAY, milliseconds: 20 }),
  calls: known({ milliseconds: [80, 40], withToken: true, timeoutSeconds: 10 }),
};
const running = { pods: 3, injected: 3, uninjected: [], unlabelled: ["plain"], workloads: 2, outdated: [] };
const cluster: ClusterFacts = {
  name: "shop",
  access: known({ version: "1.33.4", arn: "arn" }),
  record: known(record),
  installed: known(installed),
  status: known({ revisions: [revision], tokens: 1, drift: [], notes: [] }),
  conflictingWebhooks: known([]),
  permissions: known([{ what: "list pods", isAllowed: true }]),
  net: known({ isServed: true, bindings: [binding], policies: ["net"], warnings: [] }),
  workloads: known({ tried: [], selected: 0, left: 0 }),
  otherWebhooks: known([]),
  creationFailures: known([]),
  dryRuns: known([dryRun, { ...dryRun, isInjected: false, isExpected: false }]),
  istiods: known([istiod]),
  addresses: known([{ name: "istiod.istio-system.svc:15012" }]),
  proxyImages: known({ default: "istio/proxyv2:1.31.0" }),
  running: known(running),
};
const sound: Facts = {
  now: NOW,
  deployment,
  endpoint,
  cluster,
  flags: { deployment: " --deployment prod", cluster: " --cluster shop" },
};

const ofDeployment = (change: Partial<DeploymentFacts>): Facts => ({
  ...sound,
  deployment: { ...deployment, ...change },
});
const ofEndpoint = (change: Partial<EndpointFacts>): Facts => ({ ...sound, endpoint: { ...endpoint, ...change } });
const ofCluster = (change: Partial<ClusterFacts>): Facts => ({ ...sound, cluster: { ...cluster, ...change } });
const drift = (place: string) => ({ place, expected: "a", actual: "b" });
const uninjected = { namespace: "shop", name: "web", owner: "", revision: "default", remediation: "" };
const tokens = (...days: readonly number[]) => ({
  ...record,
  tokens: days.map((age) => ({ sha256: "0".repeat(64), created: new Date(NOW - age * DAY).toISOString() })),
});

const BAD: (readonly [id: string, facts: Facts, level: Level, seen: string])[] = [
  [
    "credentials",
    ofDeployment({ caller: known({ who: "ann", account: "", region: "" }) }),
    "unknown",
    "AWS does not say",
  ],
  ["region", ofDeployment({ caller: { known: false, why: "no Region is given" } }), "unknown", "no Region is given"],
  ["stack", ofDeployment({ stack: known(undefined) }), "error", "there is no stack outrigger-prod"],
  [
    "stack",
    ofDeployment({ stack: known({ name: "outrigger-prod", status: "UPDATE_IN_PROGRESS" }) }),
    "warning",
    "UPDATE_IN_PROGRESS",
  ],
  [
    "stack",
    ofDeployment({ stack: known({ name: "outrigger-prod", status: "UPDATE_ROLLBACK_COMPLETE" }) }),
    "error",
    "UPDATE_ROLLBACK_COMPLETE",
  ],
  [
    "stack",
    ofDeployment({ stack: known({ name: "outrigger-prod", status: "CREATE_COMPLETE" }) }),
    "error",
    "has no output Url",
  ],
  ["functions", ofDeployment({ functions: known({ inject, canary: undefined }) }), "error", "missing: canary"],
  ["functions", ofDeployment({ functions: known({ inject: code }) }), "error", "no alias live"],
  [
    "functions",
    ofDeployment({ functions: known({ inject: { ...inject, codeSha256: "b" } }) }),
    "warning",
    "calls reach version 7, which is older",
  ],
  [
    "functions",
    ofDeployment({ functions: known({ inject, publish: { ...code, lastUpdate: "Failed" } }) }),
    "error",
    "the last update failed: publish",
  ],
  [
    "guardrails",
    ofDeployment({ functions: known({ inject: { ...inject, guardrails: "baseline" }, publish: code }) }),
    "warning",
    'injecting has "baseline", publishing ""',
  ],
  ["logs", ofDeployment({ logs: known({ ...logs, [ofInject]: undefined }) }), "error", `missing: ${ofInject}`],
  ["logs", ofDeployment({ logs: known({ ...logs, [access]: undefined }) }), "error", `missing: ${access}`],
  ["logs", ofDeployment({ logs: known({ ...logs, [access]: filters.slice(1) }) }), "error", "no metric filter"],
  ...[{ pattern: '{ $.status = "4*" }' }, { as: "Outrigger 1" }, { as: "Mine 1 Stage=$.stage" }].map(
    (change): (typeof BAD)[number] => [
      "logs",
      ofDeployment({ logs: known({ ...logs, [access]: filters.map((one) => ({ ...one, ...change })) }) }),
      "error",
      "the metric filter GatewayThrottled is not the one that was deployed",
    ],
  ),
  [
    "logs",
    ofDeployment({ functions: known({ inject: { ...inject, logGroup: "/mine" } }) }),
    "error",
    "inject logs to /mine",
  ],
  [
    "stack",
    ofDeployment({
      stack: known({ name: "outrigger-prod", status: "UPDATE_COMPLETE", url: "https://a.test", drifted: "2026-11-20" }),
    }),
    "warning",
    "CloudFormation found drift at 2026-11-20",
  ],
  [
    "alarms",
    ofDeployment({ alarms: known(withCanary({ isEnabled: false })) }),
    "error",
    "actions are switched off: outrigger-prod-canary",
  ],
  ["alarms", ofDeployment({ alarms: known([]) }), "error", "there are no alarms"],
  ["alarms", ofDeployment({ alarms: known(withCanary({ state: "ALARM" })) }), "error", "in alarm: canary"],
  [
    "alarms",
    ofDeployment({ alarms: known(withCanary({ hasActions: false })) }),
    "warning",
    `1 of ${alarms.length} alarms notify nobody: canary`,
  ],
  [
    "alarms",
    ofDeployment({ alarms: known(alarms.filter(({ name }) => name !== "outrigger-prod-burst")) }),
    "error",
    "missing: burst",
  ],
  ["served", ofDeployment({ served: known({ seq: 1, channels: {}, records: {} }) }), "error", "no channel serves"],
  [
    "served",
    ofDeployment({ served: known({ seq: 1, channels: { stable: "1" }, records: { stable: "2" } }) }),
    "error",
    "do not read what the record says: stable",
  ],
  ["edits", ofDeployment({ sourceDifference: known("Source differs: x") }), "warning", "Source differs: x"],
  [
    "tls",
    ofEndpoint({ tls: known({ protocol: "TLSv1.2", validTo: NOW + 3 * DAY, milliseconds: 1 }) }),
    "warning",
    "valid for 3 more days",
  ],
  [
    "self-test",
    ofEndpoint({
      calls: known({ milliseconds: [9], withToken: true, timeoutSeconds: 10, problem: "it answers HTTP 500" }),
    }),
    "error",
    "it answers HTTP 500",
  ],
  [
    "self-test",
    ofEndpoint({ calls: known({ milliseconds: [80, 5001], withToken: true, timeoutSeconds: 10 }) }),
    "warning",
    "the API server waits 10 s",
  ],
  ["tokens", ofCluster({ record: known(tokens()) }), "error", "no token is live"],
  ["tokens", ofCluster({ record: known(tokens(200)) }), "warning", "the token is 200 days old"],
  ["tokens", ofCluster({ record: known(tokens(9, 1)) }), "warning", "two tokens are live, 9 days and 1 days old"],
  ["access", ofCluster({ access: { known: false, why: "no way there" } }), "unknown", "no way there"],
  ["record", ofCluster({ record: known(undefined) }), "error", "shop has no record"],
  [
    "webhooks",
    ofCluster({ status: known({ revisions: [], tokens: 0, drift: [], notes: [] }) }),
    "error",
    "no webhook is registered",
  ],
  [
    "webhooks",
    ofCluster({
      status: known({ revisions: [{ ...revision, off: "today" }], tokens: 1, drift: [], notes: [] }),
    }),
    "error",
    "revision default is off since today",
  ],
  [
    "webhooks",
    ofCluster({ status: known({ revisions: [{ ...revision, phase: "" }], tokens: 1, drift: [], notes: [] }) }),
    "error",
    "no webhook of revision default",
  ],
  [
    "drift",
    ofCluster({
      status: known({ revisions: [revision], tokens: 1, drift: ["w: x", "y", "z", "v"].map(drift), notes: [] }),
    }),
    "error",
    "w: x is b and not a; y is b and not a; z is b and not a; and 1 more",
  ],
  [
    "other-injectors",
    ofCluster({ conflictingWebhooks: known([{ name: "istio-sidecar-injector", namespaces: ["shop"] }]) }),
    "warning",
    "istio-sidecar-injector also selects pods of shop",
  ],
  [
    "permissions",
    ofCluster({ permissions: known([{ what: "create pods", isAllowed: false }]) }),
    "error",
    "not allowed: create pods",
  ],
  [
    "safety-net",
    ofCluster({ net: known({ isServed: true, bindings: [], policies: [], warnings: [] }) }),
    "error",
    "should reject pods",
  ],
  [
    "safety-net",
    ofCluster({
      net: known({ isServed: true, bindings: [binding], policies: ["net"], warnings: ["spec: undefined field"] }),
    }),
    "warning",
    "spec: undefined field",
  ],
  [
    "dry-run",
    ofCluster({ dryRuns: known([{ ...dryRun, problem: "quota" }]) }),
    "error",
    "samples/web is rejected: quota",
  ],
  [
    "dry-run",
    ofCluster({ dryRuns: known([{ ...dryRun, isInjected: false }]) }),
    "error",
    "samples/web was not injected; the release decides otherwise",
  ],
  [
    "istiod",
    ofCluster({ istiods: known([{ ...istiod, image: "istio/pilot:1.30.0" }]) }),
    "error",
    "revision default: Proxies of Istio 1.31 are ahead of istiod 1.30",
  ],
  ["istiod", ofCluster({ istiods: known([{ ...istiod, image: "istio/pilot:1.32.0" }]) }), "warning", "istiod 1.32"],
  ["istiod", ofCluster({ istiods: known([{ ...istiod, image: "istio/pilot:1.34.0" }]) }), "error", "istiod 1.34"],
  [
    "revision",
    ofCluster({ istiods: known([{ ...istiod, revision: "1-31" }]) }),
    "warning",
    "no istiod has revision default; there is 1-31",
  ],
  [
    "mesh-config",
    ofCluster({
      status: known({ revisions: [revision], tokens: 1, drift: [drift("mesh config.trustDomain")], notes: [] }),
    }),
    "warning",
    "mesh config.trustDomain is b, and a in istiod",
  ],
  [
    "injected",
    ofCluster({
      running: known({ ...running, pods: 2, injected: 1, uninjected: [{ ...uninjected, reason: "it is older" }] }),
    }),
    "error",
    "1 should have one: shop/web: it is older",
  ],
  [
    "current",
    ofCluster({
      running: known({ ...running, outdated: ["shop/Deployment/web: containers[a].image"] }),
    }),
    "warning",
    "3 pods that were looked at: 1 of 2 workloads would come out differently: shop/Deployment/web: containers[a].image",
  ],
  [
    "current",
    ofCluster({
      running: known({ ...running, unjudged: "the deployment serves nothing" }),
    }),
    "unknown",
    "could not be checked: the deployment serves nothing",
  ],
];

const tried = (
  answer: Extract<ClusterFacts["workloads"], { readonly known: true }>["value"]["tried"][number]["answer"],
) =>
  ofCluster({
    workloads: known({ tried: [{ workload: "shop/Deployment/web", answer, isExpected: true }], selected: 1, left: 0 }),
  });
const admitted = { kind: "admitted", isInjected: true, warnings: [], obstacles: [] } as const;
const rejection = { cause: "quota", message: "exceeded quota: q", remediation: "raise the quota" } as const;
const stale = {
  configuration: "old",
  name: "old.example.com",
  kind: "mutating",
  failurePolicy: "Fail",
  isConditional: false,
  problem: "its service old/injector does not exist",
  remediation: "kubectl delete mutatingwebhookconfiguration old",
} as const;
const failure = { ...rejection, namespace: "shop", owner: "ReplicaSet/web-1", at: NOW - 60_000 };

const image = { name: "a.test/proxi:1", place: "values/10-mine:2" };
BAD.push(
  [
    "images",
    ofDeployment({ images: known([{ ...image, found: { kind: "missing", why: "a.test has no proxi with 1" } }]) }),
    "error",
    "a.test/proxi:1 (values/10-mine:2): a.test has no proxi with 1",
  ],
  [
    "images",
    ofDeployment({ images: known([{ ...image, found: { kind: "unknown", why: "a.test: nothing listens there" } }]) }),
    "unknown",
    "could not be checked: a.test/proxi:1 (values/10-mine:2): a.test: nothing listens there",
  ],
  [
    "discovery",
    ofCluster({ addresses: known([{ name: "istoid.mesh.svc:15012", problem: "there is no service mesh/istoid" }]) }),
    "error",
    "istoid.mesh.svc:15012: there is no service mesh/istoid",
  ],
  [
    "safety-net",
    ofCluster({ net: known({ isServed: true, bindings: [binding], policies: [], warnings: [] }) }),
    "error",
    "the policy net is missing: its 1 bindings reject nothing",
  ],
  [
    "drift",
    ofCluster({
      status: known({
        revisions: [revision],
        tokens: 1,
        drift: [
          { place: "net", expected: "to be there", actual: "missing" },
          { place: "hook", expected: "nothing", actual: "x" },
        ],
        notes: [],
      }),
    }),
    "error",
    "net is missing; hook is x and should not be there",
  ],
  ["other-webhooks", ofCluster({ otherWebhooks: known([stale]) }), "error", "its service old/injector does not exist"],
  [
    "workloads",
    tried({ kind: "rejected", ...rejection }),
    "error",
    "shop/Deployment/web is rejected: exceeded quota: q",
  ],
  ["workloads", tried({ ...admitted, isInjected: false }), "error", "admitted without a sidecar: shop/Deployment/web"],
  [
    "workloads",
    tried({ ...admitted, obstacles: [{ problem: "Fargate", remediation: "nodes" }] }),
    "warning",
    "shop/Deployment/web: Fargate",
  ],
  ["created", ofCluster({ creationFailures: known([failure]) }), "error", "ReplicaSet/web-1 cannot make its pods"],
);

describe("the checks of admission", () => {
  const at = (facts: Facts, id: string) => judgeFacts(facts, { isEarly: false }).find((one) => one.id === id);

  it("say what was not tried, and why", () => {
    const untried = tried({ kind: "untried", why: "not allowed to create pods in shop" });
    expect(at(untried, "workloads")).toMatchObject({
      level: "ok",
      seen: "0 workloads tried in their own namespaces, of 1 namespaces that are selected; 1 not: not allowed to create pods in shop",
    });
  });

  it("leave out failures that have passed", () => {
    const past = ofCluster({ creationFailures: known([{ ...failure, at: NOW - 30 * 60_000 }]) });
    expect(at(past, "created")?.level).toBe("ok");
  });

  it("do not blame webhooks that ignore failures, or whose services are there", () => {
    const { problem: _, remediation: _remediation, ...fine } = stale;
    expect(at(ofCluster({ otherWebhooks: known([fine]) }), "other-webhooks")).toMatchObject({
      level: "ok",
      seen: "1 other webhooks get pods of the selected namespaces, 1 of them may reject them",
    });
  });
});

it("injected finds nothing wrong where pods wait for a phase of the rollout", () => {
  const waiting = { ...uninjected, reason: "the rollout is at the phase audit" };
  const waits = known({ ...running, pods: 2, injected: 1, uninjected: [waiting] });
  const seen = "1 of 2 pods have a sidecar; 1 wait for the rollout: shop/web: the rollout is at the phase audit";
  expect(judgeFacts(ofCluster({ running: waits }), { isEarly: false })).toContainEqual(
    expect.objectContaining({ id: "injected", level: "ok", seen }),
  );
});

it.each([
  [["plain"], expect.stringMatching(/^3 of 3 .*; namespaces without a label istio-injection.*: plain \(kubectl/)],
  [[], "3 of 3 pods have a sidecar, and no other should have one"],
])("injected names the namespaces that ask for nothing: %j", (unlabelled, seen) => {
  const facts = ofCluster({ running: known({ ...running, unlabelled }) });
  expect(judgeFacts(facts, { isEarly: false })).toContainEqual(
    expect.objectContaining({ id: "injected", level: "ok", seen }),
  );
});

describe("judgeFacts()", () => {
  it("finds nothing where everything is sound", () => {
    const findings = judgeFacts(sound, { isEarly: false });
    expect(findings.filter(({ level }) => level !== "ok")).toEqual([]);
    expect(findings.map(({ id }) => id)).toEqual(checks.map(({ id }) => id));
  });

  it.each(BAD)("finds by %s what is wrong (%#)", (id, facts, level, seen) => {
    const findings = judgeFacts(facts, { isEarly: false });
    const found = findings.find((finding) => finding.id === id);
    expect(found).toMatchObject({ level, seen: expect.stringContaining(seen), docs: `docs/check.md#${id}` });
    expect(found?.fix === undefined).toBe(level === "unknown");
    expect(found?.seen).not.toContain("\n");
  });

  it("has a bad case for every check", () => {
    expect(new Set(BAD.map(([id]) => id))).toEqual(new Set(checks.map(({ id }) => id)));
  });

  it("says of every check what keeps it from being made", () => {
    const no: Fact<never> = { known: false, why: "no answer" };
    const nothing = <Part extends object>(part: Part) =>
      Object.fromEntries(Object.keys(part).map((key) => [key, key === "name" ? "x" : no])) as unknown as Part;
    const facts = { ...sound, deployment: nothing(deployment), endpoint: nothing(endpoint), cluster: nothing(cluster) };
    const findings = judgeFacts(facts, { isEarly: false });
    expect(new Set(findings.map(({ level, seen }) => `${level} ${seen}`))).toEqual(
      new Set(["unknown could not be checked: no answer"]),
    );
  });

  it("makes no check of a cluster where none is named", () => {
    const { cluster: _, ...alone } = sound;
    const sections = judgeFacts(alone, { isEarly: false }).map(({ section, id }) => `${section} ${id}`);
    expect(sections.filter((name) => !/^(deployment|endpoint (tls|self-test))/.test(name))).toEqual([]);
  });
});

describe("docs/check.md", () => {
  it("has a section for each check, in order", () => {
    const [, ...parts] = readFileSync("docs/check.md", "utf8").split(/^## /m);
    const headings = parts.flatMap((part) => {
      const section = part.slice(0, part.indexOf("\n")).toLowerCase();
      return Array.from(part.matchAll(/^### (.+)$/gm), ([, id]) => `${section}: ${id}`);
    });
    expect(headings).toEqual(checks.map(({ id, section }) => `${section}: ${id}`));
  });
});

describe("requiredPermissions()", () => {
  it("asks about every rule of the roles, by name and namespace where they are limited to them", () => {
    const asked = requiredPermissions({ revisions: ["default"], tags: [], istioNamespace: "istio-system" });
    const group = "admissionregistration.k8s.io";
    const name = "outrigger-sidecar-injector";
    expect(asked).toContainEqual({ group, resource: "mutatingwebhookconfigurations", verb: "list" });
    expect(asked).toContainEqual({ group, resource: "mutatingwebhookconfigurations", verb: "patch", name });
    expect(asked).toContainEqual({ group: "", resource: "pods", verb: "create", namespace: "outrigger-probe" });
    expect(new Set(asked.map((one) => JSON.stringify(one))).size).toBe(asked.length);
  });
});
