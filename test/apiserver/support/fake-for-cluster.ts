// `outrigger start --fake --kubeconfig FILE` and other commands as processes of their own, with the built executable: what a process that is
// killed leaves is what is there afterwards.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { builtCli } from "../../../scripts/build/built.ts";
import { ROOT } from "../../pages/code-blocks.ts";
import { endProcess } from "../../support/end-process.ts";

/** How a process ended, and what it printed. */
export interface EndedProcess {
  /** `undefined` for a process that was killed. */
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

interface OwnProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<EndedProcess>;
}

export interface FakeForCluster {
  /** Starts `outrigger` with these words, for the cluster of a kubeconfig. */
  readonly start: (kubeconfig: string, ...argv: readonly string[]) => OwnProcess;
  /** The authority of the webhook's certificate. */
  readonly caFile: string;
  readonly close: () => Promise<void>;
}

/**
 * @param folder the working directory of every process, and the home of its user
 * @param kubeconfig the file with the cluster that EKS describes
 */
export async function startFakeForCluster(folder: string, kubeconfig: string): Promise<FakeForCluster> {
  const executable = join(ROOT, await builtCli());
  const own = { PATH: process.env["PATH"] ?? "", HOME: folder, USER: "ada" };
  const start = (env: Readonly<Record<string, string>>, argv: readonly string[]) => {
    const child = spawn(process.execPath, [executable, ...argv], { cwd: folder, env });
    const said = { out: "", err: "" };
    for (const [name, stream] of [["out", child.stdout] as const, ["err", child.stderr] as const])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said[name] += text;
      });
    const ended = new Promise<EndedProcess>((resolve) => {
      child.once("close", (code) => resolve({ code: code ?? undefined, ...said }));
    });
    return { child, said, ended };
  };
  const fake = start(own, ["start", "--fake", "--no-studio", "--port", "0", "--kubeconfig", kubeconfig]);
  await vi.waitFor(() => expect(fake.said.out, fake.said.err).toContain("  unset "), { timeout: 120_000 });
  const assignments = (/^ {2}export (.*)$/m.exec(fake.said.out)?.[1] ?? "").split(" ");
  const exported = Object.fromEntries(assignments.map((one) => one.split("=") as [string, string]));
  return {
    start: (file, ...argv) => start({ ...own, ...exported, KUBECONFIG: file }, argv),
    caFile: String(exported["NODE_EXTRA_CA_CERTS"]),
    close: () => endProcess(fake.child),
  };
}
