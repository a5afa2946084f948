// The exit codes of every command: one table, so that a script can rely on them whatever it runs.
import { type ErrorCode, OutriggerError } from "@outrigger/base";
import { CommanderError } from "commander";

export type ExitCode = 0 | 1 | 2 | 3;

/** Exit code → when a command ends with it. */
export const EXIT_CODES: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [0, "done, and nothing is wrong"],
  [1, "found something: an error in templates, values, a manifest or a cluster, a failed test, a difference"],
  [2, "the command line is wrong"],
  [
    3,
    "could not: not found, not reachable, not allowed, refused because of a pin or of another person's move, or interrupted",
  ],
];

/** The exit code of a command that throws this. The message says what to do; the code says whose turn it is. */
export function exitCodeOf(error: unknown): ExitCode {
  // commander has already written what it has to say; asking for help is no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (!(error instanceof OutriggerError)) return 3;
  const code = EXIT_CODE_OF[error.code];
  return code !== 2 && isFileFault(error.cause) ? 3 : code;
}

/** A file that cannot be read or written: nothing is known about its contents. */
function isFileFault(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && /^E[A-Z]+$/.test(String(cause.code));
}

const EXIT_CODE_OF: Readonly<Record<ErrorCode, ExitCode>> = {
  "review-invalid": 1,
  "review-too-large": 1,
  "content-type-unsupported": 1,
  "url-invalid": 1,
  "method-unsupported": 1,
  "token-unknown": 3,
  "annotation-invalid": 1,
  "template-unknown": 1,
  "pod-invalid": 1,
  "tree-invalid": 1,
  "tag-unclosed": 1,
  "config-invalid": 1,
  "values-invalid": 1,
  "mesh-invalid": 1,
  "template-invalid": 1,
  "template-render": 1,
  "overlay-invalid": 1,
  "yaml-invalid": 1,
  "release-unsupported": 1,
  "store-unavailable": 3,
  "store-denied": 3,
  "store-corrupt": 1,
  "store-full": 1,
  "parameter-exists": 3,
  "parameter-refused": 1,
  "parameter-downgrade": 1,
  "tree-half-pushed": 3,
  "tree-changed": 1,
  "channel-unknown": 3,
  "channel-moved": 3,
  "channel-pinned": 3,
  "edit-held": 3,
  "guardrail-violated": 1,
  "release-unknown": 3,
  "cluster-invalid": 1,
  "deadline-exceeded": 3,
  "aws-denied": 3,
  "aws-unavailable": 3,
  "cluster-unknown": 3,
  "cluster-unreachable": 3,
  "cluster-denied": 3,
  "cluster-conflict": 3,
  "cluster-refused": 3,
  "cluster-kind-unknown": 3,
  "cluster-list-expired": 3,
  "cluster-webhook-failed": 3,
  "endpoint-unfit": 3,
  interrupted: 3,
  findings: 1,
  usage: 2,
  "manifest-invalid": 1,
  "listen-failed": 3,
  "patch-check-failed": 3,
};
