// Pods and annotations that were written to break the injector, through the handler with the shipped templates.
import { readRelease } from "outrigger:bundled-release";
import { defined, type JsonObject } from "@outrigger/base";
import { applyPatch, type Container, type PatchOperation, type Pod } from "@outrigger/pod";
import { beforeAll, describe, expect, it } from "vitest";
import type { Handler } from "../api-gateway.ts";
import { createHandler } from "../index.ts";

const APP: Container = { name: "app", image: "app", readinessProbe: { httpGet: { path: "/ready", port: 80 } } };
const STATUS = "sidecar.istio.io/status";
const OVERRIDES = "proxy.istio.io/overrides";
const lines: string[] = [];
let handler: Handler;

beforeAll(() => {
  handler = createHandler({ release: readRelease(), write: (line) => lines.push(line) });
});

interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly log: string;
  readonly allowed: boolean;
  readonly message: string;
  readonly audit: Readonly<Record<string, string>>;
  /** The pod with the patch applied. */
  readonly pod: Pod;
}

async function send(pod: object): Promise<Answer> {
  lines.length = 0;
  const request = { uid: "u", namespace: "shop", object: pod };
  const body = JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
  const http = { method: "POST", path: "/inject" };
  const headers = { "content-type": "application/json" };
  const result = await handler({ rawPath: "/inject", headers, requestContext: { http }, body });
  const response = result.statusCode === 200 ? JSON.parse(result.body).response : {};
  const patch: readonly PatchOperation[] =
    response.patch === undefined ? [] : JSON.parse(Buffer.from(response.patch, "base64").toString());
  return {
    status: result.statusCode,
    bytes: result.body.length,
    log: lines.join(""),
    allowed: response.allowed,
    message: response.status?.message ?? result.body,
    audit: response.auditAnnotations ?? {},
    pod: applyPatch(pod as JsonObject, patch),
  };
}

const podWith = (annotations: Readonly<Record<string, string>>, containers: readonly object[] = [APP]) => ({
  metadata: { name: "web", annotations },
  spec: { containers },
});

const namesIn = (pod: Pod) =>
  [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].map(({ name }) => name);

describe("a list of templates", () => {
  it("counts each name once, however often it is repeated", async () => {
    const once = await send(podWith({ "inject.istio.io/templates": "sidecar" }));
    const often = await send(podWith({ "inject.istio.io/templates": Array(5000).fill("sidecar").join(",") }));
    expect(often.allowed).toBe(true);
    expect(often.audit).toEqual(once.audit);
    expect(Math.abs(often.bytes - once.bytes)).toBeLessThan(100);
    expect(Math.abs(often.log.length - once.log.length)).toBeLessThan(20);
  });
});

describe("proxy.istio.io/config", () => {
  it("is denied when aliases multiply its text", async () => {
    const text = `configPath: &a ${"x".repeat(3000)}\nproxyMetadata:\n${Array.from({ length: 99 }, (_, at) => `  K${at}: *a\n`).join("")}`;
    const answer = await send(podWith({ "proxy.istio.io/config": text }));
    expect(answer).toMatchObject({ status: 200, allowed: false });
    expect(answer.message).toContain("aliases make the document too large");
  });

  it("is denied when an alias contains itself", async () => {
    const answer = await send(podWith({ "proxy.istio.io/config": "proxyMetadata: &a {A: *a}" }));
    expect(answer).toMatchObject({ status: 200, allowed: false });
  });

  it("may use a few aliases", async () => {
    const answer = await send(podWith({ "proxy.istio.io/config": "proxyMetadata: {A: &a value, B: *a}" }));
    expect(answer.allowed).toBe(true);
    expect(JSON.stringify(answer.pod)).toContain('\\"B\\":\\"value\\"');
  });
});

const MARKER = "mArKeR";

