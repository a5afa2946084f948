// Targets that call the inject function's handler with the shipped templates: pods, the bytes of a review, the fields of a
// gateway event. Whatever is sent, the operator is not at fault: there is no 5xx, and the log holds nothing of the pod.
import { isObject, type JsonObject } from "@outrigger/base";
import { type InjectRequest, injectPod, loadRelease, type Release } from "@outrigger/injector";
import { applyPatch, type Container, type Pod, validatePod } from "@outrigger/pod";
import { fixedService } from "@outrigger/serving";
import type { GatewayEvent } from "../../functions/inject/api-gateway.ts";
import { handlerOf } from "../../functions/inject/api-gateway.ts";
import { eventOf } from "../../test/support/gateway-event.ts";
import { pick, type Random } from "../../test/support/random.ts";
import { below, damaged, damagedText, MARKER } from "./damage.ts";
import type { FuzzTarget } from "./fuzz-target.ts";
import { FOREIGN, podOf, TEXTS } from "./pods.ts";

/** Characters of an answer: so many, and so many more for each one of the request. */
const ANSWER = 60_000;
const ANSWER_PER_CHARACTER = 16;
/** The characters that Lambda takes, less what escaping adds. */
const LONGEST_ANSWER = 6_010_000;
/** Characters of a request's log line. */
const LOG_LINE = 8000;

interface Sent {
  readonly pod: unknown;
  /** Whether the pod is of the right types, so that the result can be compared with it. */
  readonly isWhole: boolean;
  /** Whether what came out is sent as well. */
  readonly isTwice: boolean;
}

export function admissionTargets(release: Release): readonly FuzzTarget[] {
  const injector = loadRelease(release);
  const inject = (request: InjectRequest) => injectPod(injector, request);
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const handler = handlerOf({ find: fixedService({ inject, release: "fuzzed" }), now: () => 0 }, write);

  async function send(event: GatewayEvent) {
    lines.length = 0;
    const { statusCode, body } = await handler(event);
    return { statusCode, body, log: lines.join("") };
  }

  async function faultOfPod(input: unknown): Promise<string | undefined> {
    const { pod, isWhole, isTwice } = input as Sent;
    const event = eventOf({ object: pod, namespace: "shop" });
    const answer = await send(event);
    const fault = faultOfAnswer(answer, event.body.length) ?? faultOfLog(answer.log);
    if (fault !== undefined || !isWhole || answer.statusCode !== 200) return fault;
    const injected = injectedPod(answer.body, pod as JsonObject);
    if (injected === undefined) return undefined;
    return lostContainer(pod as Pod, injected) ?? (isTwice ? faultOfSecond(pod as Pod, injected) : undefined);
  }

  /** An API server may send the pod again after other webhooks (reinvocationPolicy). */
  async function faultOfSecond(pod: Pod, injected: JsonObject): Promise<string | undefined> {
    const event = eventOf({ object: injected, namespace: "shop" });
    const answer = await send(event);
    const fault = faultOfAnswer(answer, event.body.length) ?? faultOfLog(answer.log);
    if (fault !== undefined) return `sent again: ${fault}`;
    if (answer.statusCode !== 200) return `sent again: status ${answer.statusCode}: ${answer.log}`;
    const again = injectedPod(answer.body, injected);
    if (again === undefined) return `sent again: it is denied: ${answer.body.slice(0, 600)}`;
    // What an API server refuses, it does not send again.
    if (again !== injected && validatePod(pod, { isTemplate: true }).length === 0) return "sent again: it is changed";
    return lostContainer(pod, again);
  }

  return [
    {
      name: "pods",
      share: 12,
      make: (random): Sent => {
        const whole = podOf(random);
        const isWhole = random() < 0.7;
        return { pod: isWhole ? whole : damaged(whole, random), isWhole, isTwice: random() < 0.3 };
      },
      faultOf: faultOfPod,
    },
    {
      name: "review-bytes",
      share: 16,
      make: (random) => {
        const event = eventOf({ object: podOf(random), namespace: "shop" });
        return withBody(event, damagedText(event.body, random, TEXTS.jsonTokens), random);
      },
      faultOf: async (input) => {
        const event = input as GatewayEvent & { readonly body: string };
        const answer = await send(event);
        return faultOfAnswer(answer, event.body.length);
      },
    },
    {
      name: "events",
      share: 18,
      make: (random) => {
        const event = eventOf({ object: podOf(random), namespace: "shop", path: pathOf(random) });
        const whole = random() < 0.5 ? event : restEventOf(event);
        return random() < 0.3 ? whole : damagedEvent(whole, random);
      },
      faultOf: async (input) => {
        const event = input as GatewayEvent;
        const answer = await send(event);
        return faultOfAnswer(answer, JSON.stringify(input).length);
      },
    },
  ];
}

