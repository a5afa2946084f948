// A real control plane on loopback: etcd, kube-apiserver and kube-controller-manager, from the folder that KUBEBUILDER_ASSETS names by
// envtest's convention. Every start has a fresh folder and free ports, and ends what it started.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { httpCall } from "@outrigger/aws";
import type { JsonObject } from "@outrigger/base";
import type { Certificate } from "@outrigger/cli";
import { openKube } from "@outrigger/cluster";
import { metadataOf } from "@outrigger/pod";
import { startTokenReview } from "./token-review.ts";

/** What a control plane needs of the folder of envtest. */
export const PROGRAMS = ["etcd", "kube-apiserver", "kube-controller-manager"] as const;

export type RealApiServer = Awaited<ReturnType<typeof startRealApiServer>>;

/** The controllers that a test may need. Each of the others reads lists of its own and watches them all the time. */
const CONTROLLERS = [
  ...["namespace", "serviceaccount", "garbage-collector", "resourcequota", "disruption"],
  ...["node-lifecycle", "validatingadmissionpolicy-status"],
  ...["deployment", "replicaset", "statefulset", "daemonset", "job", "cronjob"],
];

/** The token of the principal that may do everything. */
const ADMIN = "admin-token";

/**
 * Starts a control plane.
 *
 * @param assets the folder with the programs
 * @param certificate of every server, for `localhost` and 127.0.0.1
 */
