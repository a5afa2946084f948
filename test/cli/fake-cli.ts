// One user at one terminal for tests: a directory, a deployment, and command lines.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defined } from "@outrigger/base";
import { type ConnectAws, main, sourceFile } from "@outrigger/cli";
import type { SourceTree } from "@outrigger/injector";
import { fakeIo } from "./fake-io.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** @param shipped the tree beneath every other; the real one where it is left out */
export function fakeCli(connect: ConnectAws, shipped?: SourceTree) {
  const cwd = mkdtempSync(join(tmpdir(), "outrigger-cli-"));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), text);
  };
  for (const [path, text] of Object.entries(shipped ?? {})) write(join("shipped", sourceFile(path)), text);
  return {
    cwd,
    /** A command line, split at spaces; what has spaces itself is given apart. */
    run(line: string, ...more: readonly string[]): Promise<Ran> {
      return this.runIn({}, line, ...more);
    },
    /** Runs a command, as run() does, in an environment. */
    async runIn(env: Readonly<Record<string, string>>, line: string, ...more: readonly string[]): Promise<Ran> {
      const io = fakeIo(
        defined({ cwd, connect, env, templates: shipped === undefined ? undefined : join(cwd, "shipped") }),
      );
      const code = await main([...line.split(" "), ...more], io);
      return { code, out: io.out(), err: io.err() };
    },
    /** The JSON that a command prints. The command must succeed. */
    async json(line: string, ...more: readonly string[]) {
      const { code, out, err } = await this.run(line, ...more, "--json");
      if (code !== 0) throw new Error(`${line}: ${err}`);
      return JSON.parse(out);
    },
    write,
    read: (file: string) => readFileSync(join(cwd, file), "utf8"),
    remove: (file: string) => rmSync(join(cwd, file), { recursive: true, force: true }),
  };
}
