// What a command's output becomes on its way to a terminal: colours, the line that shows that it is still at work, and the
// format of results for machines.
import { lineColours } from "./colours.ts";
import type { Io, Output } from "./io.ts";
import type { MachineFormat } from "./output-format.ts";
import { waitingLine } from "./waiting-line.ts";

export interface TerminalIo {
  readonly io: Io;
  /** The command begins, with its name and the format of its result. */
  readonly begin: (name: string, format: MachineFormat) => void;
  readonly end: () => void;
}

export function terminalIo(outer: Io): TerminalIo {
  const line = waitingLine(outer, outer.isAsking);
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
    begin: (name, chosen) => {
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
