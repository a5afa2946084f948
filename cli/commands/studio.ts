// `outrigger studio`: edit a source tree and preview its pods in a browser.
import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type { Io } from "../io.ts";
import { readPage } from "../studio/page-files.ts";
import { type Studio, startStudio } from "../studio/studio-server.ts";
import { directoryWorkspace } from "../studio/studio-workspace.ts";
import { shippedTree } from "../tree/read-trees.ts";

interface StudioOptions {
  readonly dir?: string;
  readonly port: number;
}

const NOTES = `
Opens nothing by itself: follow the address that it prints. The address has a key, because whoever has it can edit the
directory. The studio listens on 127.0.0.1 only, and ends with the command.

Without --dir, the studio shows the shipped templates; edits are previewed and can be shared, but not saved.

Examples:
  outrigger studio --dir my-templates
  outrigger studio --dir my-templates --port 8444`;

export function addStudioCommand(program: Command, io: Io): void {
  program
    .command("studio")
    .description("edit templates and preview pods in a browser")
    .option("--dir <dir>", "a source tree to lay over the shipped one")
    .option("--port <port>", "the port to listen on; 0 takes a free one", parsePort, 0)
    .addHelpText("after", NOTES)
    .action(async (options: StudioOptions) => {
      const studio = await openStudio(options, io);
      const stopped = io.stopped();
      io.stdout.write(`The studio is ready on ${studio.url}\n`);
      await stopped;
      await studio.close();
      io.stdout.write("Stopped\n");
    });
}

/** Starts the studio of a directory. */
export async function openStudio({ dir, port }: StudioOptions, io: Io): Promise<Studio> {
  const directory = dir === undefined ? undefined : resolve(io.cwd, dir);
  const workspace = directoryWorkspace(directory, () => shippedTree(io));
  return startStudio({ port, page: await readPage(io.studio), workspace });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a number from 0 to 65535.");
}
