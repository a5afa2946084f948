import { afterEach, describe, expect, it, vi } from "vitest";
import { processState } from "../support/process-state.ts";

/** The traces that may be left behind, each with a way to leave it and to take it back. */
const TRACES: Readonly<Record<string, readonly [leave: () => void, takeBack: () => void]>> = {
  "a variable of the environment": [() => vi.stubEnv("OUTRIGGER_TRACE", "1"), () => vi.unstubAllEnvs()],
  "a copy of the environment": replacedEnvironment(),
  "another directory": changedDirectory(),
  "an exit code": changedExitCode(),
  "a listener": [() => process.on("SIGUSR2", ignore), () => process.off("SIGUSR2", ignore)],
  "a global": [() => vi.stubGlobal("trace", 1), () => vi.unstubAllGlobals()],
  "a replaced global": [() => vi.stubGlobal("fetch", ignore), () => vi.unstubAllGlobals()],
  "a property of every object": [
    () => Object.defineProperty(Object.prototype, "trace", { value: 1, configurable: true }),
    () => Reflect.deleteProperty(Object.prototype, "trace"),
  ],
  "fake timers": [() => vi.useFakeTimers(), () => vi.useRealTimers()],
  "a silenced console": [() => vi.spyOn(console, "warn"), () => vi.restoreAllMocks()],
  "short stack traces": changedStackTraces(),
};

describe("processState()", () => {
  const before = processState();
  afterEach(() => expect(processState()).toEqual(before));

  it("is the same when nothing is left behind", () => {
    expect(processState()).toEqual(before);
  });

  it.each(Object.entries(TRACES))("is another when %s is left behind", (_what, [leave, takeBack]) => {
    leave();
    const after = processState();
    takeBack();
    expect(after).not.toEqual(before);
  });
});

function ignore(): void {}

function replacedEnvironment() {
  const { env } = process;
  return [
    () => {
      process.env = { ...env };
    },
    () => {
      process.env = env;
    },
  ] as const;
}

function changedDirectory() {
  const cwd = process.cwd();
  return [() => process.chdir("/"), () => process.chdir(cwd)] as const;
}

function changedExitCode() {
  const { exitCode } = process;
  const set = (code: typeof exitCode) => () => {
    process.exitCode = code;
  };
  return [set(3), set(exitCode)] as const;
}

function changedStackTraces() {
  const limit = Error.stackTraceLimit;
  const set = (lines: number) => () => {
    Error.stackTraceLimit = lines;
  };
  return [set(0), set(limit)] as const;
}
