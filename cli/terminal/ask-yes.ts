// A question that is answered with yes or no.
import { usageError } from "@outrigger/base";
import type { Io } from "./io.ts";

/**
 * Returns where a person says yes.
 *
 * @param nothing what is so otherwise: `Nothing was restarted`
 * @param unasked thrown where there is no terminal
 * @throws OutriggerError `usage` where the answer is no
 */
export async function askYes(
  { ask }: Pick<Io, "ask">,
  question: string,
  nothing: string,
  unasked = usageError("Cannot ask: there is no terminal; say --yes, or look at the plan with --dry-run"),
): Promise<void> {
  if (ask === undefined) throw unasked;
  const answer = await ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer)) throw usageError(nothing);
}
