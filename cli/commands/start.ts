// `outrigger start`: an injection webhook on this machine, from a source tree on disk that may be edited while it serves.
import { type Command, InvalidArgumentError } from "commander";
import type { Io } from "../io.ts";
import { treeDirectories } from "../load-injector.ts";
import { findCertificate } from "../server/certificate.ts";
import { serveTree } from "../server/live-injector.ts";
import { startServer } from "../server/local-server.ts";
import { formatRequestLine } from "../server/request-line.ts";
import { curlLine } from "../server/sample-review.ts";

interface StartOptions {
  readonly port: number;
  readonly host: string;
  readonly dir?: string;
  readonly http?: true;
}

const NOTES = `
The certificate is made on first use and kept in $XDG_STATE_HOME/outrigger (~/.local/state/outrigger).
Edits in the source tree are picked up at once; a bad edit is reported, and the last good tree keeps serving.

Examples:
  outrigger start
  outrigger start --dir my-templates --port 9443`;

export function addStartCommand(program: Command, io: Io): void {
  program
    .command("start")
    .alias("dev")
    .description("serve the injection webhook on this machine")
    .option("--port <port>", "the port to listen on; 0 takes a free one", parsePort, 8443)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--dir <dir>", "a source tree to lay over the shipped one")
    .option("--http", "serve plain HTTP")
    .addHelpText("after", NOTES)
    .action((options: StartOptions) => runStart(options, io));
}

async function runStart(options: StartOptions, io: Io): Promise<void> {
  const report = (line: string) => void io.stdout.write(`${line}\n`);
  const tree = await serveTree(treeDirectories(options.dir, io), report);
  try {
    const certificate = options.http === true ? undefined : await findCertificate(options.host, io.env, report);
    const server = await startServer({
      host: options.host,
      port: options.port,
      certificate,
      current: tree.current,
      log: (record) => report(formatRequestLine(record, new Date())),
    });
    const stopped = io.stopped();
    const url = `${certificate === undefined ? "http" : "https"}://${hostInUrl(options.host)}:${server.port}/inject`;
    report(`Outrigger is ready on ${url} (release ${tree.current().release})\n\nTry it:\n\n  ${curlLine(url)}\n`);
    await stopped;
    await server.close();
    report("Stopped");
  } finally {
    tree.close();
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a number from 0 to 65535.");
}

/** The name that a certificate and a person know this machine by, where it listens to itself or to everyone. */
function hostInUrl(host: string): string {
  if (["127.0.0.1", "::1", "0.0.0.0", "::", "localhost"].includes(host)) return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
