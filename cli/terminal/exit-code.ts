// The exit codes of every command: one table, so that a script can rely on them whatever it runs.
import { type Fault, faultOf, OutriggerError } from "@outrigger/base";
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
  const code = EXIT_CODE_OF[faultOf(error.code)];
  return code !== 2 && isFileFault(error.cause) ? 3 : code;
}

/** A file that cannot be read or written: nothing is known about its contents. */
function isFileFault(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && /^E[A-Z]+$/.test(String(cause.code));
}

const EXIT_CODE_OF: Readonly<Record<Fault, ExitCode>> = {
  caller: 1,
  token: 3,
  url: 1,
  author: 1,
  operator: 1,
  circumstance: 3,
  outage: 3,
  user: 2,
  bug: 3,
};