describe("the log", () => {
  it.each([
    ["prometheus.istio.io/merge-metrics", MARKER],
    ["sidecar.istio.io/proxyCPU", MARKER],
    ["status.sidecar.istio.io/port", MARKER],
    ["inject.istio.io/templates", MARKER],
    ["prometheus.io/port", MARKER],
    ["prometheus.istio.io/scrape-targets", MARKER],
    ["proxy.istio.io/config", `{${MARKER}`],
    ["proxy.istio.io/config", `a: *${MARKER}`],
    ["proxy.istio.io/config", `a: !<${MARKER} b`],
    ["proxy.istio.io/config", `proxyMetadata: {${MARKER}: 1}`],
    ["proxy.istio.io/config", `%${MARKER} 1\n---\na: 1`],
    ["sidecar.istio.io/userVolume", MARKER],
    ["sidecar.istio.io/userVolume", `{"${MARKER}":{"hostPath":{"path":1}}}`],
    ["sidecar.istio.io/userVolume", `[{"name":"${MARKER}","hostPath":{"path":"${MARKER}","type":{}}}]`],
    ["apm.datadoghq.com/env", `["${MARKER}"]`],
    [OVERRIDES, `{"containers":[{"name":"istio-proxy","env":[{"name":"${MARKER}","value":1}]}]}`],
  ])("holds no part of the value of %s: %s", async (key, value) => {
    const answer = await send(podWith({ [key]: value, [STATUS]: '{"containers":["istio-proxy"]}' }));
    expect(answer.log).not.toContain(MARKER);
    expect(answer.status).toBe(200);
    if (!answer.allowed) expect(answer.log).toContain(key);
  });

  it("holds no key or value of a pod with wrong types", async () => {
    const pod = {
      metadata: { labels: { [MARKER]: 1 } },
      spec: { containers: [{ ...APP, env: [{ name: MARKER, value: 1 }] }] },
    };
    const answer = await send(pod);
    expect(answer.log).not.toContain(MARKER);
  });
});

describe("annotations of wrong types", () => {
  it.each([
    ["sidecar.istio.io/userVolume", '{"v":1}'],
    ["sidecar.istio.io/userVolume", '{"v":{"hostPath":{"path":1}}}'],
    ["sidecar.istio.io/userVolume", '{"v":{"secret":[]}}'],
    ["sidecar.istio.io/userVolume", '{"v":null}'],
    ["sidecar.istio.io/userVolume", "3"],
    ["sidecar.istio.io/userVolume", '[{"name":{}}]'],
    ["sidecar.istio.io/userVolume", '[["a"]]'],
    ["sidecar.istio.io/userVolumeMount", '{"v":{"mountPath":1}}'],
    ["sidecar.istio.io/userVolumeMount", '{"v":{"mountPath":{}}}'],
    ["sidecar.istio.io/userVolumeMount", '{"v":{}}'],
    ["sidecar.istio.io/userVolumeMount", '{"v":{"mountPath":"/v","readOnly":"yes"}}'],
    ["sidecar.istio.io/userVolumeMount", '{"v":{"mountPath":"/v","$patch":"x"}}'],
    ["sidecar.istio.io/userVolume", '{"v":{"$patch":"x"}}'],
    ["sidecar.istio.io/userVolume", '{"v":{"$retainKeys":1}}'],
    ["apm.datadoghq.com/env", '{"A":{"b":1}}'],
    ["apm.datadoghq.com/env", '{"A":[1]}'],
    [OVERRIDES, '{"containers":[{"name":"istio-proxy","image":1}]}'],
    [OVERRIDES, '{"containers":[{"name":"istio-proxy","env":1}]}'],
    [OVERRIDES, '{"containers":[{"name":"istio-proxy","env":[1]}]}'],
    [OVERRIDES, '{"containers":[{"name":"istio-proxy","env":[{}]}]}'],
    [OVERRIDES, '{"containers":[{"name":"istio-proxy","securityContext":{"runAsUser":"x"}}]}'],
    [OVERRIDES, '{"containers":[{"name":"istio-proxy","securityContext":7}]}'],
    [OVERRIDES, '{"containers":[{"name":"istio-proxy","args":7}]}'],
    [OVERRIDES, '{"containers":[{"name":"istio-proxy","env":[{"name":"A","$patch":"x"}]}]}'],
    [OVERRIDES, '{"containers":[{"name":"app","ports":{"a":1},"readinessProbe":[]}]}'],
    ["k8s.v1.cni.cncf.io/networks", "["],
  ])("never give a 500: %s: %s", async (key, value) => {
    const answer = await send(podWith({ [key]: value, [STATUS]: '{"containers":["istio-proxy"]}' }));
    expect(answer.status).toBe(200);
    if (!answer.allowed) expect(answer.message).toContain(key);
  });
});

