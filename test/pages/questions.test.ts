// Holds the twenty questions of readers against the pages: each has an answer that is near.
import { describe, expect, it } from "vitest";
import { anchorsOf, pages, textOf } from "./code-blocks.ts";
import { clicksFrom } from "./page-clicks.ts";

/** Questions, each with the place below docs/ that answers it: ten tasks, and ten of an operator at night. */
const TASK_QUESTIONS = [
  ["How do I try it without AWS?", "tasks/quick-start.md"],
  ["How do I deploy it for my cluster?", "tasks/deploy-and-register.md#1-deploy"],
  ["How do I deploy it with Terraform?", "deploy-otherwise.md#terraform"],
  ["How do I move from istiod's injector?", "tasks/move-from-istio.md"],
  ["How do I upgrade the proxies?", "tasks/upgrade-istio.md"],
  ["How do I use an image of our own registry?", "tasks/change-proxy-image.md#for-every-pod"],
  ["How do I keep a port out of the mesh?", "tasks/exclude-a-port.md"],
  ["How do I add a sidecar of our own?", "tasks/add-a-sidecar.md"],
  ["How do I try an edit on a few workloads?", "tasks/canary-release.md#a-share-of-all-workloads"],
  ["How do I publish from a pipeline?", "tasks/pipeline.md#github-actions"],
] as const;

const NIGHT_QUESTIONS = [
  ["Pods do not start: failed calling webhook. What now?", "operations.md#first-minutes"],
  ["How do I switch injection off, at once?", "register.md#in-an-emergency"],
  ["How do I take a bad release back, with its pods?", "running-pods.md#take-a-release-back-with-its-pods"],
  ["Why does this pod have no sidecar?", "tasks/why-not-injected.md#a-pod-has-no-sidecar-the-usual-causes"],
  ["The alarm publish-refused fired. What is it?", "runbooks/publishing.md#publish-refused"],
  ["Calls are slow. Where does the time go?", "runbooks/injection.md#latency"],
  ["A token was leaked. How do I revoke it?", "runbooks/endpoint.md#leaked-token"],
  ["A deploy failed, and the stack takes no other. What now?", "failed-deploy.md#when-a-deploy-fails"],
  ["Parameters were deleted. How do I get them back?", "editing.md#when-parameters-were-deleted"],
  ["The Region is down. What do I do?", "replica.md#while-the-first-region-is-down"],
] as const;

const QUESTIONS = [...TASK_QUESTIONS, ...NIGHT_QUESTIONS];

const clicks = clicksFrom("README.md", { pages: pages(), textOf });

describe("the questions of readers", () => {
  it("are ten tasks, and ten at night", () => {
    expect([TASK_QUESTIONS.length, NIGHT_QUESTIONS.length]).toEqual([10, 10]);
    expect(new Set(QUESTIONS.map(([, answer]) => answer)).size).toBe(20);
  });

  it.each(QUESTIONS)("%s is answered at most two clicks from the README", (_, answer) => {
    const [page = "", anchor] = `docs/${answer}`.split("#");
    expect(clicks.get(page)).toBeLessThanOrEqual(2);
    if (anchor !== undefined) expect(anchorsOf(textOf(page))).toContain(anchor);
  });
});
