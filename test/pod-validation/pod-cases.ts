// The vendored pods and the verdicts of an API server's own code on them; README.md says how they were measured.
// Each case is made by copying only what it changes, as an injection does.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { isObject, type JsonObject, type JsonValue } from "@outrigger/base";
import { readRecord } from "../../tools/support/read-record.ts";

export interface PodCase {
  /** The base's. */
  readonly name: string;
  readonly set: PodChange;
  /** The base and what is set in it. */
  readonly title: string;
  readonly base: JsonObject;
  readonly pod: JsonObject;
  /** The field and the reason of the first error; the stage alone where the pod could not even be read. */
  readonly refusal: readonly [field: string, reason: string] | readonly [stage: string] | null;
}

/** Values by the JSON pointers of their places. */
export type PodChange = Readonly<Record<string, JsonValue>>;

export interface RealPod {
  readonly verdict: "accepted" | "refused";
  readonly pod: JsonObject;
}

type Row = readonly [base: string, set: PodChange, refusal: PodCase["refusal"]];

export function podCases(): readonly PodCase[] {
  const [first = "", ...lines] = readText("cases.jsonl").trim().split("\n");
  const bases = readRecord<Readonly<Record<string, JsonObject>>>(first, "cases.jsonl", {});
  return lines.map((line) => {
    const [name, set, refusal] = readRow(line);
    const base = bases[name] as JsonObject;
    return { name, set, title: `${name} ${JSON.stringify(set)}`, base, pod: setIn(base, set), refusal };
  });
}

function readRow(line: string): Row {
  const row: unknown = JSON.parse(line);
  if (Array.isArray(row) && typeof row[0] === "string" && isObject(row[1])) return row as unknown as Row;
  throw new Error(`Cannot read cases.jsonl: a line is not a base, a change and a refusal: ${line.slice(0, 80)}`);
}

/** The pod with the values set, and all else in it the same nodes as before. */
export function setIn(pod: JsonObject, set: PodChange): JsonObject {
  const entries = Object.entries(set);
  return entries.reduce<JsonValue>(
    (at, [path, value]) => setValue(at, stepsOf(path), unpack(value)),
    pod,
  ) as JsonObject;
}

export function realPods(): readonly RealPod[] {
  const text = gunzipSync(readFileSync(new URL("real-pods.jsonl.gz", import.meta.url))).toString("utf8");
  return text
    .split("\n")
    .map((line) => readRecord<RealPod>(line, "real-pods.jsonl.gz", { verdict: "text", pod: "object" }));
}

function readText(file: string): string {
  return readFileSync(new URL(file, import.meta.url), "utf8");
}

function stepsOf(pointer: string): readonly string[] {
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => unpack(step.replaceAll("~1", "/").replaceAll("~0", "~")) as string);
}

function setValue(at: JsonValue | undefined, steps: readonly string[], value: JsonValue): JsonValue {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (Array.isArray(at)) {
    const index = Number(step);
    const length = Math.max(at.length, index + 1);
    return Array.from({ length }, (_, n) => (n === index ? setValue(at[n], rest, value) : (at[n] ?? null)));
  }
  const object = (typeof at === "object" ? (at ?? {}) : {}) as JsonObject;
  return { ...object, [step]: setValue(object[step], rest, value) };
}

/** `<a*64>` is 64 times "a"; `{"<repeat>": [1, 256]}` is a list of 256 times 1. */
function unpack(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    return value.replace(/<(.)\*(\d+)>/gu, (_, each: string, count: string) => each.repeat(Number(count)));
  }
  if (Array.isArray(value)) return value.map(unpack);
  if (typeof value !== "object" || value === null) return value;
  const repeat = (value as JsonObject)["<repeat>"];
  if (Array.isArray(repeat)) return new Array<JsonValue>(repeat[1]).fill(unpack(repeat[0]));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [unpack(key), unpack(each as JsonValue)]));
}
