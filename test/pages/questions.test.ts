// Holds the twenty questions of readers against the pages: each has an answer that is near.
import { describe, expect, it } from "vitest";
import { anchorsOf, pages, textOf } from "./code-blocks.ts";
import { clicksFrom, linkBy } from "./page-clicks.ts";

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

/** Questions of a team without a mesh, each with the place that answers it, and the texts of the links that lead there from the README. */
const MESHLESS_QUESTIONS: readonly (readonly [question: string, answer: string, ...texts: string[]])[] = [
  ["Do I need Istio for it?", "tasks/without-istio.md", "Without a mesh"],
  ["Policies, operators or this?", "compare-with-others.md", "Outrigger or another way to add containers"],
  ["Which sidecars are there to take?", "tasks/add-a-sidecar.md#start-from-the-shelf", "Tasks", "Add your own sidecar"],
  ["Which pods get one?", "configuration.md#who-gets-what", "Without a mesh", "Who gets what"],
  [
    "Which of them starts first?",
    "templates.md#the-order-of-containers",
    "Without a mesh",
    "which container starts first",
  ],
  ["How do dev and prod differ?", "tasks/dev-and-prod.md", "Tasks", "Dev and prod"],
  ["How do I test who gets what?", "testing-templates.md", "Without a mesh", "your tests"],
  [
    "How do I try an edit on 5 % of the workloads?",
    "tasks/canary-release.md#a-share-of-all-workloads",
    "Tasks",
    "Edit, canary, promote, roll back",
  ],
  ["What may a template add to pods?", "guardrails.md", "Without a mesh", "what templates may add"],
  ["Why has my pod no sidecar?", "tasks/why-not-injected.md", "Tasks", "Why was my pod not injected?"],
  [
    "What if AWS is down?",
    "outages.md",
    "Outrigger or another way to add containers",
    "what happens when something fails",
  ],
  ["What does it cost?", "cost.md", "All pages", "What it costs"],
  ["How do I roll back?", "tasks/canary-release.md#roll-back", "Tasks", "Edit, canary, promote, roll back"],
  [
    "What does this message of lint mean?",
    "mistakes.md#sidecars-that-do-not-work",
    "All pages",
    "Typical mistakes, by what is said about them",
  ],
];

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

  it("are fourteen of a team without a mesh", () => {
    expect(new Set(MESHLESS_QUESTIONS.map(([question]) => question)).size).toBe(14);
  });

  it.each(MESHLESS_QUESTIONS)("%s is answered behind links that say so", (...[, answer, ...texts]) => {
    const [wanted = "", anchor] = `docs/${answer}`.split("#");
    expect(texts.length).toBeLessThanOrEqual(2);
    const end = texts.reduce<string | undefined>((page, text) => page && linkBy(text, page, textOf), "README.md");
    expect(end).toBe(wanted);
    if (anchor !== undefined) expect(anchorsOf(textOf(wanted))).toContain(anchor);
  });
});
