// The entry of the `outrigger` executable: hands the real process to main().
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { connectLazily } from "./connect/connect-lazily.ts";
import { main } from "./main.ts";
import { hasColours } from "./terminal/colours.ts";

/** Put in when the executable is built. */
declare const OUTRIGGER_VERSION: string;

// The SDK is part of this file: what it says of its own later versions helps nobody who runs it.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of the output (`| head`) has read enough.
  process.exit(error.code === "EPIPE" ? 0 : 1);
});

process.exitCode = await main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
  env: process.env,
  // From cli/ and from dist/ alike.
  templates: fileURLToPath(new URL("../templates", import.meta.url)),
  service: fileURLToPath(new URL("../dist/deploy", import.meta.url)),
  examples: fileURLToPath(new URL("../docs/examples", import.meta.url)),
  studio: fileURLToPath(new URL("../dist/studio", import.meta.url)),
  version: OUTRIGGER_VERSION,
  isTerminal: process.stderr.isTTY === true,
  // A terminal that does not know its width says 0.
  ...(process.stdout.columns > 0 && { columns: process.stdout.columns }),
  colours: {
    stdout: hasColours(process.stdout.isTTY === true, process.env),
    stderr: hasColours(process.stderr.isTTY === true, process.env),
  },
  // readline listens for keys while it asks.
  isAsking: () => process.stdin.listenerCount("keypress") > 0,
  ...(process.stdin.isTTY === true && process.stderr.isTTY === true ? { ask } : {}),
  connect: connectLazily(process.env, OUTRIGGER_VERSION),
  leave: () => process.exit(0),
  stopped,
});

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}

/** The first signal asks to stop; `once` leaves the second to Node, which ends the process. */
function stopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
