import type { JsonObject } from "@outrigger/base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { type FakeApiServer, startFakeApiServer } from "../../test/eks/fake-api-server.ts";
import { makeCertificate } from "../server/certificate.ts";

const MAPS = "/api/v1/namespaces/istio-system/configmaps";
const TEMPLATE = `metadata:
  annotations:
    istio.io/rev: {{ .Revision | quote }}
spec:
  containers:
  - name: agent
    image: "{{ .Values.global.hub }}/agent:{{ .Values.global.tag }}"
    env:
    - name: WORKLOAD
      value: {{ .DeploymentMeta.Name | quote }}
    resources:
      limits:
        cpu: 1000m
`;
const CONFIG = JSON.stringify({ policy: "enabled", defaultTemplates: ["agent"], templates: { agent: TEMPLATE } });
const SHIPPED = {
  "values/00-default": "global: {}\n",
  "samples/plain": "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n",
};

const configMap = (name: string, data: Readonly<Record<string, string>>): JsonObject => ({
  metadata: { name, namespace: "istio-system" },
  data,
});

/** What Istio's injector writes into every pod, with a proxy or without. */
const MERGED = {
  "prometheus.io/port": "15020",
  "prometheus.io/path": "/stats/prometheus",
  "prometheus.io/scrape": "true",
};

