// Asks moto, an emulator that others wrote, what a policy allows. Loading moto takes longer than any answer, so one process gives them all.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@outrigger/base";

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

/** What evaluates the policies of a file of tests, until it is ended. */
export interface PolicyEvaluator {
  readonly evaluate: (policy: JsonObject, calls: readonly IamCall[]) => Promise<Evaluation>;
  readonly end: () => void;
}

export function startPolicyEvaluator(python: string): PolicyEvaluator {
  const script = fileURLToPath(new URL("evaluate-policy.py", import.meta.url));
  const child = spawn(python, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async evaluate(policy, calls) {
      const asked = calls.map(({ action, resource, context = {} }) => [action, resource, context]);
      child.stdin.write(`${JSON.stringify({ policy, calls: asked })}\n`);
      const { value, done } = await answers.next();
      if (done === true) throw new Error("Cannot evaluate a policy: moto's evaluator ended, and said why above");
      const answer = JSON.parse(value);
      const denied = (answer.denied as readonly number[]).map((index) => {
        const { action, resource } = calls[index] ?? { action: "", resource: "" };
        return `${action} ${resource}`;
      });
      return { denied: [...new Set(denied)].sort(), needless: answer.needless };
    },
    end: () => child.stdin.end(),
  };
}