interface Answer {
  readonly statusCode: number;
  readonly body: string;
  readonly log: string;
}

const STATUSES: readonly number[] = [200, 400, 404, 405, 413, 415];

function faultOfAnswer({ statusCode, body, log }: Answer, length: number): string | undefined {
  if (!STATUSES.includes(statusCode)) return `status ${statusCode}: ${log}`;
  if (body.length > Math.min(LONGEST_ANSWER, ANSWER + ANSWER_PER_CHARACTER * length)) {
    return `${body.length} characters are the answer to ${length}`;
  }
  if (log.length > LOG_LINE) return `the log line has ${log.length} characters`;
  if (!log.endsWith("\n") || log.indexOf("\n") !== log.length - 1) return `the log is not one line: ${log}`;
  JSON.parse(log);
  if (statusCode === 200) JSON.parse(body);
  return undefined;
}

/** The name and namespace of the pod are what a line is found by. */
function faultOfLog(log: string): string | undefined {
  const { pod: _name, ...logged } = JSON.parse(log);
  return JSON.stringify(logged).includes(MARKER) ? `the log holds a part of the pod: ${log}` : undefined;
}

/** The pod with the answer's patch; undefined where the pod was denied. */
function injectedPod(body: string, pod: JsonObject): JsonObject | undefined {
  const { allowed, patch } = JSON.parse(body).response;
  if (!allowed) return undefined;
  return patch === undefined ? pod : applyPatch(pod, JSON.parse(Buffer.from(patch, "base64").toString()));
}

function lostContainer(pod: Pod, injected: Pod): string | undefined {
  const left = namesIn(injected);
  const lost = namesIn(pod).find((name) => FOREIGN.includes(name) && !left.includes(name));
  return lost === undefined ? undefined : `container ${lost} is lost`;
}

function namesIn({ spec }: Pod): readonly string[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ name }: Container) => name);
}

function withBody(event: ReturnType<typeof eventOf>, body: string, random: Random): GatewayEvent {
  const choice = below(random, 4);
  if (choice > 1) return { ...event, body };
  const base64 = Buffer.from(body, choice === 0 ? "utf8" : "latin1").toString("base64");
  return {
    ...event,
    body: random() < 0.2 ? damagedText(base64, random, ["=", "_", " "]) : base64,
    isBase64Encoded: true,
  };
}

/** Returns the same request in the REST API's format. */
function restEventOf(event: ReturnType<typeof eventOf>): GatewayEvent {
  return {
    version: "1.0",
    path: event.rawPath,
    httpMethod: "POST",
    headers: { "Content-Type": "application/json" },
    multiValueHeaders: { "Content-Type": ["application/json"] },
    queryStringParameters: { timeout: "10s" },
    multiValueQueryStringParameters: { timeout: ["10s"] },
    requestContext: { stage: "prod" },
    body: event.body,
    isBase64Encoded: false,
  };
}

const pathTokens = ["/inject", "/t/", "cluster", "net", "%2f", "%", "%00", "..", "//", "?", "\u0000", "é", MARKER];

const PATHS: readonly string[] = ["/inject", "/inject/cluster/c/net/n", `/t/${"a".repeat(43)}/inject`, "/"];

function pathOf(random: Random): string {
  const path = pick(random, PATHS);
  return random() < 0.5 ? path : damagedText(path, random, pathTokens);
}

/** Damages mostly what a caller chooses: path, query, headers, body. */
function damagedEvent(event: GatewayEvent, random: Random): unknown {
  const changed = random() < 0.3 ? damaged(event, random) : undefined;
  if (isObject(changed)) return changed;
  const key = pick(random, [
    "headers",
    "queryStringParameters",
    "body",
    "rawPath",
    "path",
    "isBase64Encoded",
    "requestContext",
  ] as const);
  return { ...event, [key]: damaged(event[key as keyof GatewayEvent], random) };
}
