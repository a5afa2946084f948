// How Lambda starts Node 24, for measuring here: the flags of its bootstrap, and what its runtime client has loaded before
// it loads the function (npm `aws-lambda-ric` 4.0.2, which test/runtime runs).

/** The memory of the function by default, in MB. */
export const DEFAULT_MEMORY = 1769;

/** @param memory of the function, in MB. The young generation gets a tenth of it in two halves, the old one the rest. */
export function lambdaFlags(memory: number): readonly string[] {
  const young = Math.floor(memory / 10);
  return [
    "--expose-gc",
    "--max-http-header-size=81920",
    `--max-semi-space-size=${Math.floor(young / 2)}`,
    `--max-old-space-size=${memory - young}`,
  ];
}

/** Node's modules that the runtime client requires: test/runtime/sandbox.test.ts compares them with its text. */
export const CLIENT_MODULES: readonly string[] = ["fs", "http", "net", "os", "path", "util", "worker_threads"];
