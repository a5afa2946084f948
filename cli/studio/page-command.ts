// A command that the studio runs for the page. What it prints is kept for the page to read, its question is answered there, and it is
// stopped there as by Ctrl-C. It goes on when no page looks.
import { OutriggerError } from "@outrigger/base";
import type { CommandAction, CommandState } from "@outrigger/studio";
import type { Io } from "../terminal/io.ts";

export type PageCommand = ReturnType<typeof pageCommand>;

/** Characters of the output that are kept: the last. */
const MOST = 100_000;

/** @param run the command; it gives its exit code */
export function pageCommand(run: (io: Io) => Promise<number>, outer: Io) {
  let state: CommandState | null = null;
  let answering: ((answer: string) => void) | undefined;
  let stopping: (() => void) | undefined;

  function change(more: Partial<CommandState>): void {
    if (state !== null) state = { ...state, ...more };
  }

  function begin(): void {
    if (state !== null && state.code === undefined)
      throw new OutriggerError("usage", "Cannot begin: it is under way already");
    state = { text: "", isStopping: false };
    const stopped = new Promise<void>((resolve) => {
      stopping = resolve;
    });
    const output = { write: (text: string) => change({ text: `${state?.text ?? ""}${text}`.slice(-MOST) }) };
    const { columns: _, colours: __, ...others } = outer;
    const io: Io = {
      ...others,
      stdout: output,
      stderr: output,
      isTerminal: false,
      stopped: () => stopped,
      ask: (question) =>
        new Promise((answered) => {
          answering = answered;
          change({ question: question.replace(/ \[y\/N\] $/, "") });
        }),
    };
    void run(io)
      .catch((error: unknown) => {
        output.write(`${String(error)}\n`);
        return 3;
      })
      .then((code) => change({ code }));
  }

  function answer(text: string): void {
    if (answering === undefined || state === null) throw new OutriggerError("usage", "Cannot answer: nothing is asked");
    const { question: _, ...asked } = state;
    state = asked;
    answering(text);
    answering = undefined;
  }

  return {
    state: () => state,
    /** @throws OutriggerError `usage` where that cannot be done now */
    act(action: CommandAction): CommandState | null {
      if (action === "begin") begin();
      else if (action === "stop") {
        change({ isStopping: true });
        stopping?.();
      } else answer(action);
      return state;
    },
  };
}
