// `outrigger version`.
import type { Command } from "commander";
import type { Io } from "../io.ts";

export function addVersionCommand(program: Command, io: Io): void {
  program
    .command("version")
    .description("print the version, and that of Node.js")
    .action(() => void io.stdout.write(`outrigger ${io.version} (Node.js ${process.version})\n`));
}
