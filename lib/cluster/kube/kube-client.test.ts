import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import type { HttpAnswer, HttpRequest } from "./http-exchange.ts";
import { kubeClient } from "./kube-client.ts";

/** A client that gets these answers one after another, the last of them forever. */
function clientOf(...answers: readonly HttpAnswer[]) {
  const [sent, slept]: [HttpRequest[], number[]] = [[], []];
  const kube = kubeClient({
    name: "shop",
    exchange: async (request) => {
      sent.push(request);
      return answers[Math.min(sent.length, answers.length) - 1] as HttpAnswer;
    },
    sleep: async (milliseconds) => void slept.push(milliseconds),
  });
  return { kube, sent, slept };
}

function status(code: number, message: string): HttpAnswer {
  return { status: code, body: JSON.stringify({ kind: "Status", code, message }) };
}

describe("kubeClient()", () => {
  it("waits longer for a dry run than any webhook may take", async () => {
    const { kube, sent } = clientOf({ status: 200, body: '{"metadata":{}}' });
    await kube.get("/x");
    await kube.createDryRun("/x", {});
    expect(sent.map(({ timeoutMilliseconds = 0 }) => timeoutMilliseconds > 30_000)).toEqual([false, true]);
  });

  it("distinguishes what an API server refuses to admit from a missing permission", async () => {
    const codeOf = (message: string) =>
      clientOf(status(403, message))
        .kube.createDryRun("/x", {})
        .catch(({ code }: { readonly code: string }) => code);
    expect(await codeOf('pods "a" is forbidden: exceeded quota: q')).toBe("cluster-refused");
    expect(await codeOf('admission webhook "w" denied the request: no')).toBe("cluster-refused");
    const user = 'User "ann" cannot create resource "pods" in API group "" in the namespace "shop"';
    expect(await codeOf(`pods is forbidden: ${user}`)).toBe("cluster-denied");
  });

  it("waits in a long command for an API server that was away and has not read its roles yet", async () => {
    const user = 'pods is forbidden: User "ann" cannot list resource "pods" in API group "" at the cluster scope';
    const denied = status(403, user);
    const gone = new OutriggerError("cluster-unreachable", "connection refused");
    const patientOf = (...answers: readonly (HttpAnswer | Error)[]) => {
      const left = [...answers];
      const time = { now: 0 };
      const kube = kubeClient({
        name: "shop",
        exchange: async () => {
          const answer = left.length > 1 ? left.shift() : left[0];
          if (answer instanceof Error) throw answer;
          return answer as HttpAnswer;
        },
        sleep: async () => {},
        now: () => time.now,
      });
      const sleep = async (milliseconds: number) => {
        time.now += milliseconds;
      };
      return kube.patient({ sleep, report: () => {} });
    };
    const found = { status: 200, body: '{"metadata":{}}' };
    expect(await patientOf(gone, denied, denied, found).get("/x")).toEqual({ metadata: {} });
    await expect(patientOf(denied, found).get("/x")).rejects.toThrow("Not allowed");
    await expect(patientOf(gone, denied).get("/x")).rejects.toThrow("Not allowed");
  });

  it("shows no token when the API server quotes the URL of a webhook", async () => {
    const url = `https://x.test/t/${"s".repeat(43)}/inject`;
    for (const code of [400, 403, 409, 422, 500]) {
      const { kube } = clientOf(status(code, `Invalid value: "${url}": Post "${url}?timeout=10s": EOF`));
      const applied = kube.apply("/apis/x", {}, { force: false });
      await expect(applied).rejects.toThrow("https://x.test/t/…/inject");
      await expect(applied).rejects.not.toThrow("sss");
    }
  });

  it("waits as long as it is asked to, and no longer than ten seconds", async () => {
    const busy = { ...status(429, "slow down"), retryAfter: 3 };
    const { kube, slept } = clientOf(busy, { ...busy, retryAfter: 600 }, status(503, ""), {
      status: 200,
      body: '{"metadata":{}}',
    });
    expect(await kube.get("/x")).toEqual({ metadata: {} });
    expect(slept).toEqual([3000, 10_000, 2000]);
  });

  it.each([
    [404, '{"kind":"Status"}', undefined],
    [404, '{"message":"Not Found"}', "something else than its API server answers"],
    [404, "404 page not found", "does not serve /x: it takes a newer version of Kubernetes"],
    [200, "<html>sign in</html>", "is not a Kubernetes object"],
    [401, "", "aws eks create-access-entry --cluster-name shop"],
    [422, "not json", "refuses GET /x (HTTP 422): HTTP 422"],
  ])("takes HTTP %d with %j for what it is", async (code, body, message) => {
    const { kube } = clientOf({ status: code, body });
    if (message === undefined) expect(await kube.get("/x")).toBeUndefined();
    else await expect(kube.get("/x")).rejects.toThrow(message);
  });

  it.each([
    [404, "404 page not found", "cluster-kind-unknown", undefined],
    [410, '{"message":"the list is too old"}', "cluster-list-expired", "/x"],
    [422, '{"message":"no"}', "cluster-refused", "/x"],
    [500, '{"message":"failed calling webhook \\"a.test\\": EOF"}', "cluster-webhook-failed", "a.test"],
    [500, '{"message":"failed calling webhook"}', "cluster-webhook-failed", ""],
    [503, '{"message":"busy"}', "cluster-unreachable", undefined],
  ])("gives HTTP %d with %s a code of its own", async (code, body, expected, path) => {
    const { kube } = clientOf({ status: code, body });
    await expect(kube.get("/x?y=1")).rejects.toMatchObject({ code: expected, path });
  });

  it("applies with the content type and the field manager of server-side apply", async () => {
    const { kube, sent } = clientOf({ status: 200, body: '{"metadata":{}}' });
    await kube.apply("/x", { a: 1 }, { force: true });
    expect(sent).toEqual([
      {
        method: "PATCH",
        path: "/x?fieldManager=outrigger&force=true",
        body: '{"a":1}',
        contentType: "application/apply-patch+yaml",
      },
    ]);
  });

  it("begins a list again when its version has expired, and gives each object once", async () => {
    const item = (uid: string) => ({ metadata: { name: uid, uid } });
    const page = (items: readonly object[], next = "") => ({ items, metadata: { continue: next } });
    const answers = [
      { status: 200, body: JSON.stringify(page([item("a")], "2")) },
      { status: 410, body: JSON.stringify({ kind: "Status", message: "The provided continue parameter is too old" }) },
      { status: 200, body: JSON.stringify(page([item("a")], "2")) },
      { status: 200, body: JSON.stringify(page([item("b")])) },
    ];
    const kube = kubeClient({
      name: "shop",
      sleep: async () => {},
      exchange: async () => answers.shift() ?? { status: 500, body: "" },
    });
    const found: unknown[] = [];
    for await (const { metadata } of kube.list("/x")) found.push((metadata as { readonly name: string }).name);
    expect(found).toEqual(["a", "b"]);
  });
});
