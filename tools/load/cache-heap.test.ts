import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { builtFunction } from "../../scripts/build/built.ts";
import { projectRoot } from "../../scripts/build/bundled-release.ts";
import { turnOf } from "../../test/support/in-turn.ts";
import { lambdaFlags } from "../bench/lambda-node.ts";
import { deployedNode } from "../support/node24.ts";

/** The share of 256 MB that docs/deploy.md states, in bytes. */
const SHARE = 16_000_000;
/** Of each kind: with some kinds, 50 fill their share. */
const REQUESTS = "100";
const TEN_MINUTES = 600_000;
/** Each commit takes every third kind of pods. */
const SHARES = [0, 1, 2];
/** Bytes that V8 takes in the meantime for other things: code that is compiled only now, and tables that have grown. */
const NOISE = 6_000_000;

let file: string;
beforeAll(async () => {
  file = await builtFunction("inject", "dist/load/cache-heap.cjs");
});

describe("what the inject function remembers across requests", () => {
  it(
    "takes no more of the heap than its share of the function's memory, whatever pods fill it",
    () => {
      const turn = turnOf("Kinds of pods that fill what is remembered", SHARES.length);
      const taken = SHARES.filter((share) => turn.has(share));
      const [loaded, ...filled] = heapsWith(256, taken);
      expect(filled.length).toBeGreaterThan(5 * taken.length);
      const most = (loaded?.heapUsed ?? 0) + SHARE + NOISE;
      expect(filled.filter(({ heapUsed }) => heapUsed > most)).toEqual([]);
    },
    TEN_MINUTES,
  );
});

interface Heap {
  readonly kind: string;
  readonly heapUsed: number;
}

/** The heap of the loaded function, then that after each kind of pods of these shares. */
function heapsWith(memory: number, shares: readonly number[]): readonly Heap[] {
  const script = join(import.meta.dirname, "cache-heap.ts");
  const { stdout, stderr, status } = spawnSync(
    deployedNode().path,
    [...lambdaFlags(memory), "--import", "tsx", script, join(projectRoot, file), REQUESTS, ...shares.map(String)],
    { cwd: projectRoot, encoding: "utf8", env: { ...process.env, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memory) } },
  );
  expect(`${status} ${stderr}`).toBe("0 ");
  return stdout
    .trimEnd()
    .split("\n")
    .map((line): Heap => JSON.parse(line));
}
