// Whatever an edit changes in a pod as an API server sends it, the list of everyday changes has it, or the edit is named. More edits:
// OUTRIGGER_RANDOM_EDITS=10000 OUTRIGGER_PROPERTY_SEED=7.
import type { JsonObject, JsonValue } from "@outrigger/base";
import { compileRelease, injectPod, lintSource, loadRelease, type Release } from "@outrigger/injector";
import { diffObjects, type Pod } from "@outrigger/pod";
import { expect, it } from "vitest";
import { reviewPods } from "../../../test/pod-validation/admitted-pods.ts";
import { randomOf } from "../../../test/support/random.ts";
import { randomEdit } from "../../../test/support/random-edits.ts";
import { shippedTreeUntried } from "../../../test/support/shipped-tree.ts";
import { unlistedDifferences } from "./edit-difference.ts";
import { isEverydayInput, isEverydayWrite } from "./everyday.ts";

const RUNS = Number(process.env["OUTRIGGER_RANDOM_EDITS"] ?? 3);
const SEED = Number(process.env["OUTRIGGER_PROPERTY_SEED"] ?? 1);

const PODS = reviewPods();

it(`${RUNS} random edits change nothing in a real pod that is neither listed nor named`, async () => {
  // An edit that only a sample or the check of branches refuses is judged like any other.
  const shipped = await shippedTreeUntried();
  const before = compileRelease([shipped]);
  const random = randomOf(SEED);
  const injected = PODS.map(injectedBy(before));
  const served = injectedPart(before);
  const count = { invalid: 0, identical: 0, named: 0, everyday: 0, same: 0 };
  const missed: string[] = [];
  for (let run = 0; run < RUNS; run++) {
    const { what, tree, input } = randomEdit(random, shipped);
    const { release: after } = lintSource([shipped, tree], true);
    if (after === undefined) {
      count.invalid += 1;
      continue;
    }
    if (injectedPart(after) === served) {
      count.identical += 1;
      continue;
    }
    if (unlistedDifferences(before, after, tree).length > 0) {
      count.named += 1;
      continue;
    }
    const edited = PODS.map(injectedBy(after));
    const isTuned = input !== undefined && isEverydayInput(input.path, input.value, null);
    const changes = isTuned ? [] : edited.flatMap((pod, at) => unlistedIn(injected[at], pod));
    if (changes.length > 0) missed.push(`${what}: ${changes[0]}`);
    if (JSON.stringify(edited) === JSON.stringify(injected)) count.same += 1;
    else count.everyday += 1;
  }
  expect(missed, JSON.stringify(count)).toEqual([]);
  expect(count.named).toBeGreaterThan(0);
}, 36_000_000);

/** All of a release that an injection reads. Where it is the same, so are the pods. */
function injectedPart({ warnings: _, shapes: _shapes, ...read }: Release): string {
  return JSON.stringify(read);
}

function injectedBy(release: Release) {
  const injector = loadRelease(release);
  return ({ pod, namespace }: { readonly pod: Pod; readonly namespace: string }): JsonObject | string => {
    try {
      const result = injectPod(injector, { pod, namespace, parameters: {} });
      return result.injected ? (result.pod as JsonObject) : result.reason;
    } catch (error) {
      return `fails: ${String(error)}`;
    }
  };
}

/** What differs between two injections of a pod, and is on no list. */
function unlistedIn(before: JsonObject | string | undefined, after: JsonObject | string): readonly string[] {
  if (typeof before === "string" || typeof after === "string" || before === undefined) {
    return before === after
      ? []
      : [`${typeof before === "string" ? before : "injected"} → ${typeof after === "string" ? after : "injected"}`];
  }
  return diffObjects(before, after).flatMap(({ path, before: was, after: is }) => {
    const text = path
      .map((step) => (typeof step === "object" ? `[${step.item}]` : `.${step}`))
      .join("")
      .slice(1);
    if (text.includes("sidecar.istio.io/status")) return [];
    return isEverydayWrite(text, is as JsonValue, was as JsonValue)
      ? []
      : [`${text}: ${JSON.stringify(was)} → ${JSON.stringify(is)}`];
  });
}
