// Tests that follow a whole story through slow doors, whose steps are tested one by one elsewhere: each commit runs a share of them, chosen by
// its hash, OUTRIGGER_SHARE=N runs the Nth, and OUTRIGGER_WHOLE=1 all. docs/contributing/measuring-tools.md lists them.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { TestContext } from "vitest";

type Register = (name: string, run: (context: TestContext) => Promise<void>) => void;

/** The function `it` of Vitest, as far as stories need it. */
type It = Register & { readonly skip: Register };

/** Which shares of some stories a commit runs. */
export interface Turn {
  readonly shares: number;
  /** Whether a share is run; the first one is 0. */
  readonly has: (share: number) => boolean;
}

/** Returns whose turn it is among stories, and prints it. */
export function turnOf(
  what: string,
  shares: number,
  isWhole = process.env["OUTRIGGER_WHOLE"] === "1",
  commit = commitOf(),
): Turn {
  if (isWhole) return { shares, has: () => true };
  const taken = shareOf(commit, shares);
  console.info(
    `${what}: share ${taken + 1} of ${shares}, by the commit. OUTRIGGER_SHARE=N takes another, OUTRIGGER_WHOLE=1 all.`,
  );
  return { shares, has: (share) => share === taken };
}

/** Returns `it` for stories that follow one another: it runs those whose turn it is and reports the others as skipped. */
export function inTurn(it: It, { shares, has }: Turn): Register {
  let count = 0;
  return (name, run) => (has(count++ % shares) ? it : it.skip)(name, run);
}

/** The share of a commit: any, but always the same. */
function shareOf(commit: string, shares: number): number {
  return Number.parseInt(commit.slice(0, 8), 16) % shares;
}

/**
 * The hash of the commit that is checked out; of a copy without Git, one that is always the same. Where a share is asked for, one whose
 * share that is.
 */
function commitOf(): string {
  const asked = process.env["OUTRIGGER_SHARE"];
  if (asked !== undefined) return (Number(asked) - 1).toString(16).padStart(8, "0");
  try {
    const cwd = fileURLToPath(new URL("../..", import.meta.url));
    return execFileSync("git", ["rev-parse", "HEAD"], { cwd, stdio: "pipe", encoding: "utf8" });
  } catch {
    return "00000000";
  }
}
