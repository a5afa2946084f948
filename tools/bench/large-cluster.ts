// `node --import tsx tools/bench/large-cluster.ts --help` prints the options. What the commands that read all pods take for a large cluster:
// time, and memory of the executable itself, each a process of its own. Its API server is here, on loopback, and
// makes its answers up page by page.
import { spawn } from "node:child_process";
import { createServer } from "node:https";
import { loadavg } from "node:os";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { SSMClient } from "@aws-sdk/client-ssm";
import { ssmParameterStore } from "@outrigger/aws";
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import { startFakeServer } from "@outrigger/fake-aws";
import { readSourceTree } from "@outrigger/publisher";
import { openCliLab } from "../../test/eks/cli-lab.ts";
import { labCertificate } from "../../test/eks/lab-certificate.ts";
import { bodyOf, closing, listening } from "../../test/support/loopback.ts";
import { toolOptions } from "../support/tool-options.ts";

const options = toolOptions({
  command: "node --import tsx tools/bench/large-cluster.ts",
  says: "Prints how long commands take for a large cluster, and how much memory: build the executable before.",
  options: {
    namespaces: { type: "integer", least: 1, value: "N", default: 5000, says: "how many namespaces the cluster has" },
    pods: { type: "integer", least: 1, value: "N", default: 50000, says: "how many pods the cluster has" },
    workloads: { type: "integer", least: 1, value: "N", default: 5000, says: "how many workloads the pods are of" },
    only: { type: "string", value: "COMMAND", says: "only commands that begin so, such as diff" },
  },
  example: "node --import tsx tools/bench/large-cluster.ts --namespaces 50 --pods 500",
});
const [NAMESPACES, PODS] = [options.namespaces, options.pods];
const RUNS = 3;
/** Pods of one workload: an API server lists them next to each other. */
const REPLICAS = Math.max(1, Math.ceil(PODS / options.workloads));
/** Kinds of pods that take other branches of the edited templates. */
const KINDS = 24;
/** The executable that is measured; the variable names another one, to compare with. */
const EXECUTABLE = resolve(process.env["OUTRIGGER_EXECUTABLE"] ?? "dist/outrigger.mjs");
/** The figures of these commands before they asked the API server, on a machine with nothing else to do. */
const YARDSTICK = {
  "pods --state missing": "5.0 s, 163 MB",
  pods: "3.6 s of a processor, 186 MB",
  check: "6.9 s, 207 MB",
  "check --section registration": "0.3 s",
  // What they may take.
  "diff stable mine": "25 s, 300 MB",
  "samples mine --dry-run": "5 s for 10,000 pods, 300 MB",
} as const;
const ISTIO = { "pod-security.kubernetes.io/enforce": "restricted", "istio-injection": "enabled" };

const lab = await openCliLab(await readSourceTree("templates"));
lab.namespace("shop", { "istio-injection": "enabled" });
for (const { code, err } of [await lab.run("publish"), await lab.register("--phase", "cluster")]) {
  if (code !== 0) throw new Error(err);
}
/** An edit that changes every pod, with a branch for each kind. */
const branches = Array.from(
  { length: KINDS },
  (_, kind) => `    {{#if (eq metadata.labels.kind "k${kind}")}}\n    - --kind=${kind}\n    {{/if}}\n`,
);
lab.write("mine/config.yaml", "defaultTemplates: [sidecar, agent]\n");
lab.write(
  "mine/templates/agent.hbs",
  `spec:\n  containers:\n  - name: agent\n    image: agent:1\n    args:\n    - run\n${branches.join("")}`,
);

/** A pod as the webhook makes it: its record names the release. */
const injected = await lab.api.direct({
  method: "POST",
  path: "/api/v1/namespaces/shop/pods?dryRun=All",
  body: JSON.stringify({
    metadata: { generateName: "web-5d8f-" },
    spec: { containers: [{ name: "web", image: "web" }] },
  }),
  contentType: "application/json",
});
const { metadata, spec } = JSON.parse(injected.body) as JsonObject;
const owner = { kind: "ReplicaSet", name: "web-{owner}-5d8f", uid: "owner-{owner}", controller: true };
const place = { namespace: "ns-{space}", creationTimestamp: "2030-01-01T00:00:00Z", ownerReferences: [owner] };

const labels = { ...objectOf(objectOf(metadata)["labels"]), kind: "k{kind}" };

