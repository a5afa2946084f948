// What a command's output becomes on its way to a terminal: colours, the line that shows that it is still at work, and the
// format of results for machines.
import { lineColours } from "./colours.ts";
import type { Io, Output } from "./io.ts";
import type { MachineFormat } from "./output-format.ts";

export type TerminalIo = ReturnType<typeof terminalIo>;

export function terminalIo(outer: Io) {
  const line = waitingLine(outer);
  let format: MachineFormat = "json";
  const { stdout, stderr } = outer.colours ?? { stdout: false, stderr: false };
  const io: Io = {
    ...outer,
    stdout: coloured(line.stdout, stdout),
    stderr: coloured(line.stderr, stderr),
    yieldTerminal: line.end,
    machineFormat: () => format,
    // A command that waits to be stopped serves, and is quiet about it.
    stopped: () => {
      line.end();
      return outer.stopped();
    },
  };
  return {
    io,
    /** The command begins, with its name and the format of its result. */
    begin: (name: string, chosen: MachineFormat) => {
      format = chosen;
      if (outer.isTerminal) line.begin(name);
    },
    end: line.end,
  };
}

function coloured(output: Output, isColoured: boolean): Output {
  if (!isColoured) return output;
  const colour = lineColours();
  return { write: (text) => output.write(colour(text)) };
}

// The line by which a person sees that a silent command is still at work: after a second, on a terminal, until anything else
// is written.
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
