import { createHash } from "node:crypto";
import { defined, type ErrorCode, OutriggerError } from "@outrigger/base";
import type { InjectRequest, InjectResult } from "@outrigger/injector";
import { fixedService } from "@outrigger/serving";
import { describe, expect, it } from "vitest";
import { type GatewayEvent, handlerOf } from "../api-gateway.ts";

// Every row of the outcome table, as bytes, through both of API Gateway's payload formats.

interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly timeout?: string;
  readonly contentType?: string | undefined;
  readonly body?: string | null;
}

const UID = "705ab4f5-6393-11e8-b7cc-42010a800002";
const JSON_HEADERS = { "content-type": "application/json" };
const TEXT_HEADERS = { "content-type": "text/plain; charset=utf-8" };
const POD = { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "web" }] } };
const PATCH = [{ op: "add", path: "/metadata/labels", value: { a: "b" } }] as const;
const INJECTED: InjectResult = {
  injected: true,
  reason: "policy-enabled",
  author: POD,
  pod: POD,
  patch: PATCH,
  patchText: JSON.stringify(PATCH),
  templates: ["sidecar", "other"],
  warnings: [],
};

const FORMATS: Readonly<Record<string, (call: Call) => GatewayEvent>> = {
  "2.0": eventV2,
  "2.0 base64": (call) => asBase64(eventV2(call)),
  "2.0 with a stage": (call) => {
    const event = eventV2(call);
    return { ...event, rawPath: `/prod${event.rawPath}`, requestContext: { ...event.requestContext, stage: "prod" } };
  },
  "1.0": eventV1,
  "1.0 base64": (call) => asBase64(eventV1(call)),
  "1.0 with multi-value maps only": (call) => {
    const { headers, queryStringParameters, ...event } = eventV1(call);
    const many = Object.entries(headers ?? {}).map(([name, value]) => [name, [value as string]]);
    return {
      ...event,
      headers: null,
      queryStringParameters: null,
      multiValueHeaders: Object.fromEntries(many),
      multiValueQueryStringParameters: { timeout: ["10s"] },
    };
  },
};

function eventV2({
  method = "POST",
  path = "/inject",
  timeout = "10s",
  body = reviewOf(POD),
  ...rest
}: Call): GatewayEvent {
  const contentType = "contentType" in rest ? rest.contentType : "application/json";
  return {
    version: "2.0",
    rawPath: path,
    rawQueryString: `timeout=${timeout}`,
    headers: defined({ "content-type": contentType, host: "h" }),
    queryStringParameters: { timeout },
    requestContext: { stage: "$default", http: { method, path } },
    ...(body === null ? {} : { body }),
    isBase64Encoded: false,
  };
}

function eventV1({
  method = "POST",
  path = "/inject",
  timeout = "10s",
  body = reviewOf(POD),
  ...rest
}: Call): GatewayEvent {
  const contentType = "contentType" in rest ? rest.contentType : "application/json";
  return {
    version: "1.0",
    path,
    httpMethod: method,
    headers: defined({ Host: "h", "Content-Type": contentType }),
    queryStringParameters: { timeout },
    requestContext: { stage: "prod" },
    body,
    isBase64Encoded: false,
  };
}

function asBase64(event: GatewayEvent): GatewayEvent {
  return typeof event.body === "string"
    ? { ...event, body: Buffer.from(event.body).toString("base64"), isBase64Encoded: true }
    : event;
}

function reviewOf(object: unknown, apiVersion = "admission.k8s.io/v1"): string {
  return JSON.stringify({
    apiVersion,
    kind: "AdmissionReview",
    request: { uid: UID, namespace: "shop", kind: { group: "", version: "v1", kind: "Pod" }, object },
  });
}

function responseOf(rest: string, apiVersion = "admission.k8s.io/v1"): string {
  return `{"kind":"AdmissionReview","apiVersion":"${apiVersion}","response":{"uid":"${UID}",${rest}}}`;
}

async function answer(
  event: GatewayEvent,
  inject: Parameters<typeof fixedService>[0]["inject"],
  callers?: Parameters<typeof fixedService>[0]["callers"],
) {
  const lines: string[] = [];
  const find = fixedService(defined({ inject, release: "r1", callers }));
  const result = await handlerOf({ find, now: () => 5 }, (line) => lines.push(line))(event);
  expect(lines).toHaveLength(1);
  return { result, log: JSON.parse(lines[0] as string) };
}

function throws(error: unknown): Parameters<typeof fixedService>[0]["inject"] {
  return () => {
    throw error;
  };
}

