// Two entry points for conformance cases: `injectPod` itself and the Lambda handler. Each makes an outcome of a case and
// looks at nothing that is expected.
// Not the package itself: it ships its TypeScript sources, which tsx would take, and they are incomplete.
import { isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import {
  compileRelease,
  type Injector,
  injectPod,
  loadRelease,
  type Release,
  type SourceTree,
} from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { outcomeOf, parsePathParameters } from "@outrigger/serving";
import { parseYamlDocuments } from "@outrigger/yaml";
import fastJsonPatch from "fast-json-patch/commonjs/core.js";
import type { GatewayResult, Handler } from "../../functions/inject/api-gateway.ts";
import { eventOf, type PodCall } from "../../test/support/gateway-event.ts";
import { readRecord } from "../support/read-record.ts";
import { type ConformanceCase, namespaceOf, treeOfCase } from "./conformance-case.ts";
import { podsOf } from "./manifest-pods.ts";

/** The result of a case at one entry point. */
export type CaseOutcome =
  | { readonly kind: "pod"; readonly pod: JsonObject; readonly patched: boolean }
  /** A manifest's pods, from an entry point that knows pods only. */
  | { readonly kind: "pods"; readonly pods: readonly JsonObject[] }
  | { readonly kind: "documents"; readonly documents: readonly JsonObject[]; readonly warnings: readonly string[] }
  /** The author of the pod can fix it: the pod is denied. */
  | { readonly kind: "denied"; readonly message: string }
  | { readonly kind: "failed"; readonly message: string };

/** A case as an entry point may see it: without what is expected. */
export type CaseInput = Omit<ConformanceCase, "expect">;

export type EntryPoint = (input: CaseInput, release: Release) => Promise<CaseOutcome>;

export interface EntryPointOutcome {
  readonly entryPoint: string;
  readonly outcome: CaseOutcome;
}

/**
 * The case's configuration, compiled over the shipped tree without its samples: injecting them is two thirds of the time of
 * compiling, and here the case's own pod is injected. Goes through JSON, as every stored release does.
 */
export function releaseOfCase(shipped: SourceTree, input: CaseInput): Release {
  return JSON.parse(JSON.stringify(compileRelease(layersOfCase(shipped, input)))) as Release;
}

/** The shipped tree without its samples, and the case's own. */
export function layersOfCase(shipped: SourceTree, input: CaseInput): readonly SourceTree[] {
  return [withoutSamples(shipped), treeOfCase(input)];
}

function withoutSamples(tree: SourceTree): SourceTree {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !path.startsWith("samples/")));
}

/** `injectPod` on the release, loaded again. */
export async function throughInjectPod(input: CaseInput, release: Release): Promise<CaseOutcome> {
  return throughInjector(input, loadRelease(release));
}

/** `injectPod` on a loaded release. */
export async function throughInjector(input: CaseInput, injector: Injector): Promise<CaseOutcome> {
  return answer(input, async ({ object, namespace, path }) => {
    const pod = object as Pod;
    const result = injectPod(injector, { pod, namespace, parameters: parsePathParameters(path ?? "/inject") });
    return result.injected
      ? { pod: applied(object as JsonObject, result.patchText), patched: true }
      : { pod: object as JsonObject, patched: false };
  });
}

/** The Lambda handler that `createHandler` (of a bundle, or of the sources) makes for the release. */
export function throughHandler(createHandler: CreateHandler): EntryPoint {
  return async (input, release) => {
    const handler = createHandler({ release, write: () => undefined });
    return answer(input, async (call) => readResult(call, await handler(eventOf(call))));
  };
}

type CreateHandler = (options: { readonly release: Release; readonly write: (line: string) => void }) => Handler;

interface PodAnswer {
  readonly pod: JsonObject;
  readonly patched: boolean;
}

async function answer(input: CaseInput, call: (call: PodCall) => Promise<PodAnswer>): Promise<CaseOutcome> {
  try {
    const { object, manifest, path } = input.request;
    if (manifest === undefined)
      return { kind: "pod", ...(await call({ object, namespace: namespaceOf(input), path })) };
    const calls = podsOf(readDocuments(manifest)).map(({ pod, namespace }) => call({ object: pod, namespace, path }));
    return { kind: "pods", pods: (await Promise.all(calls)).map(({ pod }) => pod) };
  } catch (error) {
    return outcomeOfError(error);
  }
}

/** The objects of a YAML stream. */
export function readDocuments(manifest: string): readonly JsonObject[] {
  return parseYamlDocuments(manifest, "manifest")
    .map(({ value }) => value)
    .filter(isObject);
}

/** An error as an outcome. */
export function outcomeOfError(error: unknown): CaseOutcome {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Denial) return { kind: "denied", message };
  return { kind: outcomeOf(error).kind === "denied" ? "denied" : "failed", message };
}

class Denial extends Error {}

function readResult({ object }: PodCall, result: GatewayResult): PodAnswer {
  if (result.statusCode !== 200) throw new Error(`status ${result.statusCode}: ${result.body.trim()}`);
  const review = JSON.parse(result.body) as JsonObject;
  const response = review["response"];
  if (!isObject(response)) throw new Error("the answer holds no response");
  if (response["allowed"] !== true) throw new Denial(JSON.stringify(response["status"]));
  if (typeof response["patch"] !== "string") return { pod: object as JsonObject, patched: false };
  return { pod: applied(object as JsonObject, patchTextOf(result.body)), patched: true };
}

/** The parts of an answered AdmissionReview that are read. */
interface Answer {
  readonly response: { readonly patch?: string };
}

/** The patch in an answered AdmissionReview, as text; an empty one where there is none. */
export function patchTextOf(body: string): string {
  const { response } = readRecord<Answer>(body, "an answered review", { response: "object" });
  return response.patch === undefined ? "[]" : Buffer.from(response.patch, "base64").toString("utf8");
}

/** The operations of a patch; fast-json-patch checks each of them. */
export function operationsOf(patchText: string): fastJsonPatch.Operation[] {
  const patch: unknown = JSON.parse(patchText);
  if (!Array.isArray(patch)) throw new Error("Cannot read the patch: it is not a list of operations");
  return patch;
}

/** The patched pod, as an independent implementation of RFC 6902 makes it. */
export function applied(pod: JsonObject, patchText: string): JsonObject {
  return fastJsonPatch.applyPatch(copyOf(pod), operationsOf(patchText), true).newDocument;
}

/** Shares nothing that can be changed; as JSON, a text of a megabyte would be copied as well. */
function copyOf<Value extends JsonValue | undefined>(value: Value): Value {
  if (Array.isArray(value)) return value.map(copyOf) as JsonValue as Value;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyOf(item)])) as Value;
}
