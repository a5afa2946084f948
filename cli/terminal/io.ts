// What the command line tool may touch of the process it runs in, so that a test can be that process.
import type { ConnectAws } from "../connect/aws-connection.ts";
import type { MachineFormat } from "./output-format.ts";

/** The process that a command line runs in: streams, folder, environment and the ways out of it. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** The directory that relative file names start in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory of the shipped source tree. */
  readonly templates: string;
  /** The directory of the packaged service: what `outrigger deploy` deploys. */
  readonly service: string;
  readonly examples: string;
  readonly studio: string;
  readonly version: string;
  /** Whether a person reads standard error: progress is for them alone. */
  readonly isTerminal: boolean;
  /** The columns of the terminal of standard output. Left out: it is no terminal. */
  readonly columns?: number;
  /** The streams that are coloured. Left out: none. */
  readonly colours?: { readonly stdout: boolean; readonly stderr: boolean };
  /** Whether a question waits for its answer on the terminal. */
  readonly isAsking?: () => boolean;
  /** Asks a person on the terminal. Left out where there is none. */
  readonly ask?: (question: string) => Promise<string>;
  /** Clears what is shown for the time being: another program takes over the terminal. */
  readonly yieldTerminal?: () => void;
  /** The format of a result for machines; set from the options of the command. Left out: JSON. */
  readonly machineFormat?: () => MachineFormat;
  readonly connect: ConnectAws;
  /** Resolves when the user asks the tool to stop; until it is called, that ends the process. */
  readonly stopped: () => Promise<void>;
  /** Ends the process, whatever still waits for an answer. Left out: it ends when nothing does. */
  readonly leave?: () => void;
  /** Runs another command line of this tool; `main` sets it. */
  readonly runCommand?: (argv: readonly string[], io: Io) => Promise<number>;
  /** Runs another program, with the terminal, and gives its exit code. Left out: a process of this machine. */
  readonly run?: RunProgram;
  /** Waits, in milliseconds. Left out: as long as it says. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
}

export type RunProgram = (
  command: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly env: Io["env"] },
) => Promise<number>;

export interface Output {
  write(text: string): unknown;
}