describe.each(Object.entries(FORMATS))("handler() in payload format %s", (_name, eventOf) => {
  it("allows with a patch when a pod is injected", async () => {
    const requests: InjectRequest[] = [];
    const inject = (request: InjectRequest) => {
      requests.push(request);
      return INJECTED;
    };
    const { result, log } = await answer(eventOf({ path: "/inject/cluster/c1" }), inject);
    expect(result).toEqual({
      statusCode: 200,
      headers: JSON_HEADERS,
      body: responseOf(
        '"allowed":true,"patchType":"JSONPatch","patch":"W3sib3AiOiJhZGQiLCJwYXRoIjoiL21ldGFkYXRhL2xhYmVscyIsInZhbHVlIjp7ImEiOiJiIn19XQ==","auditAnnotations":{"decision":"injected","release":"r1","templates":"sidecar,other"}',
      ),
      isBase64Encoded: false,
    });
    expect(requests).toEqual([
      { pod: POD, namespace: "shop", parameters: { ISTIO_META_CLUSTER_ID: "c1" }, release: "r1" },
    ]);
    expect(log).toEqual({
      level: "info",
      uid: UID,
      cluster: "c1",
      pod: "shop/web",
      decision: "injected",
      status: 200,
      release: "r1",
      templates: ["sidecar", "other"],
      milliseconds: 0,
      cold: true,
    });
  });

  it("answers in v1beta1 when it is asked in v1beta1", async () => {
    const { result } = await answer(eventOf({ body: reviewOf(POD, "admission.k8s.io/v1beta1") }), () => ({
      ...INJECTED,
      patch: [],
      patchText: "[]",
    }));
    expect(result.body).toBe(
      responseOf(
        '"allowed":true,"auditAnnotations":{"decision":"injected","release":"r1","templates":"sidecar,other"}',
        "admission.k8s.io/v1beta1",
      ),
    );
  });

  it("passes warnings on when there are any", async () => {
    const { result } = await answer(eventOf({}), () => ({
      ...INJECTED,
      patch: [],
      patchText: "[]",
      warnings: ["Mind the gap"],
    }));
    expect(result.body).toBe(
      responseOf(
        '"allowed":true,"auditAnnotations":{"decision":"injected","release":"r1","templates":"sidecar,other"},"warnings":["Mind the gap"]',
      ),
    );
  });

  it("allows without a patch when a pod is not ours to inject", async () => {
    const { result, log } = await answer(eventOf({}), () => ({ injected: false, reason: "opted-out", message: "m" }));
    expect(result).toMatchObject({
      statusCode: 200,
      headers: JSON_HEADERS,
      body: responseOf('"allowed":true,"auditAnnotations":{"decision":"skipped","reason":"opted-out","release":"r1"}'),
    });
    expect(log).toMatchObject({ decision: "skipped", reason: "opted-out" });
  });

  it.each(["annotation-invalid", "template-unknown", "pod-invalid"] as const)(
    "denies when it is the pod author's fault: %s",
    async (code) => {
      const { result, log } = await answer(
        eventOf({}),
        throws(new OutriggerError(code, "Cannot take it", { path: "metadata.annotations[a/b]" })),
      );
      expect(result).toEqual({
        statusCode: 200,
        headers: JSON_HEADERS,
        body: responseOf(
          `"allowed":false,"status":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Cannot take it","reason":"Invalid","details":{"causes":[{"reason":"FieldValueInvalid","message":"Cannot take it","field":"metadata.annotations[a/b]"}]},"code":422},"auditAnnotations":{"decision":"denied","reason":"${code}","release":"r1"}`,
        ),
        isBase64Encoded: false,
      });
      expect(log).toMatchObject({ level: "info", decision: "denied", reason: code, status: 200 });
    },
  );

  it.each<[string, Call, number, string]>([
    ["is not JSON", { body: "{" }, 400, "The body is not JSON\n"],
    ["has no body", { body: "" }, 400, "The request has no body: send an AdmissionReview as JSON\n"],
    ["has a null body", { body: null }, 400, "The request has no body: send an AdmissionReview as JSON\n"],
    [
      "is not a review",
      { body: '{"kind":"Pod"}' },
      400,
      "The body is not an AdmissionReview of admission.k8s.io/v1 or v1beta1\n",
    ],
    ["has no uid", { body: reviewOf(POD).replace(UID, "") }, 400, "The AdmissionReview's request has no uid\n"],
    [
      "holds a Pod that is a string",
      { body: reviewOf("Pod") },
      400,
      "The AdmissionReview's object is not a Pod: let the webhook's rules name operation CREATE of pods only\n",
    ],
    [
      "is nested deeply",
      { body: reviewOf(1).replace(":1}}", `:{"spec":${"[".repeat(100_000)}${"]".repeat(100_000)}}}}`) },
      400,
      "request.object is nested deeper than 200 levels, which no Pod is\n",
    ],
    [
      "is 7 MB",
      { body: `"${"x".repeat(7_000_000)}"` },
      413,
      "The request body is larger than 3145728 bytes, the most that is read\n",
    ],
    ["has another content type", { contentType: "text/plain" }, 415, "The content type is not application/json\n"],
    ["has no content type", { contentType: undefined }, 415, "The content type is not application/json\n"],
    ["is not for us", { path: "/elsewhere" }, 404, "Not found\n"],
    ["brings a token where none is known", { path: "/t/x/inject" }, 404, "Not found\n"],
  ])("refuses a request when it %s", async (_what, call, status, body) => {
    const { result, log } = await answer(eventOf(call), throws(new Error("must not be reached")));
    expect(result).toEqual({ statusCode: status, headers: TEXT_HEADERS, body, isBase64Encoded: false });
    expect(log).toMatchObject({ level: "info", decision: "refused", status });
  });

  it("names the method to use when it is another", async () => {
    const { result } = await answer(eventOf({ method: "GET", body: null }), () => INJECTED);
    expect(result).toEqual({
      statusCode: 405,
      headers: { ...TEXT_HEADERS, allow: "POST" },
      body: "Only POST is answered here: send an AdmissionReview\n",
      isBase64Encoded: false,
    });
  });

  it.each(["application/json; charset=utf-8", "Application/JSON", " application/json ;x=y"])(
    "takes content type %s when it is JSON's",
    async (contentType) => {
      expect((await answer(eventOf({ contentType }), () => INJECTED)).result.statusCode).toBe(200);
    },
  );

  it("gives the same answer when a token is missing, unknown, or on an unknown path", async () => {
    const callers = [{ tokenDigest: createHash("sha256").update("secret").digest(), cluster: { name: "east" } }];
    const paths = ["/inject", "/t/wrong/inject", "/t//inject", "/t/secret", "/t/secret/x", "/elsewhere", "/"];
    const calls: readonly Call[] = [
      ...paths.map((path) => ({ path })),
      { path: "/t/wrong/inject", method: "GET" },
      { path: "/t/wrong/inject", body: "{" },
    ];
    for (const call of calls) {
      const { result } = await answer(eventOf(call), () => INJECTED, callers);
      expect(result).toEqual({ statusCode: 404, headers: TEXT_HEADERS, body: "Not found\n", isBase64Encoded: false });
    }
  });

  it("serves the cluster whose token it is when the token is known", async () => {
    const callers = [
      { tokenDigest: createHash("sha256").update("secret").digest(), cluster: { name: "east", nativeSidecars: true } },
    ];
    const requests: InjectRequest[] = [];
    const inject = (request: InjectRequest) => {
      requests.push(request);
      return INJECTED;
    };
    const { result, log } = await answer(eventOf({ path: "/t/secret/inject/net/n" }), inject, callers);
    expect(result.statusCode).toBe(200);
    expect(requests[0]).toMatchObject({ parameters: { ISTIO_META_NETWORK: "n" }, cluster: { nativeSidecars: true } });
    expect(log).toMatchObject({ cluster: "east" });
    expect(JSON.stringify(log)).not.toContain("secret");
  });

  it.each<[ErrorCode, Readonly<Record<string, string>>]>([
    ["tree-invalid", {}],
    ["config-invalid", {}],
    ["values-invalid", {}],
    ["mesh-invalid", {}],
    ["template-invalid", {}],
    ["template-render", {}],
    ["overlay-invalid", {}],
    ["yaml-invalid", {}],
    ["release-unsupported", {}],
    ["deadline-exceeded", {}],
    ["patch-check-failed", {}],
    ["usage", {}],
    ["manifest-invalid", {}],
    ["store-unavailable", { "retry-after": "1" }],
  ])("leaves the pod to failurePolicy when the fault is %s", async (code, headers) => {
    // Of the default deadline, ten repetitions would take too much.
    const event = { ...eventOf({}), queryStringParameters: { timeout: "30s" } };
    const { result, log } = await answer(event, throws(new OutriggerError(code, "Cannot continue")));
    expect(result).toEqual({
      statusCode: 500,
      headers: { ...TEXT_HEADERS, ...headers },
      body: "Cannot continue\n",
      isBase64Encoded: false,
    });
    expect(log).toMatchObject({
      level: "error",
      uid: UID,
      pod: "shop/web",
      decision: "failed",
      reason: code,
      error: { code, message: "Cannot continue" },
    });
  });

  it.each([new TypeError("pod says hunter2"), "hunter2", null])(
    "reveals nothing of the pod when the fault is a bug",
    async (fault) => {
      const { result, log } = await answer(eventOf({}), throws(fault));
      expect(result).toEqual({
        statusCode: 500,
        headers: TEXT_HEADERS,
        body: "Cannot answer because of a bug in Outrigger: its log has the stack under this review's uid\n",
        isBase64Encoded: false,
      });
      expect(log).toMatchObject({ decision: "failed", reason: "bug" });
      expect(JSON.stringify(log)).not.toContain("hunter2");
    },
  );
});

describe("handler()", () => {
  it.each([{}, { requestContext: {} }, { requestContext: { http: {} } }, { path: "/inject", httpMethod: "POST" }])(
    "answers something when an event is not API Gateway's",
    async (event) => {
      expect((await answer(event, () => INJECTED)).result.statusCode).toBeGreaterThanOrEqual(400);
    },
  );

  it("marks the log when the answer is later than the caller waits", async () => {
    const times = [0, 1500];
    const lines: string[] = [];
    const find = fixedService({ inject: () => INJECTED, release: "r1" });
    const handler = handlerOf({ find, now: () => times.shift() as number }, (line) => lines.push(line));
    await handler(eventV2({ timeout: "1s" }));
    expect(JSON.parse(lines[0] as string)).toMatchObject({ milliseconds: 1500, late: true });
  });
});
