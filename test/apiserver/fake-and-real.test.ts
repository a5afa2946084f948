// One script against the cluster of `outrigger start --fake` and against a real API server: kubectl answers the same for what the fake
// claims to have, and for every vendored pod where the safety net denies.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@outrigger/base";
import { startFakeCluster } from "@outrigger/fake-aws";
import { buildSafetyNet } from "@outrigger/webhook";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { vendoredSets } from "../../tools/conformance/case-sets.ts";
import { labCertificate } from "../eks/lab-certificate.ts";
import { turnOf } from "../support/in-turn.ts";
import { runProgram } from "../support/run-program.ts";
import { type RealApiServer, startRealApiServer } from "./support/real-api-server.ts";
import { assetsFolder } from "./support/real-lab.ts";
import { inNamespace, withoutReferences } from "./support/vendored-pods.ts";

/** Each commit sends a part of the cases. */
const turn = turnOf("Cases before the safety net", 4);

const POD = {
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "cart" } },
  spec: { containers: [{ name: "app", image: "nginx" }] },
};
const withContainer = (container: object) =>
  JSON.stringify({ ...POD, spec: { containers: [{ ...POD.spec.containers[0], ...container }] } });
const named = (name: string) => JSON.stringify({ ...POD, metadata: { ...POD.metadata, name } });

/** Words of kubectl, and its standard input. */
const SCRIPT: readonly (readonly [words: string, input?: string])[] = [
  ["get ns kube-system"],
  ["get namespaces kube-system -o name"],
  ["create -f -", JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "cart" } })],
  ["create -f -", JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "cart" } })],
  ["get ns cart"],
  ["get ns none"],
  ["get po none -n cart"],
  ["get deploy none -n cart"],
  ["get sts none -n cart"],
  ["get ds,rs,cm/none -n cart"],
  ["get po -n none"],
  ["delete po none -n cart"],
  ["create -f -", JSON.stringify({ ...POD, metadata: { name: "p", namespace: "none" } })],
  ["create -f -", named("W_bad")],
  ["create -f -", withContainer({ ports: [{ containerPort: 70_000 }] })],
  ["create -f -", withContainer({ name: "App" })],
  ["create -f -", withContainer({ volumeMounts: [{ name: "none", mountPath: "/none" }] })],
  ["create -f -", JSON.stringify({ ...POD, spec: { ...POD.spec, serviceAccountName: "none" } })],
  ["create -f - --dry-run=server", named("tried")],
  ["get po tried -n cart"],
  ["create -f -", named("p")],
  ["create -f -", named("p")],
  ["get po -n cart -o name"],
  [
    "get pods p -n cart -o jsonpath={.spec.serviceAccountName},{.spec.restartPolicy},{.spec.containers[0].imagePullPolicy}",
  ],
];

