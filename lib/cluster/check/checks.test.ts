// Every check against facts that are sound, and against facts with one thing wrong.
import { readFileSync, writeFileSync } from "node:fs";
import { stackNames } from "@outrigger/aws";
import { describe, expect, it } from "vitest";
import { withRows } from "../../../tools/support/page-rows.ts";
import type { Fact } from "../fact.ts";
import type { InstalledWebhook } from "../objects/installed-webhooks.ts";
import { type CheckId, checks, judgeFacts } from "./checks.ts";
import type { ClusterFacts } from "./collect-cluster-facts.ts";
import type { DeploymentFacts, EndpointFacts, Facts } from "./collect-facts.ts";
import type { Level } from "./finding.ts";

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
  calls: known({ milliseconds: [80, 40], withToken: true, isInjected: true, timeoutSeconds: 10 }),
};
const running = {
  pods: 3,
  injected: 3,
  uninjected: [],
  unlabelled: ["plain"],
  workloads: 2,
  outdated: [],
  unsampled: { pods: 0, workloads: 0, branches: [] },
};
const cluster: ClusterFacts = {
  name: "shop",
  isWithoutMesh: false,
  access: known({ version: "1.33.4", arn: "arn" }),
  record: known(record),
  installed: known(installed),
  status: known({ revisions: [revision], tokens: 1, drift: [], notes: [] }),
  conflictingWebhooks: known({ found: [], addsProxy: true }),
  permissions: known({ needed: "check", asked: [{ what: "list pods", isAllowed: true, features: ["check", "pods"] }] }),
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
type BadCase = readonly [facts: Facts, level: Level, seen: string];

/** The faults that each check finds: the facts, the level, and a part of what is printed. */
const ISTIOS_WEBHOOK = {
  name: "istio-sidecar-injector",
  namespaces: ["shop"],
  isIstios: true,
  isMesh: true,
  isBeside: false,
};

const BAD: Readonly<Record<CheckId, readonly BadCase[]>> = {
  credentials: [
    [ofDeployment({ caller: known({ who: "ann", account: "", region: "" }) }), "unknown", "AWS does not say"],
  ],
  region: [[ofDeployment({ caller: { known: false, why: "no Region is given" } }), "unknown", "no Region is given"]],
  stack: [
    [ofDeployment({ stack: known(undefined) }), "error", "there is no stack outrigger-prod"],
    [
      ofDeployment({ stack: known({ name: "outrigger-prod", status: "UPDATE_IN_PROGRESS" }) }),
      "warning",
      "UPDATE_IN_PROGRESS",
    ],
    [
      ofDeployment({ stack: known({ name: "outrigger-prod", status: "UPDATE_ROLLBACK_COMPLETE" }) }),
      "error",
      "UPDATE_ROLLBACK_COMPLETE",
    ],
    [
      ofDeployment({ stack: known({ name: "outrigger-prod", status: "CREATE_COMPLETE" }) }),
      "error",
      "has no output Url",
    ],
    [
      ofDeployment({
        stack: known({
          name: "outrigger-prod",
          status: "UPDATE_COMPLETE",
          url: "https://a.test",
          drifted: "2026-11-20",
        }),
      }),
      "warning",
      "CloudFormation found drift at 2026-11-20",
    ],
  ],
  functions: [
    [ofDeployment({ functions: known({ inject, canary: undefined }) }), "error", "missing: canary"],
    [ofDeployment({ functions: known({ inject: code }) }), "error", "no alias live"],
    [
      ofDeployment({ functions: known({ inject: { ...inject, codeSha256: "b" } }) }),
      "warning",
      "calls reach version 7, which is older",
    ],
    [
      ofDeployment({ functions: known({ inject, publish: { ...code, lastUpdate: "Failed" } }) }),
      "error",
      "the last update failed: publish",
    ],
  ],
  guardrails: [
    [
      ofDeployment({ functions: known({ inject: { ...inject, guardrails: "baseline" }, publish: code }) }),
      "warning",
      'injecting has "baseline", publishing ""',
    ],
  ],
  logs: [
    [ofDeployment({ logs: known({ ...logs, [ofInject]: undefined }) }), "error", `missing: ${ofInject}`],
    [ofDeployment({ logs: known({ ...logs, [access]: undefined }) }), "error", `missing: ${access}`],
    [ofDeployment({ logs: known({ ...logs, [access]: filters.slice(1) }) }), "error", "no metric filter"],
    ...[{ pattern: '{ $.status = "4*" }' }, { as: "Outrigger 1" }, { as: "Mine 1 Stage=$.stage" }].map(
      (change): BadCase => [
        ofDeployment({ logs: known({ ...logs, [access]: filters.map((one) => ({ ...one, ...change })) }) }),
        "error",
        "the metric filter GatewayThrottled is not the one that was deployed",
      ],
    ),
    [ofDeployment({ functions: known({ inject: { ...inject, logGroup: "/mine" } }) }), "error", "inject logs to /mine"],
  ],
  alarms: [
    [
      ofDeployment({ alarms: known(withCanary({ isEnabled: false })) }),
      "error",
      "actions are switched off: outrigger-prod-canary",
    ],
    [ofDeployment({ alarms: known([]) }), "error", "there are no alarms"],
    [ofDeployment({ alarms: known(withCanary({ state: "ALARM" })) }), "error", "in alarm: canary"],
    [
      ofDeployment({ alarms: known(withCanary({ hasActions: false })) }),
      "warning",
      `1 of ${alarms.length} alarms notify nobody: canary`,
    ],
    [
      ofDeployment({ alarms: known(alarms.filter(({ name }) => name !== "outrigger-prod-burst")) }),
      "error",
      "missing: burst",
    ],
  ],
  served: [
    [ofDeployment({ served: known({ seq: 1, channels: {}, records: {} }) }), "error", "no channel serves"],
    [
      ofDeployment({ served: known({ seq: 1, channels: { stable: "1" }, records: { stable: "2" } }) }),
      "error",
      "do not read what the record says: stable",
    ],
  ],
  edits: [[ofDeployment({ sourceDifference: known("Source differs: x") }), "warning", "Source differs: x"]],
  images: [
    [
      ofDeployment({ images: known([{ ...image, found: { kind: "missing", why: "a.test has no proxi with 1" } }]) }),
      "error",
      "a.test/proxi:1 (values/10-mine:2): a.test has no proxi with 1",
    ],
    [
      ofDeployment({ images: known([{ ...image, found: { kind: "unknown", why: "a.test: nothing listens there" } }]) }),
      "unknown",
      "could not be checked: a.test/proxi:1 (values/10-mine:2): a.test: nothing listens there",
    ],
  ],
  tls: [
    [
      ofEndpoint({ tls: known({ protocol: "TLSv1.2", validTo: NOW + 3 * DAY, milliseconds: 1 }) }),
      "warning",
      "valid for 3 more days",
    ],
  ],
  "self-test": [
    [
      ofEndpoint({
        calls: known({
          milliseconds: [9],
          withToken: true,
          isInjected: true,
          timeoutSeconds: 10,
          problem: "it answers HTTP 500",
        }),
      }),
      "error",
      "it answers HTTP 500",
    ],
    [
      ofEndpoint({ calls: known({ milliseconds: [80, 5001], withToken: true, isInjected: true, timeoutSeconds: 10 }) }),
      "warning",
      "the API server waits 10 s",
    ],
  ],
  tokens: [
    [ofCluster({ record: known(tokens()) }), "error", "no token is live"],
    [ofCluster({ record: known(tokens(200)) }), "warning", "the token is 200 days old"],
    [ofCluster({ record: known(tokens(9, 1)) }), "warning", "two tokens are live, 9 days and 1 days old"],
  ],
  access: [[ofCluster({ access: { known: false, why: "no way there" } }), "unknown", "no way there"]],
  "other-injectors": [
    [
      ofCluster({ conflictingWebhooks: known({ found: [ISTIOS_WEBHOOK], addsProxy: true }) }),
      "warning",
      "istio-sidecar-injector also selects pods of shop",
    ],
    [
      ofCluster({ conflictingWebhooks: known({ found: [ISTIOS_WEBHOOK], addsProxy: false }) }),
      "warning",
      "istio-sidecar-injector also selects pods of shop, and the release adds no istio-proxy: new pods lose the one that istiod injects",
    ],
  ],
  permissions: [
    [
      ofCluster({
        permissions: known({
          needed: "check",
          asked: [{ what: "create pods", isAllowed: false, features: ["register", "check"] }],
        }),
      }),
      "error",
      "not allowed: create pods",
    ],
  ],
  "safety-net": [
    [
      ofCluster({ net: known({ isServed: true, bindings: [], policies: [], warnings: [] }) }),
      "error",
      "should reject pods",
    ],
    [
      ofCluster({
        net: known({ isServed: true, bindings: [binding], policies: ["net"], warnings: ["spec: undefined field"] }),
      }),
      "warning",
      "spec: undefined field",
    ],
    [
      ofCluster({ net: known({ isServed: true, bindings: [binding], policies: [], warnings: [] }) }),
      "error",
      "the policy net is missing: its 1 bindings reject nothing",
    ],
  ],
  "dry-run": [
    [ofCluster({ dryRuns: known([{ ...dryRun, problem: "quota" }]) }), "error", "samples/web is rejected: quota"],
    [
      ofCluster({ dryRuns: known([{ ...dryRun, isInjected: false }]) }),
      "error",
      "samples/web was not injected; the release decides otherwise",
    ],
  ],
  "other-webhooks": [
    [ofCluster({ otherWebhooks: known([stale]) }), "error", "its service old/injector does not exist"],
  ],
  workloads: [
    [tried({ kind: "rejected", ...rejection }), "error", "shop/Deployment/web is rejected: exceeded quota: q"],
    [tried({ ...admitted, isInjected: false }), "error", "admitted without a sidecar: shop/Deployment/web"],
    [
      tried({ ...admitted, obstacles: [{ problem: "Fargate", remediation: "nodes" }] }),
      "warning",
      "shop/Deployment/web: Fargate",
    ],
  ],
  record: [[ofCluster({ record: known(undefined) }), "error", "shop has no record"]],
  webhooks: [
    [
      ofCluster({ status: known({ revisions: [], tokens: 0, drift: [], notes: [] }) }),
      "error",
      "no webhook is registered",
    ],
    [
      ofCluster({
        status: known({ revisions: [{ ...revision, off: "today" }], tokens: 1, drift: [], notes: [] }),
      }),
      "error",
      "revision default is off since today",
    ],
    [
      ofCluster({ status: known({ revisions: [{ ...revision, phase: "" }], tokens: 1, drift: [], notes: [] }) }),
      "error",
      "no webhook of revision default",
    ],
  ],
  drift: [
    [
      ofCluster({
        status: known({ revisions: [revision], tokens: 1, drift: ["w: x", "y", "z", "v"].map(drift), notes: [] }),
      }),
      "error",
      "w: x is b and not a; y is b and not a; z is b and not a; and 1 more",
    ],
    [
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
  ],
  istiod: [
    [
      ofCluster({ istiods: known([{ ...istiod, image: "istio/pilot:1.30.0" }]) }),
      "error",
      "revision default: Proxies of Istio 1.31 are ahead of istiod 1.30",
    ],
    [ofCluster({ istiods: known([{ ...istiod, image: "istio/pilot:1.32.0" }]) }), "warning", "istiod 1.32"],
    [ofCluster({ istiods: known([{ ...istiod, image: "istio/pilot:1.34.0" }]) }), "error", "istiod 1.34"],
  ],
  revision: [
    [
      ofCluster({ istiods: known([{ ...istiod, revision: "1-31" }]) }),
      "warning",
      "no istiod has revision default; there is 1-31",
    ],
  ],
  "mesh-config": [
    [
      ofCluster({
        status: known({ revisions: [revision], tokens: 1, drift: [drift("mesh config.trustDomain")], notes: [] }),
      }),
      "warning",
      "mesh config.trustDomain is b, and a in istiod",
    ],
  ],
  discovery: [
    [
      ofCluster({ addresses: known([{ name: "istoid.mesh.svc:15012", problem: "there is no service mesh/istoid" }]) }),
      "error",
      "istoid.mesh.svc:15012: there is no service mesh/istoid",
    ],
  ],
  created: [[ofCluster({ creationFailures: known([failure]) }), "error", "ReplicaSet/web-1 cannot make its pods"]],
  injected: [
    [
      ofCluster({
        running: known({ ...running, pods: 2, injected: 1, uninjected: [{ ...uninjected, reason: "it is older" }] }),
      }),
      "error",
      "1 should have one: shop/web: it is older",
    ],
  ],
  current: [
    [
      ofCluster({
        running: known({ ...running, outdated: ["shop/Deployment/web: containers[a].image"] }),
      }),
      "warning",
      "3 pods that were looked at: 1 of 2 workloads would come out differently: shop/Deployment/web: containers[a].image",
    ],
    [
      ofCluster({
        running: known({ ...running, unjudged: "the deployment serves nothing" }),
      }),
      "unknown",
      "could not be checked: the deployment serves nothing",
    ],
  ],
  sampled: [
    [
      ofCluster({
        running: known({ ...running, unjudged: "the deployment serves nothing" }),
      }),
      "unknown",
      "could not be checked: the deployment serves nothing",
    ],
  ],
};

describe("the checks of admission", () => {
  const at = (facts: Facts, id: string) => judgeFacts(facts, { isEarly: false }).find((one) => one.id === id);

  it("say what was not tried, and why", () => {
    const untried = tried({ kind: "untried", cause: "denied", why: "not allowed to create pods in shop" });
    expect(at(untried, "workloads")).toMatchObject({
      level: "untried",
      seen: "0 workloads tried in their own namespaces, of 1 namespace that is selected; 1 not: not allowed to create pods in shop",
    });
  });

  it("ask for the permissions of what is done, and say which other roles are missing", () => {
    const asked = [
      { what: "list pods", isAllowed: true, features: ["check" as const, "pods" as const] },
      { what: "delete webhooks", isAllowed: false, features: ["register" as const, "off" as const] },
    ];
    expect(at(ofCluster({ permissions: known({ needed: "check", asked }) }), "permissions")).toMatchObject({
      level: "ok",
      seen: "those to check are granted; not those of register, off (outrigger print rbac)",
    });
    expect(at(ofCluster({ permissions: known({ needed: "register", asked }) }), "permissions")).toMatchObject({
      level: "error",
      seen: "not allowed: delete webhooks",
      fix: expect.stringMatching(/^outrigger print rbac register( --revision \S+| --tag \S+)* \| kubectl apply -f -$/),
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

it("injected restarts what a new pod would cure, and otherwise shows what is the matter", () => {
  const fixOf = (...cures: readonly boolean[]) => {
    const pods = cures.map((isRestartable) => ({ ...uninjected, reason: "it is older", isRestartable }));
    const facts = ofCluster({ running: known({ ...running, uninjected: pods }) });
    return judgeFacts(facts, { isEarly: false }).find(({ id }) => id === "injected")?.fix;
  };
  const look = "outrigger pods --state missing --cluster shop";
  expect(fixOf(true, true)).toBe(`outrigger restart --cluster shop, or look first: ${look}`);
  expect(fixOf(true, false)).toBe(look);
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
  it("does not say that the webhook injects where no template is for the pod that is sent", () => {
    const calls = { milliseconds: [80], withToken: true, isInjected: false, timeoutSeconds: 10 };
    const found = judgeFacts(ofEndpoint({ calls: known(calls) }), { isEarly: false });
    expect(found.find(({ id }) => id === "self-test")).toMatchObject({
      level: "ok",
      seen: "it answers, and no template is for its pod: 80 ms with a new connection each",
    });
  });

  it("proposes a role that reads nothing of Istio where no release has a part in a mesh", () => {
    const denied = [{ what: "list pods", isAllowed: false, features: ["check" as const] }];
    const fixOf = (isWithoutMesh: boolean) => {
      const facts = ofCluster({ permissions: known({ needed: "check", asked: denied }), isWithoutMesh });
      return judgeFacts(facts, { isEarly: false }).find(({ id }) => id === "permissions")?.fix;
    };
    expect(fixOf(true)).toMatch(/ --without-istio \| kubectl apply -f -$/);
    expect(fixOf(false)).not.toContain("--without-istio");
  });

  it("has no section of a mesh where no istiod runs and no release adds a proxy", () => {
    const meshOf = (change: Parameters<typeof ofCluster>[0]) =>
      judgeFacts(ofCluster(change), { isEarly: false }).filter(({ section }) => section === "mesh");
    expect(meshOf({ istiods: known([]), proxyImages: known({}) })).toEqual([]);
    expect(meshOf({ istiods: known([]) })).not.toEqual([]);
    expect(meshOf({ proxyImages: known({}) })).not.toEqual([]);
    expect(meshOf({ istiods: { known: false, why: "no" }, proxyImages: known({}) })).not.toEqual([]);
  });

  it("advises to delete istiod's webhook only where the release adds a proxy in its place", () => {
    const fixOf = (addsProxy: boolean) => {
      const facts = ofCluster({ conflictingWebhooks: known({ found: [ISTIOS_WEBHOOK], addsProxy }) });
      return judgeFacts(facts, { isEarly: false }).find(({ id }) => id === "other-injectors")?.fix;
    };
    expect(fixOf(true)).toBe("kubectl delete mutatingwebhookconfiguration istio-sidecar-injector");
    expect(fixOf(false)).toMatch(/^give the config an injectionLabel, or outrigger register.* --revision NAME$/);
  });

  it("advises to delete no webhook that claims pods by keys of its own, and says where a pod may get two proxies", () => {
    const linkerds = { name: "linkerd", namespaces: ["shop"], isIstios: false, isMesh: true, isBeside: true };
    const judged = (addsProxy: boolean, found = [linkerds]) =>
      judgeFacts(ofCluster({ conflictingWebhooks: known({ found, addsProxy }) }), { isEarly: false }).find(
        ({ id }) => id === "other-injectors",
      );
    expect(judged(false)).toMatchObject({
      level: "ok",
      seen: "linkerd also selects pods of shop: pods keep what each adds",
    });
    expect(judged(true)).toMatchObject({
      level: "warning",
      seen: "linkerd also selects pods of shop: a pod that asks both gets two proxies",
      fix: "let each namespace ask one of them",
    });
    const other = { ...linkerds, name: "outrigger-of-another", isMesh: false };
    expect(judged(true, [other])?.level).toBe("ok");
    expect(judged(true, [linkerds, ISTIOS_WEBHOOK])?.fix).toMatch(/ istio-sidecar-injector$/);
  });

  it("advises nothing where each injector keeps what the other adds, and makes no check of a mesh that the release has no part in", () => {
    const beside = { ...ISTIOS_WEBHOOK, isBeside: true };
    const facts = ofCluster({ conflictingWebhooks: known({ found: [beside], addsProxy: false }), isWithoutMesh: true });
    const made = judgeFacts(facts, { isEarly: false });
    expect(made.find(({ id }) => id === "other-injectors")).toMatchObject({
      level: "ok",
      seen: "istio-sidecar-injector also selects pods of shop: pods keep what each adds",
    });
    expect(made.filter(({ section }) => section === "mesh")).toEqual([]);
  });

  it("finds nothing where everything is sound", () => {
    const findings = judgeFacts(sound, { isEarly: false });
    expect(findings.filter(({ level }) => level !== "ok")).toEqual([]);
    expect(findings.map(({ id }) => id)).toEqual(checks.map(({ id }) => id));
  });

  const bad = Object.entries(BAD).flatMap(([id, cases]) => cases.map((one) => [id, ...one] as const));

  it.each(bad)("finds by %s what is wrong (%#)", (id, facts, level, seen) => {
    const findings = judgeFacts(facts, { isEarly: false });
    const found = findings.find((finding) => finding.id === id);
    expect(found).toMatchObject({ level, seen: expect.stringContaining(seen), docs: `docs/check.md#${id}` });
    expect(found?.fix === undefined).toBe(level === "unknown");
    expect(found?.seen).not.toContain("\n");
  });

  it("has a bad case for every check", () => {
    expect(Object.entries(BAD).flatMap(([id, cases]) => (cases.length === 0 ? [id] : []))).toEqual([]);
  });

  it("makes before registering the checks that say so, and no other", () => {
    const made = judgeFacts(sound, { isEarly: true }).map(({ id }) => id);
    expect(made).toEqual(checks.filter(({ isEarly }) => isEarly).map(({ id }) => id));
    expect(made).toContain("permissions");
    expect(made).not.toContain("record");
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
  it("has a section for each check, in order, with what its entry says", () => {
    const page = new URL("../../../docs/check.md", import.meta.url);
    const text = readFileSync(page, "utf8");
    const made = withRows(text, "checks", sectionsOfPage());
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(page, made);
    else expect(text).toBe(made);
  });

  it.each(checks)("says what a warning and an error of $id mean", ({ id, doc }) => {
    expect(doc).toMatch(/^[A-Z].{20,}\.$/);
    const found = new Set(BAD[id].map(([, level]) => level));
    expect([doc.includes("Warning:"), doc.includes("Error:")]).toEqual([found.has("warning"), found.has("error")]);
  });
});

function sectionsOfPage(): readonly string[] {
  const sections = checks.flatMap(({ id, section, doc }, index) => {
    const heading = `## ${section.charAt(0).toUpperCase()}${section.slice(1)}`;
    const isFirst = checks[index - 1]?.section !== section;
    return [...(isFirst ? [heading, ""] : []), `### ${id}`, "", doc, ""];
  });
  return ["", ...sections];
}

it("says which branches no sample takes, as something that is not tried: nothing is wrong with the cluster", () => {
  const branches = ["templates/agent:4:1 true", "templates/agent:9:3 false"];
  const facts = ofCluster({ running: known({ ...running, unsampled: { pods: 37, workloads: 5, branches } }) });
  const found = judgeFacts(facts, { isEarly: false }).find(({ id }) => id === "sampled");
  expect(found).toMatchObject({
    level: "untried",
    seen: expect.stringMatching(
      /^37 pods in 5 workloads take branches that no sample takes: templates\/agent:4:1 true; templates\/agent:9:3 false; outrigger samples.* writes samples$/,
    ),
  });
});
