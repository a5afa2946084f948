// What `outrigger explain` says of a pod in lines: the verdict, after everything that leads to it; what an API server says about the
// workload's pods; and with `--lines`, the injected pod, with the line or step that wrote each of its lines. Pure.
import { unlessOwnError } from "@outrigger/base";
import type { tryWorkload } from "@outrigger/cluster";
import { type InjectRequest, traceInjection } from "@outrigger/injector";
import type { explainSelection } from "@outrigger/webhook";
import { ageOf } from "../terminal/age-of.ts";
import type { Account } from "./explain-pod.ts";

export type Selection = ReturnType<typeof explainSelection>[number];

export type Admission = Awaited<ReturnType<typeof tryWorkload>>;

/** Undefined where neither a cluster nor the namespace's labels are known. */
type Selections = readonly Selection[] | undefined;

/** @param admission undefined where no cluster was asked */
export function resultOf(account: Account, selection: Selections, admission?: Admission): string {
  const answer = admission?.answer;
  const expected = expectedResult(account, selection);
  if (answer?.kind === "rejected") {
    const isOwn = answer.cause === "own-denial" && account.decision === "refused";
    return isOwn ? expected : `the API server rejects the pod: ${answer.message}`;
  }
  const isSent = account.decision === "injected" && !isUnsent(selection);
  if (answer?.kind === "admitted" && isSent && !answer.isInjected) {
    return "no sidecar, although the release injects it: the call fails and is ignored (outrigger check), the served release is another, or another webhook takes the sidecar away";
  }
  const [obstacle] = answer?.kind === "admitted" ? answer.obstacles : [];
  return obstacle === undefined ? expected : `${expected}, but it does not run: ${obstacle.problem}`;
}

function expectedResult({ decision, message, templates }: Account, selection: Selections): string {
  if (isUnsent(selection)) return "no sidecar, because no webhook is called";
  if (decision === "skipped") return `no sidecar, because ${message}`;
  if (decision === "refused") return `the pod is denied: ${message}`;
  const names = templates.map(({ name }) => name).join(", ");
  const injected = names === "" ? "injected without a template" : `injected with ${names}`;
  return selection === undefined
    ? `${injected}, if a webhook is called: name the cluster with --context, or its namespace's labels with --namespace-label`
    : injected;
}

/** Whether it is known that no webhook is called. */
export function isUnsent(selection: Selections): boolean {
  return selection?.every(({ isSent }) => !isSent) ?? false;
}

/** @param now milliseconds since 1970 */
export function admissionLines({ answer, otherWebhooks, failures }: Admission, now: number): readonly string[] {
  const others = otherWebhooks.known
    ? otherWebhooks.value.flatMap(otherWebhookLines)
    : [`  Other webhooks: not known, because ${otherWebhooks.why}`];
  const failed = failures.known
    ? failures.value.flatMap(({ owner, at, message, remediation }) => [
        `  ${owner} could not make a pod${at === 0 ? "" : ` ${ageOf(new Date(at).toISOString(), now)} ago`}: ${message}`,
        `    Fix: ${remediation}`,
      ])
    : [`  Pods that could not be made: not known, because ${failures.why}`];
  return [...answerLines(answer), ...others, ...failed];
}

function answerLines(answer: Admission["answer"]): readonly string[] {
  if (answer.kind === "untried") return [`  API server: not asked, because ${answer.why}`];
  if (answer.kind === "rejected") {
    return [`  API server: rejects it (${answer.cause}): ${answer.message}`, `    Fix: ${answer.remediation}`];
  }
  return [
    `  API server: admits it ${answer.isInjected ? "with" : "without"} a sidecar, as a dry run`,
    ...answer.warnings.map((warning) => `    it warns: ${warning}`),
    ...answer.obstacles.flatMap(({ problem, remediation }) => [`    but ${problem}`, `    Fix: ${remediation}`]),
  ];
}

type OtherWebhook = Extract<Admission["otherWebhooks"], { readonly known: true }>["value"][number];

function otherWebhookLines(webhook: OtherWebhook): readonly string[] {
  const { name, configuration, kind, failurePolicy, isConditional, problem, remediation } = webhook;
  const about = `${kind}, ${failurePolicy}${isConditional ? ", if its conditions hold" : ""}`;
  return [
    `  Also sent to: ${name} of ${configuration} (${about})${problem === undefined ? "" : `: ${problem}`}`,
    ...(remediation === undefined ? [] : [`    Fix: ${remediation}`]),
  ];
}

/** A line of the injected pod. Neither `path` nor `step`: the author wrote it. */
export interface ExplainedLine {
  readonly text: string;
  /** The template or partial that wrote it, with its 1-based line. */
  readonly path?: string;
  readonly line?: number;
  readonly step?: string;
}

/** Undefined for a pod that is not injected. */
export function explainLines(
  traced: Parameters<typeof traceInjection>[0],
  request: InjectRequest,
): readonly ExplainedLine[] | undefined {
  // The account says why a pod is refused.
  const trace = unlessOwnError(() => traceInjection(traced, request));
  return trace?.lines.map(({ text, origin }) => {
    if (origin.kind === "template") return { text, path: origin.path, line: origin.line };
    return origin.kind === "step" ? { text, step: origin.step } : { text };
  });
}

/** Lines as `git blame` prints them: who wrote the line, then the line. */
export function formatLines(lines: readonly ExplainedLine[]): readonly string[] {
  const writers = lines.map(({ path, line, step }) => (path === undefined ? (step ?? "") : `${path}:${line}`));
  const width = Math.max(...writers.map(({ length }) => length));
  return lines.map(({ text }, at) => `${(writers[at] as string).padEnd(width)} | ${text}`);
}