describe("kubectl", () => {
  let api: RealApiServer;
  let fake: Awaited<ReturnType<typeof startFakeCluster>>;
  let folder: string;
  beforeAll(async () => {
    const certificate = await labCertificate();
    api = await startRealApiServer(assetsFolder(), certificate);
    const cluster = { name: "shop", arn: "arn:aws:eks:eu-west-1:111122223333:cluster/shop" };
    fake = await startFakeCluster(certificate, cluster, "token", { values: {}, inject: (pod) => pod });
    folder = mkdtempSync(join(tmpdir(), "outrigger-both-"));
    writeFileSync(join(folder, "real"), api.kubeconfigText());
    writeFileSync(join(folder, "fake"), fake.kubeconfig);
  });
  afterAll(async () => {
    await fake?.close();
    await api?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const kubectl = async (which: "real" | "fake", words: string, input = "") => {
    const argv = [
      "--kubeconfig",
      join(folder, which),
      "--cache-dir",
      join(folder, `${which}-cache`),
      ...words.split(" "),
    ];
    const { code, out, err } = await runProgram("kubectl", argv, { input, timeout: 60_000 });
    return [words, code, comparable(`${out}${err}`)] as const;
  };

  it("answers the same with the fake and with a real API server", async () => {
    const answers = async (which: "real" | "fake") => {
      const said: unknown[] = [];
      for (const [words, input] of SCRIPT) {
        said.push(await kubectl(which, words, input));
        const isMade = said.at(-1) as readonly [string, number, string];
        // The controllers of a real cluster give a namespace its service account.
        if (which === "real" && isMade[2] === "namespace/cart created\n") await untilAccount(api);
      }
      return said;
    };
    const [real, other] = [await answers("real"), await answers("fake")];
    expect(other).toEqual(real);
    expect(real.length).toBe(SCRIPT.length);
  });

  it("lets in, refuses and warns of the same pods for the same reasons, by the safety net alone", async () => {
    const namespace = { metadata: { name: "net", labels: { "istio-injection": "enabled" } } };
    const pods = vendoredPods("net").filter((_, at) => turn.has(Math.floor(at / 2) % turn.shares));
    const answers = async (which: "real" | "fake") => {
      await kubectl(which, "create -f -", JSON.stringify({ apiVersion: "v1", kind: "Namespace", ...namespace }));
      if (which === "real") await untilAccount(api, "net");
      // No webhook is asked: what istiod has on the fake would be.
      if (which === "fake") await kubectl(which, "delete mutatingwebhookconfigurations --all");
      await kubectl(which, "create --validate=false -f -", listOf(net("deny")));
      const bare = { ...POD, metadata: { name: "bare", namespace: "net" } };
      // An API server takes some moments for a policy; to ask it costs less than to start kubectl.
      const untilTaken = async (isTaken: boolean) => {
        if (which === "fake") return;
        const asked = () => api.admin.createDryRun("/api/v1/namespaces/net/pods", bare);
        const taken = async () =>
          asked().then(
            () => true,
            () => false,
          );
        await vi.waitFor(async () => expect(await taken()).toBe(isTaken), { timeout: 60_000, interval: 200 });
      };
      await untilTaken(false);
      const denied = await kubectl(which, "create -f - --dry-run=server --validate=false", listOf(pods));
      await kubectl(which, "replace --validate=false -f -", listOf(net("warn")));
      await untilTaken(true);
      const warned = await kubectl(which, "create -f - --dry-run=server", JSON.stringify(bare));
      expect(warned[1]).toBe(0);
      await kubectl(which, "delete -f -", listOf(net("warn")));
      // Which fields are wrong in a pod that neither takes, and what the real one warns of besides, is another matter.
      const lines = denied[2].split("\n").filter((line) => !/^Warning: (?!Validation failed)/.test(line));
      const verdicts = lines.map((line) => line.replace(/(Pod "\S+" is invalid): .*/, "$1"));
      return { denied: verdicts, warned };
    };
    const [real, other] = [await answers("real"), await answers("fake")];
    const count = (text: string) => real.denied.filter((line) => line.includes(text)).length;
    console.log(
      `${pods.length} pods: ${count("created")} let in, ${count("ValidatingAdmissionPolicy")} denied by the net`,
    );
    expect(other).toEqual(real);
    expect(count("created")).toBeGreaterThan(pods.length / 10);
    expect(count("ValidatingAdmissionPolicy")).toBeGreaterThan(pods.length / 10);
  });

  // No kubelet is there to make the real one ready.
  it("has the columns of a real API server for a pod", async () => {
    const headers = async (which: "real" | "fake") => {
      const [, , said] = await kubectl(which, "get po -n cart");
      return said.split("\n")[0]?.split(/ +/);
    };
    expect(await headers("fake")).toEqual(await headers("real"));
    expect(await headers("real")).toEqual(["NAME", "READY", "STATUS", "RESTARTS", "AGE"]);
  });

  it.each([
    ["StatefulSet", "controller of StatefulSets"],
    ["DaemonSet", "controller of DaemonSets"],
  ])("is told by the fake that it runs no %s", async (kind, lacks) => {
    const object = { apiVersion: "apps/v1", kind, metadata: { name: "db", namespace: "shop" }, spec: {} };
    const [, code, said] = await kubectl("fake", "create --validate=false -f -", JSON.stringify(object));
    expect([code, said]).toEqual([1, expect.stringContaining(`this fake has no ${lacks}: make a Deployment`)]);
  });

  it("is told by the fake that pods cannot be resized", async () => {
    const patch = JSON.stringify({ spec: { containers: [{ name: "app", resources: { requests: { cpu: "1" } } }] } });
    const [, code, said] = await kubectl("fake", `patch pod p -n cart --subresource resize -p ${patch}`);
    expect([code, said]).toEqual([1, expect.stringMatching(/NotFound|could not find the requested resource/)]);
  });

  it.each(["nodes", "events", "resourcequotas", "limitranges"])("is told that the fake has no %s", async (plural) => {
    const [, code, said] = await kubectl("fake", `get ${plural}`);
    expect([code, said]).toEqual([1, expect.stringContaining(`resource type "${plural}"`)]);
  });
});

/** Without ages, and without what an API server says of a value after the field that is wrong. */
function comparable(said: string): string {
  return said.replaceAll(/ \d+(?:s|m\d*s?|h|d)$/gm, " AGE").replaceAll(/(is invalid: [\w.[\]]+): .*/g, "$1: …");
}

async function untilAccount({ admin }: Pick<RealApiServer, "admin">, namespace = "cart"): Promise<void> {
  while ((await admin.get(`/api/v1/namespaces/${namespace}/serviceaccounts/default`)) === undefined)
    await new Promise((resolve) => setTimeout(resolve, 100));
}

function net(safetyNet: "deny" | "warn"): readonly object[] {
  const place = { deployment: "prod", url: "https://hook.example.com", token: "t".repeat(43), revision: "default" };
  return buildSafetyNet({ ...place, tags: [], phase: "cluster", namespaces: [], timeoutSeconds: 10, safetyNet });
}

function listOf(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}

/** The pods of the vendored cases as their authors wrote them, and as they are injected, with images that can be pulled by name. */
function vendoredPods(namespace: string): readonly object[] {
  const cases = vendoredSets().flatMap((set) => set.cases);
  return cases.flatMap(({ request, expect: { pod } }, index) =>
    [request.object, pod].flatMap((one, at) =>
      one === undefined ? [] : [inNamespace(namespace, withImages(withoutReferences(one)), `case-${index}-${at}`)],
    ),
  );
}

/** An empty hub makes names that no API server takes. */
function withImages(pod: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(pod, (key, value) => (key === "image" && value !== "auto" ? "app:1" : value)));
}