/** A pod as it is stored, with an agent that an injector added. */
function runningPod(name: string, env: readonly JsonObject[], status = "agent", scrape: JsonObject = {}): JsonObject {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-5d8f", uid: "u", controller: true };
  const stored = { terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" };
  const mount = {
    name: "kube-api-access-x",
    mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
    readOnly: true,
  };
  return {
    metadata: {
      name,
      namespace: "shop",
      labels: { app: "web", "pod-template-hash": "5d8f" },
      annotations: {
        "sidecar.istio.io/status": JSON.stringify({ containers: [status] }),
        "istio.io/rev": "blue",
        ...scrape,
      },
      ownerReferences: [{ ...owner, name: name.slice(0, -2) }],
    },
    spec: {
      volumes: [{ name: "kube-api-access-x", projected: { sources: [] } }],
      containers: [
        { name: "web", image: "web", ...stored, imagePullPolicy: "Always", volumeMounts: [mount] },
        {
          name: "agent",
          image: "registry.example/agent:1.30.2",
          env: [{ name: "WORKLOAD", value: "web" }, ...env],
          resources: { limits: { cpu: "1" }, requests: { cpu: "1" } },
          ...stored,
          imagePullPolicy: "IfNotPresent",
          volumeMounts: [mount],
        },
      ],
    },
    status: { phase: "Running" },
  };
}

describe("outrigger import --context", () => {
  let api: FakeApiServer;
  let cli: ReturnType<typeof fakeCli>;
  beforeAll(async () => {
    const certificate = await makeCertificate(["localhost", "127.0.0.1"]);
    api = await startFakeApiServer(certificate);
    cli = fakeCli(fakeAws().connect, SHIPPED);
    const kubeconfig = {
      contexts: [{ name: "prod", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: api.url, "certificate-authority-data": btoa(certificate.cert) } }],
      users: [{ name: "u", user: { token: "t" } }],
    };
    cli.write("kubeconfig", JSON.stringify(kubeconfig));
    cli.write("current", JSON.stringify({ ...kubeconfig, "current-context": "prod" }));
    const values = JSON.stringify({ global: { hub: "registry.example", tag: "1.30.2" } });
    api.put(
      `${MAPS}/istio-sidecar-injector-blue`,
      configMap("istio-sidecar-injector-blue", { config: CONFIG, values }),
    );
    api.put(`${MAPS}/istio-blue`, configMap("istio-blue", { mesh: "trustDomain: example.org\n" }));
    for (const [name, created] of [
      ["new", "2026-02-01T00:00:00Z"],
      ["old", "2026-01-01T00:00:00Z"],
    ] as const) {
      const metadata = { name, namespace: "shop", creationTimestamp: created, uid: name };
      api.objects.set(`/apis/networking.istio.io/v1beta1/proxyconfigs/${name}`, { metadata, spec: { concurrency: 1 } });
    }
    for (const name of ["web-5d8f", "api-77aa"]) {
      const template = {
        metadata: { labels: { app: "web", "pod-template-hash": name.slice(-4) } },
        spec: { containers: [{ name: "web", image: "web" }] },
      };
      api.put(`/apis/apps/v1/namespaces/shop/replicasets/${name}`, {
        metadata: { name, namespace: "shop" },
        spec: { template },
      });
    }
  });
  afterAll(async () => {
    cli.remove(".");
    await api.close();
  });

  const run = (line: string) => cli.run(`import --kubeconfig kubeconfig --context prod ${line}`);

  it("names the revisions where the one that is meant has no injector", async () => {
    const { code, err } = await run("-o tree");
    expect(code).toBe(2);
    expect(err).toBe(
      "Cannot import: namespace istio-system has no injector of revision default; name one with --revision: blue\n",
    );
    expect((await run("-o tree -n elsewhere")).err).toContain("name istiod's namespace with -n");
    // Without --context, the current one of the kubeconfig.
    expect((await cli.run("import --kubeconfig current -o tree")).err).toBe(err);
  });

  it("reads the ConfigMaps and ProxyConfigs of a revision, and writes a test for each sample", async () => {
    const { code, out, err } = await run("-o tree --revision blue");
    expect([code, err]).toEqual([0, ""]);
    expect(cli.read("tree/config.yaml")).toContain('istio: "1.30"\n');
    expect(cli.read("tree/mesh.yaml")).toBe("trustDomain: example.org\n");
    expect(cli.read("tree/proxyconfigs.yaml").match(/name: \w+/g)).toEqual(["name: old", "name: new"]);
    expect(cli.read("tree/templates/agent.hbs")).toContain('value: "{{owner.name}}"');
    expect(out).toContain("Wrote a test for each sample: plain\n");
    expect(cli.read("tree/tests/plain/expected.yaml")).toContain("registry.example/agent:1.30.2");
    expect((await cli.run("test tree")).out).toContain("1 of 1 tests passed");
    expect(api.calls.filter((call) => !call.startsWith("GET "))).toEqual([]);
  });

  it("compares what runs with what the tree injects, by kind, and changes nothing", async () => {
    api.put("/api/v1/namespaces/shop/pods/web-5d8f-1", runningPod("web-5d8f-1", []));
    expect((await run("-o tree --revision green --compare")).out).toContain("Nothing was compared: no workload runs");
    const pods = await cli.json("import --kubeconfig kubeconfig --context prod -o tree --revision blue --compare");
    expect(pods.compared).toMatchObject({ workloads: 1, equal: 1, differences: [] });
    // Without a proxy nobody listens there: docs/differences.md.
    api.put("/api/v1/namespaces/shop/pods/web-5d8f-1", runningPod("web-5d8f-1", [], "agent", MERGED));
    const merged = await run("-o tree --revision blue --compare");
    for (const key of Object.keys(MERGED)) expect(merged.out).toContain(`annotations[${key}] only today`);
    expect(merged.err).toBe("1 of 1 workloads would be injected otherwise\n");
    api.put("/api/v1/namespaces/shop/pods/web-5d8f-1", runningPod("web-5d8f-1", []));
    const other = runningPod("api-77aa-1", [{ name: "GOMAXPROCS", value: "1" }]);
    api.put("/api/v1/namespaces/shop/pods/api-77aa-1", other);
    const { code, out, err } = await run("-o tree --revision blue --compare");
    expect(out).toContain("1 of 2 workloads would be injected as they are today\n");
    expect(out).toContain(
      'containers[agent].env[WORKLOAD].value differs: "web" today, "api" imported; for example shop/api-77aa-1\n',
    );
    expect(out).toContain("containers[agent].env[GOMAXPROCS] only today; for example shop/api-77aa-1\n");
    expect([code, err]).toEqual([1, "1 of 2 workloads would be injected otherwise\n"]);
    expect(api.calls.filter((call) => !call.startsWith("GET "))).toEqual([]);
  });

  it("compares no pod that is of another pod", async () => {
    const pod = runningPod("attached-1", []);
    const owner = { apiVersion: "v1", kind: "Pod", name: "web-5d8f-1", uid: "u", controller: true };
    const path = "/api/v1/namespaces/shop/pods";
    api.put(`${path}/web-5d8f-1`, runningPod("web-5d8f-1", []));
    api.put(`${path}/attached-1`, {
      ...pod,
      metadata: { ...(pod["metadata"] as JsonObject), ownerReferences: [owner] },
    });
    const { out } = await run("-o tree --revision blue --compare");
    expect(out).toContain("Skipped shop/attached-1: it has no controller whose template says what its author wrote\n");
  });

  it("asks for what is missing", async () => {
    expect((await cli.run("import -o other")).err).toContain(
      "name at least one file with -f, or a cluster with --context",
    );
    expect((await cli.run("import -f a.yaml -o other --compare")).err).toContain("name the cluster with --context");
  });
});
