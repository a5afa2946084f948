// `outrigger version`.
import type { Command } from "commander";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";

export function addVersionCommand(program: Command, io: Io): void {
  program
    .command("version")
    .description("print the version, and that of Node.js")
    .option("--json", "print it as JSON")
    .action(({ json }: { readonly json?: true }) => {
      const { version } = io;
      printResult(
        io,
        json,
        { outrigger: version, node: process.version },
        `outrigger ${version} (Node.js ${process.version})`,
      );
    });
}
