// Runs a page's blocks in bash as in one terminal, in a folder that is empty at first: `cd` holds for what follows. `outrigger`
// and `npx outrigger` are programs that hand their words, folder, environment and standard input to this process, which has the
// command line loaded already: a page of ten commands would otherwise start Node ten times.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { connectLazily, main } from "@outrigger/cli";
import { vi } from "vitest";
import { type FakeIo, fakeIo } from "../cli/fake-io.ts";
import { listening } from "../support/loopback.ts";
import { runProgram } from "../support/run-program.ts";

export interface ShellResult {
  readonly code: number;
  /** Standard output and standard error, as a terminal shows them. */
  readonly output: string;
}

export interface Shell {
  /** The folder in which the reader works. */
  readonly folder: string;
  readonly run: (script: string) => Promise<ShellResult>;
  /** Starts a command that continues, and waits until it says that it is ready. Its `export` lines hold for what follows. */
  readonly start: (script: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

/**
 * The client that stands for `outrigger`. It sends a request as lines of base64: the folder, the environment, the
 * words, an empty line, standard input.
 */
const CLIENT = `#!/usr/bin/env bash
plain() { base64 | tr -d '\\n'; echo; }
exec 3<>"/dev/tcp/127.0.0.1/$OUTRIGGER_SHELL_PORT"
{ printf %s "$PWD" | plain; env -0 | plain; for word; do printf '%s.' "$word" | plain; done; echo; plain; } >&3
read -r out <&3; read -r err <&3; read -r code <&3
printf %s "$err" | base64 -d >&2
printf %s "$out" | base64 -d
exit "$code"
`;

/** `npx outrigger` is `outrigger`; what a page must not run without a mark fails by name, whatever this machine has. */
const NPX = `#!/usr/bin/env bash
if [ "$1" = outrigger ]; then exec "$@"; fi
echo "npx $1: not run by this test: mark the block" >&2; exit 97
`;
const NOT_RUN = `#!/usr/bin/env bash
echo "$(basename "$0"): not run by this test: mark the block" >&2; exit 97
`;

/** Matches the variables of the environment that a command may see. */
const PASSED = /^(AWS_|OUTRIGGER_(?!SHELL)|XDG_|HOME$|KUBECONFIG$|NO_COLOR$)/;

/**
 * Returns the process in which `outrigger` runs: its folder, its environment, its standard input, and the home of its
 * user.
 */
export type IoFor = (
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly input: readonly string[] },
  home: string,
) => FakeIo;

const ofThisMachine: IoFor = (place, home) =>
  fakeIo({ ...place, studio: join(home, "studio"), connect: connectLazily(place.env, "1.2.3") });

export interface ShellSettings {
  /** Programs of this machine that blocks may run; by default none. */
  readonly programs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export async function openShell(ioFor: IoFor = ofThisMachine, settings: ShellSettings = {}): Promise<Shell> {
  const home = mkdtempSync(join(tmpdir(), "outrigger-page-"));
  const folder = join(home, "reader");
  const programs = join(home, "bin");
  for (const made of [folder, programs, join(home, "studio")]) mkdirSync(made);
  // The page itself is built and tried elsewhere.
  for (const file of ["index.html", "main.js", "main.css", "worker.js"]) writeFileSync(join(home, "studio", file), "");
  for (const [name, text] of [
    ["outrigger", CLIENT],
    ["npx", NPX],
    ...["npm", "aws", "kubectl", "helm", "kind", "curl", "istioctl", "docker", "eksctl"]
      .filter((name) => settings.programs?.includes(name) !== true)
      .map((name) => [name, NOT_RUN] as const),
  ] as const) {
    writeFileSync(join(programs, name), text);
    chmodSync(join(programs, name), 0o755);
  }

  const running: { readonly io: FakeIo; readonly ended: Promise<number> }[] = [];
  const server = createServer((socket) => void answer(socket).catch(() => socket.destroy()));
  let environment: Readonly<Record<string, string>> = {
    PATH: `${programs}${delimiter}${process.env["PATH"]}`,
    HOME: home,
    OUTRIGGER_SHELL_PORT: String(await listening(server)),
    ...settings.env,
  };

  const ioOf = (cwd: string, env: Readonly<Record<string, string>>, input: string): FakeIo =>
    ioFor({ cwd, env, input: [input] }, home);

  async function answer(socket: Socket): Promise<void> {
    const { cwd, env, words, input } = await readRequest(socket);
    const io = ioOf(cwd, env, input);
    const code = await main(words, io);
    socket.end(`${[io.out(), io.err()].map((text) => Buffer.from(text).toString("base64")).join("\n")}\n${code}\n`);
  }

  /** The file with the folder in which the last block has left the reader. */
  const place = join(home, "place");
  const workingFolder = () => (existsSync(place) ? readFileSync(place, "utf8").trim() : folder);

  async function run(script: string): Promise<ShellResult> {
    // One stream for both, in the order of a terminal.
    const words = ["-e", "-o", "pipefail", "-c", `exec 2>&1; trap 'pwd > "$HOME/place"' EXIT\n${script}`];
    const options = { cwd: workingFolder(), env: environment, timeout: 180_000 };
    const { code, out: output } = await runProgram("bash", words, options);
    return { code, output };
  }

  return {
    folder,
    run,
    async start(script) {
      // A free port in place of the one that the reader's machine has free.
      const words = [...script.trim().split(/\s+/).slice(1), ...(script.includes(" start") ? ["--port", "0"] : [])];
      const io = ioOf(workingFolder(), environment, "");
      const ended = main(words, io);
      running.push({ io, ended });
      const printed = () => `${io.out()}${io.err()}`;
      let code: number | undefined;
      void ended.then((value) => (code = value));
      const last = script.includes("--fake") ? /^\s*export .*\n/m : /^.*http\S+:\d+\S*.*\n/m;
      while (!last.test(printed())) {
        if (code !== undefined) throw new Error(`${script.trim()} ended with ${code}: ${printed()}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const exported = [...printed().matchAll(/^\s*export (.*)$/gm)].flatMap(([, assignments = ""]) =>
        [...assignments.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value] as const),
      );
      environment = { ...environment, ...Object.fromEntries(exported) };
      // The AWS SDK reads the environment of its process, which is this one.
      for (const [name = "", value] of exported) vi.stubEnv(name, value);
      return printed();
    },
    async close() {
      vi.unstubAllEnvs();
      for (const { io } of running) io.stop();
      await Promise.all(running.map(({ ended }) => ended));
      await new Promise((resolve) => server.close(resolve));
      rmSync(home, { recursive: true, force: true });
    },
  };
}

interface Request {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly words: readonly string[];
  readonly input: string;
}

function readRequest(socket: Socket): Promise<Request> {
  let text = "";
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("end", () => reject(new Error("the request was cut")));
    socket.on("data", (chunk) => {
      text += String(chunk);
      const request = parseRequest(text.split("\n"));
      if (request !== undefined) resolve(request);
    });
  });
}

/**
 * Reads a request, or returns undefined while lines are missing: the last one is standard input, and ends in a line
 * break too.
 */
function parseRequest(lines: readonly string[]): Request | undefined {
  const empty = lines.indexOf("", 2);
  if (empty === -1 || lines.length < empty + 3) return undefined;
  const [cwd = "", env = "", ...words] = lines.slice(0, empty).map(plain);
  const pairs = env.split("\0").map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
  return {
    cwd,
    env: Object.fromEntries(pairs.filter(([name = ""]) => PASSED.test(name))),
    // A word ends in a dot of ours, so that an empty one is no empty line.
    words: words.map((word) => word.slice(0, -1)),
    input: plain(lines[empty + 1] ?? ""),
  };
}

function plain(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}
