import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { OutriggerError, objectOf } from "@outrigger/base";
import { compileRelease, type InjectRequest, injectPod, loadRelease } from "@outrigger/injector";
import { admit } from "@outrigger/serving";
import { afterEach, describe, expect, it } from "vitest";
import { readMetrics } from "../../test/support/read-metrics.ts";
import { type CanaryOptions, createCanary } from "./canary.ts";

const TOKEN = "t0ken-".padEnd(43, "A");
const OTHER_TOKEN = "other-".padEnd(43, "B");
const SIDECAR = [{ op: "add", path: "/spec/containers/-", value: { name: "istio-proxy", image: "p" } }];
const INIT = [{ op: "add", path: "/spec/initContainers", value: [{ name: "istio-proxy", image: "p" }] }];

type Answer = (request: { path: string; review: Review }, response: ServerResponse) => void;
interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly object: object };
}

let stop: (() => Promise<void>) | undefined;

afterEach(async () => {
  await stop?.();
  stop = undefined;
});

async function serve(answer: Answer): Promise<string> {
  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      answer({ path: request.url ?? "", review: JSON.parse(Buffer.concat(chunks).toString()) }, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stop = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function reviewed(review: Review, response: object): string {
  return JSON.stringify({
    apiVersion: review.apiVersion,
    kind: "AdmissionReview",
    response: { uid: review.request.uid, allowed: true, ...response },
  });
}

function patchOf(operations: unknown): object {
  return { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(operations)).toString("base64") };
}

function injecting(operations: unknown): Answer {
  return ({ review }, response) => response.end(reviewed(review, patchOf(operations)));
}

function canaryOf(url: string, options: Partial<CanaryOptions> = {}) {
  const lines: string[] = [];
  let time = 0;
  const run = createCanary({
    url,
    stage: "dev",
    readToken: async () => TOKEN,
    write: (line) => lines.push(line),
    now: () => (time += 7),
    ...options,
  });
  return { run, lines };
}

function countsOf(line: string | undefined): Readonly<Record<string, number>> {
  return Object.fromEntries(readMetrics(line ?? "").map(({ name, value }) => [name, value]));
}

describe("createCanary()", () => {
  it.each([
    ["a container", SIDECAR],
    ["an init container", INIT],
  ])("succeeds when the answer injects %s", async (_what, patch) => {
    const paths: string[] = [];
    const answer = injecting(patch);
    const url = await serve((asked, response) => {
      paths.push(asked.path);
      answer(asked, response);
    });
    const { run, lines } = canaryOf(`${url}/`);
    const result = await run();
    expect(result).toEqual({ succeeded: true, status: 200, milliseconds: 7, uid: expect.any(String) });
    expect(paths).toEqual([`/t/${TOKEN}/inject/cluster/canary?timeout=5000ms`]);
    expect(lines).toHaveLength(1);
    expect(countsOf(lines[0])).toEqual({ CanarySucceeded: 1, CanaryLatency: 7 });
    expect(JSON.parse(lines[0] as string)).toMatchObject({ level: "info", event: "canary", uid: result.uid });
  });

  it("takes an answer without a patch where a deployment says itself who gets what, and no denial", async () => {
    const url = await serve(({ review }, response) => response.end(reviewed(review, {})));
    expect(await canaryOf(url, { mayAddNothing: true }).run()).toMatchObject({ succeeded: true });
    await stop?.();
    const denying = await serve(({ review }, response) => response.end(reviewed(review, { allowed: false })));
    const denied = await canaryOf(denying, { mayAddNothing: true }).run();
    expect(denied).toMatchObject({ succeeded: false, problem: "the pod was denied" });
  });

  describe("against what a release answers", () => {
    const LABEL = "logs.example.com/inject";
    const TEMPLATE = "spec: {containers: [{name: log-shipper, image: registry.example/logs:1}]}\n";

    /** The URL of the real webhook with a release, and the labels of the pods that it was asked about. */
    async function serveTree(config: string) {
      const injector = loadRelease(compileRelease([{}, { config, "templates/logs": TEMPLATE }]));
      const asked: unknown[] = [];
      const service = { inject: (request: InjectRequest) => injectPod(injector, request), release: "r1" };
      const url = await serve(async ({ path, review }, response) => {
        asked.push(objectOf(objectOf(objectOf(review.request.object)["metadata"])["labels"]));
        const headers = { "content-type": "application/json" };
        const request = { method: "POST", path: path.split("?")[0] ?? "", query: {}, headers };
        const reply = await admit({ ...request, body: JSON.stringify(review) }, { find: () => service, now: () => 0 });
        response.writeHead(reply.status).end(reply.body);
      });
      return { url, asked };
    }

    it("asks by the label of the release, which it keeps", async () => {
      const tree = `injectionLabel: ${LABEL}\npolicy: disabled\ndefaultTemplates: [logs]\n`;
      const { url, asked } = await serveTree(tree);
      const { run, lines } = canaryOf(url);
      expect(await run()).toMatchObject({ succeeded: true });
      expect(await run()).toMatchObject({ succeeded: true });
      expect(asked).toEqual([{ "sidecar.istio.io/inject": "true" }, { [LABEL]: "true" }, { [LABEL]: "true" }]);
      expect(lines).toHaveLength(2);
    });

    it("takes that no template is for its pod", async () => {
      const match = "defaultTemplates: [{name: logs, match: {podLabels: {logs: yes-please}}}]\n";
      for (const label of ["", `injectionLabel: ${LABEL}\npolicy: disabled\n`]) {
        const { url } = await serveTree(label + match);
        expect(await canaryOf(url).run()).toMatchObject({ succeeded: true });
        await stop?.();
      }
    });

    it("fails where the policy is not known", async () => {
      const { url } = await serveTree("policy: sometimes\ndefaultTemplates: [logs]\n");
      expect(await canaryOf(url).run()).toMatchObject({ succeeded: false, problem: "no sidecar was injected" });
    });
  });

  it.each<[string, Answer, string]>([
    ["is not JSON", (_, response) => response.end("<html>"), "the answer is no AdmissionReview"],
    ["is JSON of something else", (_, response) => response.end("[]"), "the answer is no AdmissionReview"],
    ["is empty", (_, response) => response.end(), "the answer is no AdmissionReview"],
    [
      "is for another request",
      ({ review }, response) => response.end(reviewed(review, { ...patchOf(SIDECAR), uid: "other" })),
      "the answer is for another request",
    ],
    ["denies", ({ review }, response) => response.end(reviewed(review, { allowed: false })), "the pod was denied"],
    ["has no patch", ({ review }, response) => response.end(reviewed(review, {})), "no sidecar was injected"],
    [
      "changes something else",
      injecting([{ op: "add", path: "/metadata/labels/a", value: "b" }]),
      "no sidecar was injected",
    ],
    ["has a patch that is no list", injecting({}), "the patch does not apply"],
    ["has a patch of numbers", injecting([1]), "the patch does not apply"],
    ["has a patch that misses", injecting([{ op: "remove", path: "/spec/volumes/0" }]), "the patch does not apply"],
    [
      "has a patch that is no base64",
      ({ review }, response) => response.end(reviewed(review, { patchType: "JSONPatch", patch: "%%%" })),
      "the patch does not apply",
    ],
    [
      "takes the container away",
      injecting([{ op: "replace", path: "/spec/containers", value: [{ name: "istio-proxy" }, { name: "x" }] }]),
      "the patch takes the pod's own container away",
    ],
    [
      "is a redirect",
      (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
      "the answer is HTTP 302",
    ],
    ["is a throttle", (_, response) => response.writeHead(429).end(), "the call was throttled (HTTP 429)"],
    ["is a failure", ({ path }, response) => response.writeHead(500).end(path), "the answer is HTTP 500"],
    ["never ends", (_, response) => void response.write("x".repeat(100)), "no answer came within 0.1 s"],
    ["never comes", () => undefined, "no answer came within 0.1 s"],
    ["is cut off", (_, response) => void response.socket?.destroy(), "the call failed: ECONNRESET"],
    [
      "is too long",
      (_, response) => response.end("x".repeat(1024 * 1024 + 1)),
      "the answer is longer than any of ours",
    ],
  ])("fails, and does not tell the token, when the answer %s", async (_what, answer, problem) => {
    const { run, lines } = canaryOf(await serve(answer), { timeout: problem.startsWith("no answer") ? 100 : 5000 });
    const result = await run();
    expect(result).toMatchObject({ succeeded: false, problem });
    expect(lines).toHaveLength(1);
    expect(countsOf(lines[0])).toEqual({ CanaryFailed: 1, CanaryLatency: 7 });
    expect(lines[0] + JSON.stringify(result)).not.toContain(TOKEN);
  });

  it("fails without the URL in its words when nobody listens or the URL is wrong", async () => {
    const url = await serve(injecting(SIDECAR));
    await stop?.();
    expect(await canaryOf(url).run()).toMatchObject({ problem: "the call failed: ECONNREFUSED" });
    const { run, lines } = canaryOf("nowhere");
    expect(await run()).toMatchObject({ succeeded: false, problem: "the call failed: ERR_INVALID_URL" });
    expect(lines.join()).not.toContain(TOKEN);
  });

  it("connects to the host that it is given, under the name and with the header of the URL", async () => {
    const url = await serve(injecting(SIDECAR));
    // Nobody knows the name.
    const named = url.replace("127.0.0.1", "inject.example");
    expect(await canaryOf(named, { connectTo: "127.0.0.1" }).run()).toMatchObject({ succeeded: true });
  });

  it("fails with the reason when the token cannot be read, and counts no latency", async () => {
    const readToken = async () => {
      throw new OutriggerError("store-denied", "Cannot read the canary's token at /p: AccessDeniedException");
    };
    const { run, lines } = canaryOf("http://127.0.0.1:1", { readToken });
    expect(await run()).toMatchObject({ succeeded: false, problem: expect.stringContaining("AccessDeniedException") });
    expect(countsOf(lines[0])).toEqual({ CanaryFailed: 1 });
  });

  it("quotes nothing of an error that is not ours", async () => {
    const readToken = async () => {
      throw new TypeError(`bad ${TOKEN}`);
    };
    const { run, lines } = canaryOf("http://127.0.0.1:1", { readToken });
    expect(await run()).toMatchObject({ problem: "the canary itself failed" });
    expect(lines.join()).not.toContain(TOKEN);
  });

  it("reads its token once for many runs, and again when it is not known any more", async () => {
    let live = TOKEN;
    const answer = injecting(SIDECAR);
    const url = await serve((asked, response) =>
      asked.path.includes(live) ? answer(asked, response) : response.writeHead(404).end("Not found\n"),
    );
    let reads = 0;
    const readToken = async () => {
      reads += 1;
      return live;
    };
    const { run } = canaryOf(url, { readToken });
    expect([(await run()).succeeded, (await run()).succeeded, reads]).toEqual([true, true, 1]);
    live = OTHER_TOKEN;
    expect([(await run()).succeeded, (await run()).succeeded, reads]).toEqual([true, true, 2]);
  });

  it("makes one call a run, and reads the token in each, when it is never known", async () => {
    let calls = 0;
    const url = await serve((_, response) => {
      calls += 1;
      response.writeHead(404).end();
    });
    let reads = 0;
    const readToken = async () => {
      reads += 1;
      return TOKEN;
    };
    const { run } = canaryOf(url, { readToken });
    expect(await run()).toMatchObject({ status: 404, problem: "the token or the path is not known (HTTP 404)" });
    await run();
    expect([calls, reads]).toEqual([2, 2]);
  });
});
