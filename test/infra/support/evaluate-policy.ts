// Asks moto, an emulator that others wrote, what a policy allows. Loading moto takes longer than any answer, so one process gives them all.
import type { JsonObject } from "@outrigger/base";
import { startLineServer } from "./line-server.ts";

/** A call as IAM sees it. */
export interface IamCall {
  readonly action: string;
  readonly resource: string;
  /** Condition keys with their values. */
  readonly context?: Readonly<Record<string, string>>;
}

export interface Evaluation {
  readonly denied: readonly string[];
  /** Actions and resources of statements that could go: every call would still be allowed. */
  readonly needless: readonly string[];
}

/** What the program answers: calls by their index. */
interface Answer extends Pick<Evaluation, "needless"> {
  readonly denied: readonly number[];
}

/** What evaluates the policies of a file of tests, until it is ended. */
export interface PolicyEvaluator {
  readonly evaluate: (policy: JsonObject, calls: readonly IamCall[]) => Promise<Evaluation>;
  readonly end: () => void;
}

export function startPolicyEvaluator(python: string): PolicyEvaluator {
  const { ask, end } = startLineServer(python, "evaluate-policy.py");
  return {
    async evaluate(policy, calls) {
      const asked = calls.map(({ action, resource, context = {} }) => [action, resource, context]);
      const answer = (await ask({ policy, calls: asked })) as Answer;
      const denied = answer.denied.map((index) => {
        const { action, resource } = calls[index] ?? { action: "", resource: "" };
        return `${action} ${resource}`;
      });
      return { denied: [...new Set(denied)].sort(), needless: answer.needless };
    },
    end,
  };
}
