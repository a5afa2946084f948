// The vendored pods in the form in which an API server sends and answers them; README.md says how they were measured.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { JsonObject } from "@outrigger/base";
import { applyPatch, type PatchOperation, type Pod } from "@outrigger/pod";
import { readRecord } from "../../tools/support/read-record.ts";
import { realPods } from "./pod-cases.ts";

/** A pod of a request to a webhook, and the namespace of the request. */
interface ReviewPod {
  readonly namespace: string;
  readonly pod: Pod;
}

export function reviewPods(): readonly ReviewPod[] {
  return linesOf("review-pods.jsonl.gz").map((line) =>
    readRecord<ReviewPod>(line, "review-pods.jsonl.gz", { namespace: "text", pod: "object" }),
  );
}

/** A pod as it was written, and what an API server made of it. */
interface CreatedPod {
  readonly written: JsonObject;
  readonly admitted: JsonObject;
}

/** The namespace in which all of them were created. */
export const CREATED_IN = "shop";

export function createdPods(): readonly CreatedPod[] {
  const real = realPods().filter(({ verdict }) => verdict === "accepted");
  return linesOf("created-pods.jsonl.gz").map((line, index) => {
    const row = readRecord<{ readonly written?: JsonObject; readonly patch: readonly PatchOperation[] }>(
      line,
      "created-pods.jsonl.gz",
      { patch: "list" },
    );
    const written = row.written ?? asCreated(real[index]?.pod ?? {});
    return { written, admitted: applyPatch(written, row.patch) as JsonObject };
  });
}

/** A pod that has a name, as an API server asks for one. */
function asCreated({ metadata, ...pod }: JsonObject): JsonObject {
  const named: JsonObject = { ...(metadata as JsonObject), namespace: CREATED_IN };
  const isNamed = named["name"] !== undefined || named["generateName"] !== undefined;
  return { ...pod, metadata: isNamed ? named : { ...named, generateName: "p-" } };
}

function linesOf(file: string): readonly string[] {
  return gunzipSync(readFileSync(new URL(file, import.meta.url)))
    .toString("utf8")
    .split("\n");
}
