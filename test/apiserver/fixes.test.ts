// Each fix that `outrigger check` prints, on a real API server: something is made wrong, check finds it, the commands of its fix are run as
// they are printed, and check finds nothing any more. What no test can run is listed with the reason.
import { setTimeout as pause } from "node:timers/promises";
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import type { CheckResult } from "@outrigger/cluster";
import { metadataOf } from "@outrigger/pod";
import { isInjected, rbacFeatures } from "@outrigger/webhook";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openShell, type Shell } from "../pages/shell.ts";
import { inTurn, turnOf } from "../support/in-turn.ts";
import { openRealLab, type RealLab, WAITED_FOR, waitsForApiServer } from "./support/real-lab.ts";

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const WEBHOOKS = `${ADMISSION}/mutatingwebhookconfigurations`;
const POLICY = `${ADMISSION}/validatingadmissionpolicies/outrigger-sidecar-injector`;
const BINDINGS = `${ADMISSION}/validatingadmissionpolicybindings`;
const SELECTED = { "istio-injection": "enabled" };
const NEVER = { name: "never", expression: "false" };
const PROBE = "outrigger-probe";
const PODS = [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"] }];

type CheckId = CheckResult["id"];

/** Something that is wrong, and what check prints about it. */
interface Fault {
  readonly check: CheckId;
  readonly what: string;
  readonly make: (lab: RealLab) => Promise<unknown>;
  /** The fix, as it is printed. */
  readonly fix: string;
  /** Words of check besides the cluster's name. */
  readonly words?: string;
}

const FAULTS: readonly Fault[] = [
  {
    check: "other-injectors",
    what: "Istio's own webhook selects the same pods",
    make: ({ apply }) => apply(webhookOf("Mutating", "istio-sidecar-injector", "namespace.sidecar-injector.istio.io")),
    fix: "kubectl delete mutatingwebhookconfiguration istio-sidecar-injector",
  },
  {
    check: "permissions",
    what: "a role of the checks is taken away",
    make: ({ api }) =>
      api.admin.remove(`/apis/rbac.authorization.k8s.io/v1/namespaces/${PROBE}/rolebindings/outrigger`),
    fix: "outrigger print rbac check | kubectl apply -f -",
  },
  {
    check: "permissions",
    what: "who registers has the role of the checks alone",
    make: (lab) => lab.onlyAllow(["check", "registration"]),
    fix: "outrigger print rbac register | kubectl apply -f -",
    words: "--section prerequisites",
  },
  {
    check: "safety-net",
    what: "the policy is deleted",
    make: ({ api }) => api.admin.remove(POLICY),
    fix: "outrigger register --cluster shop",
  },
  {
    check: "safety-net",
    what: "the bindings only warn",
    make: ({ api }) => changeEach(api, BINDINGS, () => ({ spec: { validationActions: ["Warn"] } })),
    fix: "outrigger register --cluster shop",
  },
  {
    check: "other-webhooks",
    what: "a policy engine that was removed has left its webhook",
    make: ({ apply }) => apply(webhookOf("Validating", "policy-engine", "validate.policy.example.com")),
    fix: "start the service, or kubectl delete validatingwebhookconfiguration policy-engine",
  },
  {
    check: "workloads",
    what: "Pod Security refuses the sidecar",
    make: (lab) => lab.namespace("shop", { ...SELECTED, "pod-security.kubernetes.io/enforce": "baseline" }),
    fix: "use Istio's CNI plugin, which needs no NET_ADMIN (pilot.cni.enabled in the values), or allow it: kubectl label namespace shop pod-security.kubernetes.io/enforce=privileged --overwrite",
  },
  {
    check: "created",
    what: "a controller made no pod, as its service account is missing",
    make: async (lab) => {
      await lab.apply(deployment("api", { serviceAccountName: "api" }));
      await lab.until("its controller has said so", async () => {
        for await (const event of lab.api.admin.list("/api/v1/namespaces/shop/events"))
          if (JSON.stringify(event).includes('serviceaccount \\"api\\" not found')) return true;
        return false;
      });
      // Events have whole seconds. By then its controller tries again less often than that.
      await pause(3000);
    },
    fix: "make the service account: kubectl create serviceaccount api -n shop",
  },
  {
    check: "dry-run",
    what: "the webhook gets no pod, by a condition that was added by hand",
    make: async (lab) => {
      await lab.run("register", "--cluster", "shop", "--safety-net", "warn");
      await changeEach(lab.api, WEBHOOKS, ({ webhooks }) => ({
        webhooks: objectsOf(webhooks).map((one) => ({ ...one, matchConditions: [NEVER] })),
      }));
      await lab.until("the API server knows it", async () => (await injects(lab)) === false);
    },
    fix: "outrigger register --cluster shop",
  },
  {
    check: "drift",
    what: "the webhook's timeout was changed by hand",
    make: ({ api }) =>
      changeEach(api, WEBHOOKS, ({ webhooks }) => ({
        webhooks: objectsOf(webhooks).map((one) => ({ ...one, timeoutSeconds: 1 })),
      })),
    fix: "outrigger register --cluster shop",
  },
  {
    check: "webhooks",
    what: "the webhook is deleted",
    make: ({ api }) => api.admin.remove(`${WEBHOOKS}/outrigger-sidecar-injector`),
    fix: "outrigger register --cluster shop",
  },
  {
    check: "webhooks",
    what: "injection is switched off",
    make: (lab) => lab.run("off", "--kubeconfig", "admin.kubeconfig"),
    fix: "outrigger register --cluster shop",
  },
  {
    check: "record",
    what: "the record is gone, and the webhooks are there",
    make: (lab) => lab.run("unregister", "--cluster", "shop", "--keep-objects", "--yes"),
    fix: "outrigger register --cluster shop",
  },
  {
    check: "tokens",
    what: "the deployment knows no token of the cluster",
    make: ({ aws }) => changeRecord(aws, (record) => ({ ...record, tokens: [] })),
    fix: "outrigger register --cluster shop",
  },
  {
    check: "self-test",
    what: "the deployment knows another token than the webhooks have",
    make: async (lab) => {
      await lab.run("token", "add", "--cluster", "shop", "--token-file", "other.token");
      await lab.run("token", "retire", "1", "--cluster", "shop", "--now");
    },
    fix: "outrigger register --cluster shop",
  },
  {
    check: "tokens",
    what: "a rotation was not finished",
    make: (lab) => lab.run("token", "rotate", "--cluster", "shop", "--wait", "0"),
    fix: "outrigger token rotate --cluster shop",
  },
  {
    check: "tokens",
    what: "the token is old",
    make: ({ aws }) =>
      changeRecord(aws, (record) => ({
        ...record,
        tokens: objectsOf(record["tokens"]).map((token) => ({ ...token, created: "2020-01-01T00:00:00Z" })),
      })),
    fix: "outrigger token rotate --cluster shop",
  },
  {
    check: "injected",
    what: "pods are older than the label of their namespace",
    make: async (lab) => {
      await lab.apply(deployment("web", {}, "late"));
      await lab.until("its pod runs", () => isRunning(lab, "late"));
      await lab.namespace("late", SELECTED);
    },
    fix: "outrigger restart --cluster shop, or look first: outrigger pods --state missing --cluster shop",
  },
  {
    check: "current",
    what: "pods have the sidecar of an earlier release",
    make: async (lab) => {
      // One workload is enough to be watched while it comes back.
      for (const place of ["late/deployments/web", "shop/deployments/api"])
        await lab.api.admin.remove(`/apis/apps/v1/namespaces/${place}`);
      await lab.until("their pods are gone", async () => (await lab.allPods()).length === 1);
      await lab.aws.edit("values/10-mine", logging("error"));
      await lab.run("publish");
    },
    fix: "outrigger restart --cluster shop, or look first: outrigger pods --cluster shop",
  },
  {
    check: "served",
    what: "the record of a channel names another release than containers read",
    make: async ({ aws, run }) => {
      const name = aws.layout.channel("stable");
      const earlier = aws.store.values()[name] ?? "";
      await aws.edit("values/10-mine", logging("info"));
      await run("publish");
      await aws.put(name, earlier);
    },
    fix: "outrigger publish",
  },
  {
    check: "edits",
    what: "the source was edited and not published",
    make: ({ aws }) => aws.edit("values/10-mine", logging("debug")),
    fix: "outrigger lint source, then outrigger publish",
  },
];

/** Why the fixes of the other checks are not run here. */
const NOT_RUN: Partial<Readonly<Record<CheckId, string>>> = {
  credentials: "a person signs in",
  region: "a person names one",
  stack: "a deploy, in AWS",
  functions: "a deploy, in AWS",
  guardrails: "a deploy, in AWS",
  logs: "a runbook's commands, in AWS",
  alarms: "a setting and a deploy, or a runbook's commands, in AWS",
  images: "an edit of the name",
  tls: "a certificate is renewed, in AWS",
  access: "what cannot be reached has no fix in a line: the network, or a security group, in AWS",
  istiod: "a channel is moved to another release of Istio",
  revision: "istioctl installs a control plane",
  "mesh-config": "an edit",
  discovery: "an edit",
  sampled: "samples.test.ts runs it",
};

/** An edit of a value. Parameter Store takes no two braces in a row. */
function logging(level: string): string {
  return `global:\n  proxy: {logLevel: ${level}}\n`;
}

/** A webhook for the pods of selected namespaces, whose service is none. */
function webhookOf(kind: "Mutating" | "Validating", configuration: string, name: string): JsonObject {
  const clientConfig = { service: { namespace: "none", name: "none" } };
  const failurePolicy = kind === "Mutating" ? "Ignore" : "Fail";
  const chosen = { rules: PODS, namespaceSelector: { matchLabels: SELECTED }, failurePolicy };
  return {
    ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: `${kind}WebhookConfiguration` },
    metadata: { name: configuration },
    webhooks: [{ name, clientConfig, ...chosen, sideEffects: "None", admissionReviewVersions: ["v1"] }],
  };
}