export async function startRealApiServer(assets: string, certificate: Certificate) {
  const folder = mkdtempSync(join(tmpdir(), "outrigger-control-plane-"));
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const [key, cert] = [file("key.pem", certificate.key), file("cert.pem", certificate.cert)];
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const privateKey = file("sa.key", String(pair.privateKey.export({ type: "sec1", format: "pem" })));
  const publicKey = file("sa.pub", String(pair.publicKey.export({ type: "spki", format: "pem" })));
  const tokens = [
    `${ADMIN},admin,admin,"system:masters"`,
    'controllers-token,system:kube-controller-manager,controllers,""',
  ];
  const [client, peer, port] = await freePorts();
  const review = await startTokenReview();
  const config = (name: string, server: string, token: string, ca?: string) => {
    const cluster = { server, ...(ca !== undefined && { "certificate-authority": ca }) };
    return file(name, JSON.stringify(kubeconfigOf(cluster, token)));
  };
  const url = `https://127.0.0.1:${port}`;
  const rules = [{ level: "Metadata", userGroups: ["outrigger-registrars"] }, { level: "None" }];
  const audit = file(
    "audit.json",
    JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", omitStages: ["RequestReceived"], rules }),
  );
  const running: ChildProcess[] = [];
  const run = (program: (typeof PROGRAMS)[number], ...args: readonly string[]) => {
    const child = spawn(join(assets, program), args, { stdio: ["ignore", "pipe", "pipe"] });
    const log = createWriteStream(join(folder, `${program}.log`), { flags: "a" });
    child.stdout.pipe(log);
    child.stderr.pipe(log);
    running.push(child);
    return child;
  };
  const apiServer = () =>
    run(
      "kube-apiserver",
      `--etcd-servers=http://127.0.0.1:${client}`,
      `--secure-port=${port}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      `--tls-cert-file=${cert}`,
      `--tls-private-key-file=${key}`,
      `--service-account-key-file=${publicKey}`,
      `--service-account-signing-key-file=${privateKey}`,
      "--service-account-issuer=https://kubernetes.default.svc",
      "--service-cluster-ip-range=10.96.0.0/16",
      "--authorization-mode=RBAC",
      `--token-auth-file=${file("tokens.csv", tokens.join("\n"))}`,
      `--authentication-token-webhook-config-file=${config("review.kubeconfig", review.url, "none")}`,
      "--authentication-token-webhook-version=v1",
      "--allow-privileged=true",
      // One client at a time has nobody to be fair to, and what keeps count of it works all the time.
      "--enable-priority-and-fairness=false",
      "--endpoint-reconciler-type=none",
      `--audit-policy-file=${audit}`,
      `--audit-log-path=${join(folder, "audit.log")}`,
    );
  // A build of its own takes three arguments; upstream's has flags and a version.
  const etcd = !isUpstream(join(assets, "etcd"))
    ? [join(folder, "etcd"), String(client), String(peer)]
    : [
        `--data-dir=${join(folder, "etcd")}`,
        `--listen-client-urls=http://127.0.0.1:${client}`,
        `--advertise-client-urls=http://127.0.0.1:${client}`,
        `--listen-peer-urls=http://127.0.0.1:${peer}`,
        "--unsafe-no-fsync",
      ];
  mkdirSync(join(folder, "etcd"));
  run("etcd", ...etcd);
  const state = { server: apiServer() };
  const admin = openKube(
    { name: "real", url, ca: certificate.cert, token: async () => ADMIN, remediation: "look" },
    sleep,
  );
  const logOf = (program: (typeof PROGRAMS)[number]) => readFileSync(join(folder, `${program}.log`), "utf8");
  const isReady = async () => {
    const signal = AbortSignal.timeout(10_000);
    const call = { method: "GET", signal, headers: { authorization: `Bearer ${ADMIN}` }, agent: false, limit: 100_000 };
    return (await httpCall(new URL(`${url}/readyz`), { ...call, ca: certificate.cert })).status === 200;
  };
  // Not its namespaces alone: its controllers end where the roles of the system are not there within 10 s.
  const untilServing = () => untilSo("The API server is ready", isReady, () => logOf("kube-apiserver"));
  await untilServing();
  run(
    "kube-controller-manager",
    `--kubeconfig=${config("controllers.kubeconfig", url, "controllers-token", cert)}`,
    "--use-service-account-credentials",
    "--leader-elect=false",
    "--secure-port=0",
    `--service-account-private-key-file=${privateKey}`,
    `--root-ca-file=${cert}`,
    "--node-monitor-grace-period=3600s",
    `--controllers=${CONTROLLERS.map((name) => `${name}-controller`).join()}`,
    "--kube-api-qps=200",
    "--kube-api-burst=400",
  );
  // Admission lets no pod in before its namespace has a service account.
  const serviceAccount = "/api/v1/namespaces/default/serviceaccounts/default";
  const hasServiceAccount = async () => (await admin.get(serviceAccount)) !== undefined;
  await untilSo("The controllers are at work", hasServiceAccount, () => logOf("kube-controller-manager"));
  return {
    url,
    ca: certificate.cert,
    /** A client that may do everything. */
    admin,
    /** Writes the status of a pod, as its kubelet does. */
    setStatus: (path: string, status: JsonObject) =>
      admin.mergePatch(`${path}/status`, { status }, { manager: "kubelet" }),
    /** Calls when an object of a list has changed, and when that may be: also after the API server was away. */
    watch: (path: string, changed: () => void) =>
      watchList(new URL(`${url}${path}?watch=1`), certificate.cert, changed),
    /** A kubeconfig, of the administrator where no other token is given. */
    kubeconfigText: (token = ADMIN) =>
      JSON.stringify(kubeconfigOf({ server: url, "certificate-authority": cert }, token)),
    /** Applies an object under another field manager, as another tool does. */
    async applyAs(manager: string, path: string, { metadata, ...object }: JsonObject) {
      const { name, labels, annotations } = metadataOf({ metadata });
      const body = JSON.stringify({ ...object, metadata: { name, labels, annotations } });
      const { status, bytes } = await httpCall(new URL(`${url}${path}?fieldManager=${manager}&force=true`), {
        method: "PATCH",
        signal: AbortSignal.timeout(10_000),
        headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/apply-patch+yaml" },
        agent: false,
        ca: certificate.cert,
        body,
        limit: 1_000_000,
      });
      if (status !== 200 && status !== 201) throw new Error(String(bytes));
    },
    /** Every request of EKS's principal so far, in order: `patch /apis/… 422`. */
    requests: () => {
      const lines = readFileSync(join(folder, "audit.log"), "utf8")
        .split("\n")
        .filter((line) => line !== "");
      return lines.map((line) => {
        const { verb, requestURI, responseStatus } = JSON.parse(line) as AuditEvent;
        return `${verb} ${requestURI} ${responseStatus?.code}`;
      });
    },
    /** Kills the API server as a machine that fails does; `start` starts it again on the same store. */
    kill: () => ended(state.server, "SIGKILL"),
    start: async () => {
      state.server = apiServer();
      await untilServing();
    },
    async close() {
      await Promise.all(running.map((child) => ended(child, "SIGKILL")));
      await review.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function watchList(url: URL, ca: string, changed: () => void) {
  const over = new AbortController();
  const { signal } = over;
  const ended = (async () => {
    while (!signal.aborted) {
      const options = { ca, signal, agent: false, headers: { authorization: `Bearer ${ADMIN}` } } as const;
      await new Promise<void>((resolve) => {
        const answered = (response: IncomingMessage) => response.on("data", changed).on("error", resolve);
        request(url, options, (response) => answered(response).on("close", resolve))
          .on("error", () => resolve())
          .end();
      });
      changed();
      await pause(250, undefined, { signal }).catch(() => {});
    }
  })();
  return {
    stop: () => {
      over.abort();
      return ended;
    },
  };
}

interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly responseStatus?: { readonly code: number };
}

function isUpstream(etcd: string): boolean {
  return spawnSync(etcd, ["--version"], { encoding: "utf8" }).stdout.startsWith("etcd Version");
}

function kubeconfigOf(cluster: object, token: string) {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "real", cluster }],
    users: [{ name: "user", user: { token } }],
    contexts: [{ name: "real", context: { cluster: "real", user: "user" } }],
    "current-context": "real",
  };
}

const sleep = (milliseconds: number): Promise<void> => pause(milliseconds);

/**
 * Ports that are free now, below those that a system gives to who asks for any: until the programs listen, which takes seconds on a busy
 * machine, one of those goes to a server or a connection of another test. Processes that follow one another have ports apart.
 */
async function freePorts(): Promise<readonly [number, number, number]> {
  for (;;) {
    const first = 10_000 + 3 * ((process.pid * 64 + tried++) % 6400);
    const ports = [first, first + 1, first + 2] as const;
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return ports;
  }
}

let tried = 0;

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** Waits until it is so. A machine that has other things to do takes a minute for what takes four seconds alone. */
async function untilSo(what: string, isSo: () => Promise<boolean>, log: () => string): Promise<void> {
  const end = Date.now() + 120_000;
  while (Date.now() < end) {
    // What is not up yet answers with an error.
    if (await isSo().catch(() => false)) return;
    await sleep(100);
  }
  throw new Error(`Not so within two minutes: ${what}: ${log().slice(-2000)}`);
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill(signal);
  });
}
