// What a command says while it waits for long, in a pipeline too: silence is taken for a fault, and the command is stopped half way.
import type { Io } from "./io.ts";
import { printable } from "./printable.ts";

/** Milliseconds until a wait is worth a line, and then between two. */
const FIRST = 5000;
const INTERVAL = 15_000;

/**
 * Waits for an answer, and says so on standard error while it does not come.
 *
 * @param of who is to answer
 */
export async function waitAloud<Answer>(
  answer: Promise<Answer>,
  of: string,
  { stderr }: Pick<Io, "stderr">,
): Promise<Answer> {
  let waited = 0;
  let timer: NodeJS.Timeout | undefined;
  const wait = (milliseconds: number) => {
    timer = setTimeout(() => {
      waited += milliseconds;
      const line = `Still waiting for ${of} after ${waited / 1000} s: AWS is slow or throttles calls. What it has made stays made; the same command, run again, continues\n`;
      stderr.write(printable(line));
      wait(INTERVAL);
    }, milliseconds);
    timer.unref();
  };
  wait(FIRST);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