function deployment(name: string, spec: JsonObject, namespace = "shop"): JsonObject {
  const metadata = { labels: { app: name } };
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace } },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata, spec: { containers: [{ name: "app", image: "app:1" }], ...spec } },
    },
  } as JsonObject;
}

async function isRunning(lab: RealLab, namespace: string): Promise<boolean> {
  const pods = await lab.pods(namespace);
  return pods.length > 0 && pods.every(({ status }) => objectOf(status)["phase"] === "Running");
}

/** Whether the next pod is injected; undefined where it is rejected. */
async function injects({ api }: RealLab): Promise<boolean | undefined> {
  const spec = { containers: [{ name: "app", image: "app:1" }] };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec };
  const made = await api.admin.createDryRun("/api/v1/namespaces/shop/pods", pod).catch(() => undefined);
  return made && isInjected(made as never);
}

/** Changes the objects of a registration, as a person with an editor does. */
async function changeEach({ admin }: RealLab["api"], path: string, change: (object: JsonObject) => JsonObject) {
  for await (const object of admin.list(path)) {
    const { name } = metadataOf(object);
    if (name.startsWith("outrigger-sidecar-injector"))
      await admin.mergePatch(`${path}/${name}`, change(object), { manager: "editor" });
  }
}

/** Changes the record of the cluster. Parameter Store takes no two braces in a row. */
async function changeRecord(aws: RealLab["aws"], change: (record: JsonObject) => JsonObject) {
  const name = aws.layout.cluster("shop");
  await aws.put(name, JSON.stringify(change(JSON.parse(aws.store.values()[name] ?? "{}")), undefined, 1));
}