describe("fields and values that the schema does not know", () => {
  const future = { ...APP, newField: { a: [{ b: 1 }] }, readinessProbe: { ...APP.readinessProbe, http3: { port: 1 } } };

  it("are carried over from a container whose probe is rewritten", async () => {
    const { pod } = await send({ metadata: { name: "web" }, spec: { containers: [future] } });
    const app = pod.spec?.containers.find(({ name }) => name === "app");
    expect(namesIn(pod)).toContain("istio-proxy");
    expect(app).toMatchObject({ newField: future.newField, readinessProbe: { http3: { port: 1 } } });
  });

  it("are carried over from the author's own proxy container, also when it is injected again", async () => {
    const proxy = {
      name: "istio-proxy",
      image: "auto",
      newField: { a: { b: 1 } },
      newList: [{ a: 1 }],
      imagePullPolicy: "Lazy",
    };
    const first = await send({ metadata: { name: "web" }, spec: { containers: [APP, proxy], newField: { a: 1 } } });
    expect(first).toMatchObject({ status: 200, allowed: true });
    const injected = [...(first.pod.spec?.initContainers ?? [])].find(({ name }) => name === "istio-proxy");
    expect(injected).toMatchObject({ newField: { a: { b: 1 } }, newList: [{ a: 1 }], imagePullPolicy: "Lazy" });
    const second = await send(first.pod);
    expect(second).toMatchObject({ status: 200, allowed: true });
    expect(second.pod).toEqual(first.pod);
  });

  it("are no reason for a 500 when the author wrote an injected init container among the containers", async () => {
    const init = { name: "istio-init", image: "own", newField: { a: 1 } };
    const answer = await send(podWith({}, [APP, init]));
    expect(answer).toMatchObject({ status: 200, allowed: false });
    expect(answer.message).toContain(
      'must be unique: another container of the pod is named "istio-init"; change spec.containers[1].name',
    );
  });
});

describe("the author's own copy of an injected container", () => {
  it("is denied, and not logged, when an item of it lacks its merge key", async () => {
    const answer = await send(podWith({}, [APP, { name: "istio-proxy", image: "auto", ports: [{ [MARKER]: 1 }] }]));
    expect(answer).toMatchObject({ status: 200, allowed: false });
    expect(answer.message).toContain("istio-proxy");
    expect(answer.message).toContain("containerPort");
    expect(answer.log).not.toContain(MARKER);
  });
});

describe("values in the author's own copy of an injected container, of the right JSON type", () => {
  it.each([
    { resources: { limits: { cpu: MARKER } } },
    { resources: { limits: { cpu: "" } } },
    { resources: { requests: { "example.com/a": "1".repeat(2000) } } },
    { securityContext: { runAsUser: 1e30 } },
    { livenessProbe: { terminationGracePeriodSeconds: 1e30, exec: {} } },
  ])("never give a 500: %j", async (fields) => {
    // An API server sends no such pod, so it is not called one: 400, and not 500 as for a template.
    const proxy = { name: "istio-proxy", image: "auto", ...fields };
    const overrides = JSON.stringify({ containers: [proxy] });
    const status = '{"containers":["istio-proxy"]}';
    const answers = [
      await send(podWith({}, [APP, proxy])),
      await send(podWith({ [OVERRIDES]: overrides, [STATUS]: status }, [APP, proxy])),
      await send(podWith({ [OVERRIDES]: overrides, [STATUS]: status }, [APP, { name: "istio-proxy", image: "x" }])),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([400, 200, 200]);
    for (const { log } of answers) expect(log).not.toContain(MARKER);
  });

  it("never give a 500 in a volume of an annotation", async () => {
    const volume = `{"v":{"emptyDir":{"sizeLimit":"${MARKER}"}}}`;
    const answer = await send(podWith({ "sidecar.istio.io/userVolume": volume }));
    expect(answer).toMatchObject({ status: 200, allowed: false });
    expect(answer.message).toContain("sidecar.istio.io/userVolume");
    expect(answer.log).not.toContain(MARKER);
  });
});

describe("a whole status without its overrides", () => {
  const app = { ...APP, command: ["own"] };

  it.each([
    ["missing", (_: string) => undefined],
    ["empty", (_: string) => "{}"],
    ["cut", (text: string) => text.slice(0, -5)],
    ["changed", (text: string) => text.replace("own", "other")],
  ])("keeps the author's containers when the annotation is %s", async (_, damage) => {
    const author = podWith({ "inject.istio.io/templates": "grpc-agent" }, [app]);
    const { pod: injected } = await send(author);
    const annotations = { ...injected.metadata?.annotations };
    const damaged = damage(annotations[OVERRIDES] ?? "");
    const { [OVERRIDES]: _removed, ...others } = annotations;
    const again = await send({
      ...injected,
      metadata: {
        ...injected.metadata,
        annotations: { ...others, ...defined({ [OVERRIDES]: damaged }) },
      },
    });
    expect(again).toMatchObject({ status: 200, allowed: true });
    expect(again.pod.spec?.containers.find(({ name }) => name === "app")).toMatchObject({
      image: "app",
      command: ["own"],
    });
  });
});