/** The text of a pod, in which the others exchange numbers: what is in braces is in no template. */
const pod = JSON.stringify({
  metadata: { name: "web-{owner}-5d8f-{pod}", uid: "uid-{pod}", ...objectOf(metadata), ...place, labels },
  spec,
  status: {
    phase: "Running",
    initContainerStatuses: statusesOf(objectOf(spec)["initContainers"]),
    containerStatuses: statusesOf(objectOf(spec)["containers"]),
  },
});

function statusesOf(containers: unknown): readonly JsonObject[] {
  return objectsOf(containers).map(({ name = "", image = "" }) => ({ name, image, imageID: "", ready: true }));
}

function podText(number: number): string {
  const owner = Math.floor(number / REPLICAS);
  return pod
    .replaceAll("{pod}", `${number}`)
    .replaceAll("{space}", `${owner % NAMESPACES}`)
    .replaceAll("{kind}", `${owner % KINDS}`)
    .replaceAll("{owner}", `${owner}`);
}

function namespaceText(number: number): string {
  const name = number === NAMESPACES ? "default" : `ns-${number}`;
  const labels = { "kubernetes.io/metadata.name": name, ...(number === NAMESPACES ? {} : ISTIO) };
  return JSON.stringify({ metadata: { name, uid: name, labels } });
}

function pageOf(kind: string, total: number, start: number, item: (number: number) => string): string {
  const end = Math.min(start + 500, total);
  const items = Array.from({ length: end - start }, (_, index) => item(start + index));
  const metadata = end < total ? { continue: String(end) } : {};
  return `{"kind":"${kind}","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[${items.join(",")}]}`;
}

const server = createServer(await labCertificate(), async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "https://localhost");
  const start = Number(searchParams.get("continue") ?? 0);
  const sent = await bodyOf(request);
  const page =
    pathname === "/api/v1/pods"
      ? pageOf("PodList", PODS, start, podText)
      : pathname === "/api/v1/namespaces" && pageOf("NamespaceList", NAMESPACES + 1, start, namespaceText);
  const { status, body } = page
    ? { status: 200, body: page }
    : await lab.api.direct({
        method: request.method ?? "",
        path: request.url ?? "",
        body: sent,
        contentType: request.headers["content-type"] ?? "",
      });
  response.writeHead(status, { "content-type": "application/json" }).end(body);
});
const endpoint = `https://127.0.0.1:${await listening(server)}`;
lab.services.clusters.set("shop", { ...lab.services.clusters.get("shop"), endpoint });

const parameters = await startFakeServer();
const client = new SSMClient({ endpoint: parameters.url });
for (const [name, value] of Object.entries(lab.aws.store.values())) {
  await ssmParameterStore(client, parameters.objects).putParameter({ name, value, overwrite: true, tier: "Advanced" });
}
// The bucket that the deployment's head names.
for (const [key, { text }] of lab.aws.store.objects.objectTable())
  await parameters.objects.putObject({ key: `releases/${key}`, text });
const env = { ...process.env, ...lab.services.env, AWS_ENDPOINT_URL_SSM: parameters.url };

/** Writes what the process used as the last line of its standard error. */
const METER = `data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => process.stderr.write('\\n' + JSON.stringify(process.resourceUsage())))",
)}`;

async function run(command: string): Promise<string> {
  const began = performance.now();
  const words = ["--import", METER, EXECUTABLE, ...command.split(" "), "--cluster", "shop", "-o", "json"];
  const child = spawn(process.execPath, words, { cwd: lab.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const [printed, said, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const seconds = (performance.now() - began) / 1000;
  // 0: sound, 1: findings, 3: no AWS says whose the credentials are.
  if ((code !== 0 && code !== 1 && code !== 3) || printed === "") throw new Error(said);
  const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(said.slice(said.lastIndexOf("\n")));
  const processor = (userCPUTime + systemCPUTime) / 1e6;
  return `exit ${code}: ${seconds.toFixed(1)} s, ${processor.toFixed(1)} s of a processor, ${Math.round(maxRSS / 1000)} MB, ${printed.length} bytes printed`;
}

process.stdout.write(
  `${NAMESPACES} namespaces, ${PODS} pods of ${pod.length} bytes; load ${loadavg()[0]?.toFixed(1)}\n`,
);
for (const [command, yardstick] of Object.entries(YARDSTICK)) {
  if (!command.startsWith(options.only ?? "")) continue;
  for (let count = 0; count < RUNS; count++) process.stdout.write(`${command} (${yardstick}): ${await run(command)}\n`);
}
process.stdout.write(`load ${loadavg()[0]?.toFixed(1)}\n`);
client.destroy();
await Promise.all([closing(server), parameters.close(), lab.close()]);