/** The commands in a fix: each ends where a sentence goes on. */
function commandsOf(fix: string): readonly string[] {
  return fix.match(/(?:outrigger|kubectl) [^,;()]+/g)?.map((command) => command.trim()) ?? [];
}

describe("a fix that check prints, on a real API server", () => {
  let lab: RealLab;
  let shell: Shell;
  beforeAll(async () => {
    lab = await openRealLab();
    const { now } = Date;
    const clock = { ahead: 0 };
    vi.spyOn(Date, "now").mockImplementation(() => now() + clock.ahead);
    // A rotation waits for minutes: here the minutes pass.
    lab.sleep = async (milliseconds) => {
      if (milliseconds > WAITED_FOR) clock.ahead += milliseconds;
      await waitsForApiServer(milliseconds);
    };
    // Calls come with the second token, and none with the first.
    lab.services.tokenCalls.set("2", 1);
    lab.write("admin.kubeconfig", lab.api.kubeconfigText());
    shell = await openShell((place) => lab.ioOf(place), {
      programs: ["kubectl"],
      env: { KUBECONFIG: `${lab.cwd}/admin.kubeconfig` },
    });
    await lab.namespace("shop", SELECTED);
    await lab.namespace("late");
    await lab.allow();
    expect((await lab.run("publish")).code).toBe(0);
    const registered = await lab.register("--phase", "enforce", "--safety-net", "deny");
    expect(registered, registered.err).toMatchObject({ code: 0 });
    await lab.apply(deployment("web", {}));
    await lab.until("its pod runs", () => isRunning(lab, "shop"));
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await shell?.close();
    await lab?.close();
  });

  beforeEach(() => lab.onlyAllow([...rbacFeatures, "restart"], { probeNamespaces: [PROBE, "shop", "late"] }));

  it("is run for each check, or it is said why not", async () => {
    const { out } = await lab.run("check", "--cluster", "shop", "--verify", "-o", "json");
    const ids = (JSON.parse(out) as { readonly checks: readonly CheckResult[] }).checks.map(({ id }) => id);
    const known = new Set([...FAULTS.map(({ check }) => check), ...Object.keys(NOT_RUN)]);
    expect([...known].toSorted()).toEqual(ids.toSorted());
  });

  const lineOf = async (check: CheckId, words = "") => {
    const { output } = await shell.run(`outrigger check --cluster shop ${words} || true`);
    const line = output.split("\n").find((one) => one.slice(2).startsWith(`${check} `));
    return line ?? output;
  };

  const itInTurn = inTurn(it, turnOf("Fixes that check prints, on a real API server", 11));

  for (const { check, what, make, fix, words } of FAULTS)
    itInTurn(`${check}: ${what}`, async () => {
      expect((await lineOf(check, words)).charAt(0)).toBe("✔");
      await make(lab);
      const found = await lineOf(check, words);
      expect(found).toMatch(/^[✖!]/);
      expect(found.replace(/^.*\. Fix: /, "")).toBe(`${fix} (docs/check.md#${check})`);
      expect(commandsOf(fix)).not.toEqual([]);
      for (const command of commandsOf(fix)) {
        const { code, output } = await shell.run(command);
        expect([command, code, output]).toEqual([command, 0, output]);
      }
      // An API server takes some moments for a policy or a webhook that was changed.
      await lab.until(`${check} is sound`, async () => (await lineOf(check, words)).startsWith("✔"));
    });
});
