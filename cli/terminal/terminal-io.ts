// What a command's output becomes on its way to a terminal: colours, the line that shows that it is still at work, and the
// format of results for machines.
import { lineColours } from "./colours.ts";
import type { Io, Output } from "./io.ts";
import type { MachineFormat } from "./output-format.ts";
import { waitingLine } from "./waiting-line.ts";

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
