// The line by which a person sees that a silent command is still at work: after a second, on a terminal, until anything else
// is written.
import type { Io, Output } from "./io.ts";

const CLEAR = "\r\u001b[K";
const SECOND = 1000;

export function waitingLine(io: Pick<Io, "stdout" | "stderr" | "isAsking">) {
  let timer: ReturnType<typeof setInterval> | undefined;
  let isShown = false;
  /** Clears the line for good: another program writes to the terminal, or the command serves until it is stopped. */
  const end = () => {
    clearInterval(timer);
    if (isShown) io.stderr.write(CLEAR);
    isShown = false;
  };
  const begin = (name: string) => {
    let seconds = 0;
    timer = setInterval(() => {
      seconds += 1;
      if (io.isAsking?.()) return end();
      io.stderr.write(`${CLEAR}${name}: ${seconds} s`);
      isShown = true;
    }, SECOND);
    timer.unref();
  };
  const output = (to: Output): Output => ({
    write: (text) => {
      end();
      return to.write(text);
    },
  });
  return { stdout: output(io.stdout), stderr: output(io.stderr), begin, end };
}
