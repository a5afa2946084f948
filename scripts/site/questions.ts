// Twenty questions of readers, and the place that answers each: ten tasks, and ten of an operator at night. `npm run site` searches
// for each as the site's search box does, and prints how many clicks it takes.

export interface Question {
  readonly asked: string;
  /** What a reader types into the search box. */
  readonly search: string;
  /** Page below docs/, with the anchor of the section. */
  readonly answer: string;
}

export const TASK_QUESTIONS: readonly Question[] = [
  { asked: "How do I try it without AWS?", search: "try without AWS", answer: "tasks/quick-start.md" },
  {
    asked: "How do I deploy it for my cluster?",
    search: "deploy register cluster",
    answer: "tasks/deploy-and-register.md#1-deploy",
  },
  { asked: "How do I deploy it with Terraform?", search: "terraform", answer: "deploy-otherwise.md#terraform" },
  { asked: "How do I move from istiod's injector?", search: "move from istio", answer: "tasks/move-from-istio.md" },
  { asked: "How do I upgrade the proxies?", search: "upgrade istio proxies", answer: "tasks/upgrade-istio.md" },
  {
    asked: "How do I use an image of our own registry?",
    search: "proxy image private registry",
    answer: "tasks/change-proxy-image.md#for-every-pod",
  },
  { asked: "How do I keep a port out of the mesh?", search: "exclude port", answer: "tasks/exclude-a-port.md" },
  { asked: "How do I add a sidecar of our own?", search: "own sidecar", answer: "tasks/add-a-sidecar.md" },
  {
    asked: "How do I try an edit on a few workloads?",
    search: "share of workloads",
    answer: "tasks/canary-release.md#a-share-of-all-workloads",
  },
  { asked: "How do I publish from a pipeline?", search: "github actions", answer: "tasks/pipeline.md#github-actions" },
];

export const NIGHT_QUESTIONS: readonly Question[] = [
  {
    asked: "Pods do not start: failed calling webhook. What now?",
    search: "failed calling webhook",
    answer: "operations.md#first-minutes",
  },
  {
    asked: "How do I switch injection off, at once?",
    search: "emergency off",
    answer: "register.md#in-an-emergency",
  },
  {
    asked: "How do I take a bad release back, with its pods?",
    search: "take release back pods",
    answer: "running-pods.md#take-a-release-back-with-its-pods",
  },
  {
    asked: "Why does this pod have no sidecar?",
    search: "pod has no sidecar",
    answer: "tasks/why-not-injected.md#a-pod-has-no-sidecar-the-usual-causes",
  },
  {
    asked: "The alarm publish-refused fired. What is it?",
    search: "publish-refused",
    answer: "runbooks/publishing.md#publish-refused",
  },
  {
    asked: "Calls are slow. Where does the time go?",
    search: "latency alarm",
    answer: "runbooks/injection.md#latency",
  },
  {
    asked: "A token was leaked. How do I revoke it?",
    search: "leaked token",
    answer: "runbooks/endpoint.md#leaked-token",
  },
  {
    asked: "A deploy failed, and the stack takes no other. What now?",
    search: "UPDATE_ROLLBACK_FAILED",
    answer: "failed-deploy.md#when-a-deploy-fails",
  },
  {
    asked: "Parameters were deleted. How do I get them back?",
    search: "parameters deleted restore",
    answer: "editing.md#when-parameters-were-deleted",
  },
  {
    asked: "The Region is down. What do I do?",
    search: "region down",
    answer: "replica.md#while-the-first-region-is-down",
  },
];

export const QUESTIONS: readonly Question[] = [...TASK_QUESTIONS, ...NIGHT_QUESTIONS];
