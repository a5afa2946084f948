// What one file of tests could change under another's feet when both run in the same process.
import { vi } from "vitest";

const ENV = process.env;

/** Two of them are equal, by `toEqual`, where nothing was left behind in between. */
export function processState(): Readonly<Record<string, unknown>> {
  return {
    env: { ...process.env },
    // Vitest takes back what it stubs in the environment that the process started with.
    isOwnEnv: process.env === ENV,
    cwd: process.cwd(),
    exitCode: process.exitCode,
    umask: process.umask(),
    listeners: process.eventNames().map((name) => `${String(name)} ${process.listenerCount(name)}`),
    globals: Object.getOwnPropertyNames(globalThis)
      .filter((name) => !OF_LIBRARIES.test(name))
      .sort(),
    prototypes: [Object, Array, String, Function].map(({ prototype }) => Object.getOwnPropertyNames(prototype)),
    functions: [fetch, setTimeout, setInterval, setImmediate, Date, Math.random, performance.now],
    output: [process.stdout.write, process.stderr.write, console.log, console.warn, console.error],
    hasFakeTimers: vi.isFakeTimers(),
    stackTraceLimit: Error.stackTraceLimit,
  };
}

/** Matches the globals that tslib, the AWS SDK and Vitest define when they are loaded, once and for all. */
const OF_LIBRARIES = /^(?:__|awslambda$)/;
