import { defined, OutriggerError } from "@outrigger/base";
import { registerCluster, unregisterCluster } from "@outrigger/cluster";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLUSTER, type ClusterLab, openClusterLab } from "./cluster-lab.ts";

const CONFIGURATION = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/outrigger-sidecar-injector";

interface Installed {
  readonly metadata: { readonly labels: Record<string, string>; readonly annotations: Record<string, string> };
  readonly webhooks: readonly {
    readonly name: string;
    readonly failurePolicy: string;
    readonly clientConfig: { readonly url: string };
    readonly matchConditions: readonly { readonly name: string }[];
  }[];
}

describe("registerCluster()", { timeout: 120_000 }, () => {
  let lab: ClusterLab;
  beforeEach(async () => {
    lab = await openClusterLab();
  });
  afterEach(() => lab.close());

  const register = (asked?: Parameters<ClusterLab["request"]>[0]) => registerCluster(lab.request(asked), lab.ports);
  const installed = () => lab.api.objects.get(CONFIGURATION) as Installed | undefined;
  const policies = () => installed()?.webhooks.map(({ failurePolicy }) => failurePolicy);
  const objects = () => [...lab.api.objects.keys()].filter((path) => path.includes("admissionregistration"));

  it("writes the record, tests the webhook, applies and proves it, and sets the alarm", async () => {
    const { warnings, settings } = await register();
    expect(warnings).toEqual([]);
    expect(settings.phase).toBe("audit");
    const [token] = lab.publisher.records.get("shop")?.tokens ?? [];
    expect(token?.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(lab.publisher.records.get("shop")).toMatchObject({
      revisions: { default: "stable" },
      arn: CLUSTER.arn,
      kubernetesVersion: "1.33",
    });
    expect(policies()).toEqual(Array(4).fill("Ignore"));
    expect([...lab.alarms]).toEqual(["shop"]);
    // One call from here, one by the API server.
    expect(lab.webhook.calls).toEqual([token?.sha256, token?.sha256]);
    expect(lab.api.calls).toContainEqual(
      `PATCH ${CONFIGURATION}?fieldManager=outrigger&force=false application/apply-patch+yaml`,
    );
  });

  it("says each step as it begins it, and only those that it makes", async () => {
    await register({ phase: "cluster" });
    expect(lab.lines).toEqual([
      `Registering shop (${CLUSTER.arn})`,
      "Testing the webhook from this machine",
      "Applying the webhook configuration, phase cluster",
      "Creating a pod as a dry run, to prove that the API server reaches the webhook",
      "The API server injects a pod that is created as a dry run in the namespace default",
    ]);
    lab.lines.length = 0;
    await registerCluster({ ...lab.request({ phase: "enforce" }), withSelfTest: false }, lab.ports);
    expect(lab.lines.slice(0, 2)).toEqual([
      `Registering shop (${CLUSTER.arn})`,
      "Applying the webhook configuration, phase enforce",
    ]);
  });

  it("shows the token nowhere", async () => {
    await register();
    const [webhook] = installed()?.webhooks ?? [];
    const [, token] = /\/t\/([^/]+)\//.exec(webhook?.clientConfig.url ?? "") ?? [];
    expect(token).toHaveLength(43);
    const shown = JSON.stringify([lab.lines, lab.publisher.requests, installed()?.metadata]);
    expect(shown).not.toContain(token);
  });

  it("walks the phases up and down, and keeps the token and what was asked for", async () => {
    await register({ tags: ["prod"], network: "net-1" });
    const url = installed()?.webhooks[0]?.clientConfig.url;
    await register({ phase: "namespace", namespaces: ["default"] });
    expect(JSON.stringify(installed()?.webhooks)).toContain('"In","values":["default"]');
    await register({ phase: "cluster" });
    expect(policies()).toEqual(Array(4).fill("Ignore"));
    const { settings } = await register({ phase: "enforce" });
    expect(policies()).toEqual(Array(4).fill("Fail"));
    expect(settings).toMatchObject({ tags: ["prod"], network: "net-1", namespaces: [] });
    await register({ phase: "audit" });
    expect(policies()).toEqual(Array(4).fill("Ignore"));
    expect(installed()?.webhooks[0]?.matchConditions.map(({ name }) => name)).toContain("dry-run");
    expect(installed()?.webhooks[0]?.clientConfig.url).toBe(url);
    expect(lab.publisher.records.get("shop")?.tokens).toHaveLength(1);
  });

  it("repairs what was changed when it is run again without options", async () => {
    await register({ phase: "cluster" });
    const before = installed() as Installed;
    lab.api.edit(CONFIGURATION, "kubectl-edit", (object) => ({
      ...object,
      webhooks: before.webhooks.slice(1).map((webhook) => ({ ...webhook, timeoutSeconds: 3 })),
    }));
    await register();
    expect(installed()?.webhooks).toEqual(before.webhooks);
  });

  it("removes what others have added", async () => {
    await register({ phase: "cluster" });
    const before = installed() as Installed;
    const [first, ...others] = before.webhooks;
    const strange = { ...first, name: "strange.example.test" };
    const withCa = {
      ...first,
      timeoutSeconds: 1,
      namespaceSelector: {},
      clientConfig: { ...first?.clientConfig, service: {} },
    };
    const annotations = { ...before.metadata.annotations, note: "keep" };
    const metadata = { ...before.metadata, annotations };
    lab.api.put(CONFIGURATION, { ...before, metadata, webhooks: [withCa, ...others, strange] } as never);
    await register();
    expect(installed()?.webhooks).toEqual(before.webhooks);
    expect(installed()?.metadata.annotations["note"]).toBe("keep");
  });

  it("warns when a tag moves to a revision that sends fewer pods", async () => {
    const of = (warnings: readonly string[]) => warnings.filter((warning) => warning.includes("The tag prod moves"));
    const first = await register({ revision: "1-29", tags: ["prod"], phase: "cluster" });
    const audit = await register({ revision: "1-30", tags: ["prod"] });
    expect([of(first.warnings), of(audit.warnings)]).toEqual([
      [],
      [
        "The tag prod moves from revision 1-29, phase cluster, to 1-30, phase audit: of its namespaces only dry runs are sent now, and other new pods get no sidecar; continue with --revision 1-30 --phase cluster, or move the tag back with --revision 1-29 --tag prod",
      ],
    ]);
    const back = await register({ revision: "1-29", tags: ["prod"], phase: "cluster" });
    const narrow = await register({ revision: "1-30", tags: ["prod"], phase: "namespace", namespaces: ["shop"] });
    const again = await register({ revision: "1-30" });
    expect(of(back.warnings)).toEqual([]);
    expect(of(narrow.warnings)).toEqual([expect.stringContaining("only pods of shop are sent now")]);
    expect(of(again.warnings)).toEqual([]);
    const enforced = await register({ revision: "1-29", tags: ["prod"], phase: "enforce" });
    const lenient = await register({ revision: "1-30", tags: ["prod"], phase: "cluster" });
    expect([...of(enforced.warnings), ...of(lenient.warnings)]).toEqual([]);
  });

  it("moves a tag from one revision to another", async () => {
    await register({ revision: "1-29", tags: ["prod"] });
    await register({ revision: "1-30", tags: ["prod"] });
    const { settings } = await register({ revision: "1-29" });
    expect(settings.tags).toEqual([]);
    const tag = lab.api.objects.get(
      CONFIGURATION.replace("sidecar-injector", "revision-tag-prod"),
    ) as unknown as Installed;
    expect(tag.metadata.labels["outrigger/revision"]).toBe("1-30");
    expect(lab.publisher.records.get("shop")?.revisions).toEqual({ "1-29": "stable", "1-30": "stable" });
  });

  it("takes the safety net of a tag from the revision that had it", async () => {
    await register({ phase: "cluster", safetyNet: "deny", tags: ["prod"] });
    await register({ phase: "cluster", revision: "1-30", tags: ["prod"] });
    const nets = objects().filter((path) => path.includes("policybindings/outrigger-sidecar-injector-"));
    expect(nets.map((path) => path.split("injector-").at(-1))).toEqual([
      "rev-namespace",
      "rev-object",
      "namespace",
      "object",
    ]);
  });

  it("takes tags and safety nets away that are no longer asked for", async () => {
    await register({ phase: "cluster", tags: ["a", "b"], safetyNet: "deny" });
    expect(objects()).toHaveLength(3 + 1 + 8);
    await register({ tags: ["b"], safetyNet: "off" });
    expect(objects().map((path) => path.split("/").at(-1))).toEqual([
      "outrigger-sidecar-injector",
      "outrigger-revision-tag-b",
    ]);
  });

  it("takes Istio's name for the cluster from istiod", async () => {
    const env = [{ name: "CLUSTER_ID", value: "mesh-1" }];
    lab.api.put("/apis/apps/v1/namespaces/istio-system/deployments/istiod", {
      metadata: { name: "istiod", labels: { app: "istiod" } },
      spec: { template: { spec: { containers: [{ env }] } } },
    });
    expect((await register()).settings.clusterId).toBe("mesh-1");
    expect(installed()?.webhooks[0]?.clientConfig.url).toMatch(/\/inject\/cluster\/mesh-1$/);
    expect((await register({ clusterId: "mesh-2" })).settings.clusterId).toBe("mesh-2");
  });

  it("replaces a token that no webhook has when a registration was cut off before", async () => {
    const created = "2026-11-01T00:00:00Z";
    const tokens = [{ sha256: "a".repeat(64), created }];
    lab.publisher.records.set("shop", { revisions: { default: "canary" }, arn: CLUSTER.arn, tokens });
    await register();
    expect(lab.publisher.records.get("shop")?.revisions).toEqual({ default: "canary" });
    expect(lab.publisher.records.get("shop")?.tokens).toHaveLength(1);
    expect(lab.publisher.digests()).not.toContain("a".repeat(64));
    expect(installed()).toBeDefined();
  });

  it("warns when istiod's own webhook asks for the same pods", async () => {
    lab.api.put(CONFIGURATION.replace("outrigger-", "istio-"), { metadata: { name: "istio-sidecar-injector" } });
    expect((await register()).warnings[0]).toMatch(
      /istio-sidecar-injector selects the same pods and is called first: Outrigger replaces what it injected/,
    );
  });

  it("is done, with a warning, when the alarm cannot be set", async () => {
    const put = async () => {
      throw new OutriggerError("aws-denied", "no permission");
    };
    const ports = { ...lab.ports, alarm: { ...lab.ports.alarm, put } };
    const { warnings } = await registerCluster(lab.request(), ports);
    expect(warnings).toEqual(["No alarm is set for the case that the cluster stops calling: no permission"]);
    expect(installed()).toBeDefined();
  });

  it("keeps what else is in the record", async () => {
    const tokens: readonly [] = [];
    const kept = { network: "net-9", nativeSidecars: false, revisions: { default: "canary", other: "stable" } };
    lab.publisher.records.set("shop", { ...kept, arn: CLUSTER.arn, tokens });
    await register();
    expect(lab.publisher.records.get("shop")).toMatchObject(kept);
  });

  it("waits while containers do not know the token yet", async () => {
    const { tokens } = lab.webhook;
    let calls = 0;
    lab.webhook.tokens = () => (++calls > 3 ? tokens() : []);
    await register();
    expect(lab.lines.filter((line) => line.includes("does not know the token"))).toHaveLength(3);
  });

  describe("leaves everything as it was", () => {
    const nothing = () => {
      expect(objects()).toEqual([]);
      expect([...lab.publisher.records]).toEqual([]);
      expect([...lab.alarms]).toEqual([]);
    };

    it.each([
      ["answers nonsense", { status: 200, body: "hello" }, "its answer is no AdmissionReview"],
      ["does not know the token", { status: 404, body: "" }, "it does not know the token (HTTP 404)"],
      ["fails", { status: 500, body: "" }, "it answers HTTP 500"],
      ["is behind a policy", { status: 403, body: "" }, "resource policy"],
      [
        "answers another request",
        { status: 200, body: '{"kind":"AdmissionReview","response":{"uid":"x"}}' },
        "another request",
      ],
    ])("when the webhook %s", async (_what, instead, message) => {
      lab.webhook.instead = instead;
      await expect(register()).rejects.toThrow(message);
      nothing();
      expect(lab.lines.at(-1)).toBe("Everything is as it was before");
    });

    it("when nothing listens at the URL", async () => {
      await lab.webhook.close();
      await expect(register()).rejects.toThrow("nothing listens there");
      nothing();
    });

    it("when another product's webhook has the name", async () => {
      const metadata = { name: "outrigger-sidecar-injector", managedFields: [{ manager: "helm" }] };
      lab.api.put(CONFIGURATION, { metadata });
      await expect(register()).rejects.toThrow(
        'has MutatingWebhookConfiguration "outrigger-sidecar-injector" that is not Outrigger\'s (made by helm)',
      );
      expect([...lab.publisher.records]).toEqual([]);
      expect(objects()).toHaveLength(1);
    });

    it("when another deployment's webhook has the name", async () => {
      await register();
      const other = { ...lab.request(), deployment: "prod" };
      await expect(registerCluster(other, lab.ports)).rejects.toThrow('of the deployment "dev"');
    });

    it("when another cluster has the name", async () => {
      const arn = CLUSTER.arn.replace("111122223333", "999900001111");
      lab.publisher.records.set("shop", { revisions: { default: "stable" }, arn, tokens: [] });
      await expect(register()).rejects.toThrow("--as");
      expect(objects()).toEqual([]);
    });

    it("when it has the canary's name", async () => {
      await expect(registerCluster({ ...lab.request(), cluster: "canary" }, lab.ports)).rejects.toThrow("with --as");
      nothing();
    });

    it("when the canary fails and a rollout shall continue", async () => {
      const request = { ...lab.request({ phase: "enforce" }), isCanaryFailing: async () => true };
      await expect(registerCluster(request, lab.ports)).rejects.toThrow("the canary of");
      nothing();
    });

    it("when applying is forbidden", async () => {
      lab.api.faults.push({ method: "PATCH", path: "mutating", status: 403, message: "User x cannot patch" });
      await expect(register()).rejects.toThrow(
        "Not allowed in cluster shop: User x cannot patch; bind the roles that outrigger print rbac prints",
      );
      nothing();
    });

    it("when the API server does not reach the webhook", async () => {
      await register({ phase: "namespace", namespaces: ["default"] });
      const before = installed()?.webhooks;
      // From here it answers, from the API server it does not.
      let calls = 0;
      const { tokens } = lab.webhook;
      lab.webhook.tokens = () => (++calls === 1 ? tokens() : []);
      await expect(register({ phase: "enforce" })).rejects.toThrow(
        /does not get an answer from the webhook.*security group, egress and DNS\) and trusts its certificate \(.*--ca-file/,
      );
      expect(installed()?.webhooks).toEqual(before);
      calls = 0;
      await expect(register({ phase: "cluster" })).rejects.toThrow("security group");
      expect(installed()?.webhooks).toEqual(before);
    });
  });

  it("says what is wrong with the credentials when the cluster does not know them", async () => {
    lab.api.accepts = () => false;
    await expect(register()).rejects.toThrow("aws eks create-access-entry --cluster-name shop");
  });

  it.each([
    [429, "1"],
    [500, undefined],
    [503, "2"],
  ])("tries again when the API server answers %d", async (status, retryAfter) => {
    const fault = { method: "GET", path: "mutating", status, times: 3 };
    lab.api.faults.push(retryAfter === undefined ? fault : { ...fault, retryAfter });
    await register();
    expect(installed()).toBeDefined();
  });

  it("gives up with the way out when the API server stays busy", async () => {
    lab.api.faults.push({ method: "GET", path: "mutating", status: 503 });
    await expect(register()).rejects.toThrow("cannot answer now (HTTP 503, asked 5 times)");
  });

  it("reads lists in pages", async () => {
    lab.api.pageSize = 1;
    await register({ tags: ["a", "b", "c"] });
    expect((await register()).settings.tags).toEqual(["a", "b", "c"]);
  });
});

describe("unregisterCluster()", { timeout: 120_000 }, () => {
  let lab: ClusterLab;
  beforeEach(async () => {
    lab = await openClusterLab();
  });
  afterEach(() => lab.close());

  const unregister = (revision?: string, kube: ClusterLab["ports"]["kube"] | undefined = lab.ports.kube) =>
    unregisterCluster({ ...lab.request(), ...defined({ revision }) }, lab.ports, kube);
  const objects = () => [...lab.api.objects.keys()].filter((path) => path.includes("admissionregistration"));

  it("takes everything away, and is content when there is nothing", async () => {
    await registerCluster(lab.request({ phase: "cluster", tags: ["a"], safetyNet: "warn" }), lab.ports);
    await unregister();
    await unregister();
    expect([objects(), [...lab.publisher.records], [...lab.alarms]]).toEqual([[], [], []]);
    expect(lab.lines.at(-1)).toBe("shop was not registered");
  });

  it("leaves other revisions and other deployments when one revision is named", async () => {
    await registerCluster(lab.request(), lab.ports);
    await registerCluster(lab.request({ revision: "r" }), lab.ports);
    await unregister("r");
    expect(objects()).toEqual([CONFIGURATION]);
    expect(lab.publisher.records.get("shop")?.revisions).toEqual({ default: "stable" });
    expect([...lab.alarms]).toEqual(["shop"]);
  });

  it("removes the record when the cluster is gone", async () => {
    await registerCluster(lab.request(), lab.ports);
    await unregisterCluster(lab.request(), lab.ports, undefined);
    expect([...lab.publisher.records]).toEqual([]);
  });
});
