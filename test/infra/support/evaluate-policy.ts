// Asks moto, an emulator that others wrote, what a policy allows.
import { execFileSync } from "node:child_process";
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

export function evaluatePolicy(python: string, policy: JsonObject, calls: readonly IamCall[]): Evaluation {
  const script = fileURLToPath(new URL("evaluate-policy.py", import.meta.url));
  const asked = calls.map(({ action, resource, context = {} }) => [action, resource, context]);
  const input = JSON.stringify({ policy, calls: asked });
  const answer = JSON.parse(execFileSync(python, [script], { input, encoding: "utf8", maxBuffer: 64e6 }));
  const denied = (answer.denied as readonly number[]).map((index) => {
    const { action, resource } = calls[index] ?? { action: "", resource: "" };
    return `${action} ${resource}`;
  });
  return { denied: [...new Set(denied)].sort(), needless: answer.needless };
}
