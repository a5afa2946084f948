// What an API server says about a workload's pods, in lines. Pure.
import { ageOf } from "../terminal/age.ts";
import type { Admission } from "./explain-result.ts";

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
