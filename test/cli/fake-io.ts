// A process for tests of the command line: what it writes is kept, and it stops on request.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Io } from "@outrigger/cli";

export interface FakeIo extends Io {
  readonly out: () => string;
  /** Without the lines that say how long it waits: those are the machine's. */
  readonly err: () => string;
  /** Lets a server stop. */
  readonly stop: () => void;
}

/** cli/terminal/wait-aloud.ts writes it where an answer takes seconds, which one in the same process does on a busy machine. */
const WAITS = /^Still waiting for .*\n/gm;

export function fakeIo(
  options: Partial<
    Pick<Io, "cwd" | "env" | "connect" | "isTerminal" | "templates" | "studio" | "service" | "run" | "sleep">
  > & {
    readonly input?: readonly (string | Uint8Array)[];
  } = {},
): FakeIo {
  const out: string[] = [];
  const err: string[] = [];
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  return {
    stdin: (async function* () {
      yield* options.input ?? [];
    })(),
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    // Not the process's own: a command that writes would leave its files in the checkout.
    cwd: options.cwd ?? join(tmpdir(), "outrigger-nowhere"),
    env: options.env ?? {},
    // Not the one that a build may have left: a test would deploy.
    service: options.service ?? join(tmpdir(), "outrigger-nowhere"),
    ...(options.run === undefined ? {} : { run: options.run }),
    studio: options.studio ?? fileURLToPath(new URL("../../dist/studio", import.meta.url)),
    examples: fileURLToPath(new URL("../../docs/examples", import.meta.url)),
    templates: options.templates ?? fileURLToPath(new URL("../../templates", import.meta.url)),
    version: "1.2.3",
    isTerminal: options.isTerminal ?? false,
    connect: options.connect ?? (() => Promise.reject(new Error("this test has no AWS"))),
    stopped: () => stopped,
    sleep: options.sleep ?? (async () => {}),
    out: () => out.join(""),
    err: () => err.join("").replaceAll(WAITS, ""),
    stop: () => stop(),
  };
}
