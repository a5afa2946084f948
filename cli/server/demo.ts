// `outrigger start --demo`: the commands that a person would type first, carried out against a deployment on this machine.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AwsConnection } from "../connect/aws-connection.ts";
import { makeFolder } from "../project/make-folder.ts";
import { EXIT_CODES } from "../terminal/exit-code.ts";
import type { Io } from "../terminal/io.ts";
import { shellWords } from "../terminal/shell-words.ts";

interface DemoStep {
  readonly title: string;
  /** Files that are written first and shown, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly commands: readonly (readonly string[])[];
  /** Whether the last command is meant to be refused. */
  readonly isRefused?: true;
}

const POD = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec: {containers: [{name: web, image: registry.example/web:1}]}
`;

const STEPS: readonly DemoStep[] = [
  {
    title: "A pod is injected",
    files: { "pod.yaml": POD },
    commands: [["explain", "-f", "pod.yaml", "--namespace-label", "istio-injection=enabled"]],
  },
  {
    title: "A bad edit is refused, with its line, and nothing that is served changes",
    files: { "my-templates/values/50-image.yaml": "global:\n  tag: 1.31.1\n  imagePullPolicy: Sometimes\n" },
    commands: [["push", "my-templates"]],
    isRefused: true,
  },
  {
    title: "A good edit goes to 5 % of the workloads",
    files: { "my-templates/values/50-image.yaml": "global:\n  tag: 1.31.1\n" },
    commands: [
      ["channel", "edits", "canary"],
      ["clusters", "set", "local", "revision.canary=canary"],
      ["push", "my-templates", "--publish", "-m", "Proxy 1.31.1"],
      ["promote", "canary", "stable", "--share", "5", "-m", "Five per cent first"],
    ],
  },
  {
    title: "It is taken back in seconds",
    commands: [["rollback", "stable", "-m", "More 503s than before"]],
  },
];

/**
 * @param connection a deployment as commands see it
 * @throws Error where a command does not end as it is meant to
 */
export async function runDemo(io: Io, connection: AwsConnection, run: NonNullable<Io["runCommand"]>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "outrigger-demo-"));
  // A reader's own deployment has no part in it.
  const env = Object.fromEntries(Object.entries(io.env).filter(([name]) => !/^(AWS|OUTRIGGER)_/.test(name)));
  const inside: Io = { ...io, cwd: folder, env, connect: async () => connection, stderr: io.stdout };
  const say = (line: string) => void io.stdout.write(`${line}\n`);
  try {
    for (const [at, { title, files = {}, commands, isRefused = false }] of STEPS.entries()) {
      say(`\n# ${at + 1}. ${title}`);
      for (const [path, text] of Object.entries(files)) {
        await makeFolder(dirname(join(folder, path)));
        await writeFile(join(folder, path), text);
        say(`\n$ cat ${path}\n${text.trimEnd()}`);
      }
      for (const [index, words] of commands.entries()) {
        say(`\n$ outrigger ${shellWords(words)}`);
        const code = await run(words, inside);
        if ((code !== 0) !== (isRefused && index === commands.length - 1)) throw unexpected(words, code);
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  say("\nNothing of this is left. Try it yourself: outrigger start --fake");
}

function unexpected(words: readonly string[], code: number): Error {
  const [, meaning = ""] = EXIT_CODES.find(([number]) => number === code) ?? [];
  return new Error(`The demo's "outrigger ${words.join(" ")}" ended with ${code}: ${meaning}`);
}
