// The steps of `npm run acceptance` on what `outrigger start --fake` gives: all that needs neither CloudFormation nor CloudWatch is
// carried out, so that the run itself is known to work. Time passes when a command waits. Of this run and the one against AWS's emulator
// (test/infra/deploy/acceptance.test.ts), each commit takes one.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeleteParametersCommand, PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { connectLazily, main } from "@outrigger/cli";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { acceptanceReport } from "../../tools/acceptance/report.ts";
import { type Ended, runSteps } from "../../tools/acceptance/run-steps.ts";
import { type FakeIo, fakeIo } from "../cli/fake-io.ts";
import { turnOf } from "../support/in-turn.ts";
import { runProgram } from "../support/run-program.ts";

const NAMES = { stage: "dev", cluster: "shop", namespace: "acceptance" };
const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
if (!hasKubectl) console.warn("kubectl is not installed: the acceptance run is not tried on the fake cluster");

/** Milliseconds that a command takes. */
const STARTS = 2000;

const SERVED = 3000;

/** Milliseconds of a clock on the wall for each time that a command waits. */
const PAUSE = 150;

describe.runIf(hasKubectl && turnOf("Deploys to an emulator, and acceptance runs", 4).has(2))(
  "the acceptance run on a fake",
  { timeout: 240_000 },
  () => {
    let cwd: string;
    let started: FakeIo;
    let ended: Promise<number>;
    let env: Record<string, string>;
    beforeEach(async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
      cwd = mkdtempSync(join(tmpdir(), "outrigger-acceptance-"));
      const own = { HOME: cwd, PATH: process.env["PATH"] ?? "", OUTRIGGER_STAGE: NAMES.stage };
      started = fakeIo({ cwd, env: own });
      ended = main(["start", "--fake", "--port", "0", "--no-studio"], started);
      await vi.waitFor(() => expect(started.out()).toContain("  unset "), { timeout: 120_000 });
      const assignments = (/^ {2}export (.*)$/m.exec(started.out())?.[1] ?? "").split(" ");
      env = { ...own, ...Object.fromEntries(assignments.map((one) => one.split("=") as [string, string])) };
      for (const [name, value] of Object.entries(env)) if (name.startsWith("AWS_")) vi.stubEnv(name, value);
    });
    afterEach(async () => {
      started.stop();
      await ended;
      vi.unstubAllEnvs();
      vi.useRealTimers();
      rmSync(cwd, { recursive: true, force: true });
    });

    const sleep = async (milliseconds: number) => {
      vi.setSystemTime(Date.now() + milliseconds);
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    };

    async function outrigger(words: readonly string[]): Promise<Ended | undefined> {
      if (words[0]?.endsWith("deploy")) return undefined;
      // The webhook serves an edit a second of the wall's clock later.
      if (words[0] === "restart") await new Promise((resolve) => setTimeout(resolve, SERVED));
      const io = fakeIo({ cwd, env, sleep, connect: connectLazily(env, "1.2.3") });
      // A process of its own would trust it by NODE_EXTRA_CA_CERTS.
      const trusted = words[0] === "register" ? ["--ca-file", env["NODE_EXTRA_CA_CERTS"] ?? ""] : [];
      const code = await main([...words, ...trusted], io);
      return { code, out: io.out() + io.err() };
    }

    /** The fake's API server reads JSON, as kubectl sends it of a file. */
    const kubectl = (words: readonly string[]) =>
      words[0] === "create" && words[1] !== "-f"
        ? bash('kubectl "$@" --dry-run=client -o json | kubectl create -f -', words)
        : bash('kubectl "$@"', words);

    const bash = async (script: string, words: readonly string[]): Promise<Ended> => {
      const argv = ["-o", "pipefail", "-c", script, "bash", ...words];
      const { code, out, err } = await runProgram("bash", argv, { cwd, env });
      return { code, out: `${out}${err}` };
    };

    /** Does what the AWS CLI would do with Parameter Store. The fake answers nothing to the rest. */
    async function aws(words: readonly string[]): Promise<Ended | undefined> {
      const [service = "", operation = ""] = words;
      const after = (option: string) => words[words.indexOf(option) + 1] ?? "";
      if (operation === "update-kubeconfig") return { code: 0, out: "" };
      if (service !== "ssm" || !words.join(" ").includes("/source/")) return undefined;
      const client = new SSMClient({ region: env["AWS_REGION"] ?? "" });
      if (operation === "put-parameter")
        await client.send(new PutParameterCommand({ Name: after("--name"), Value: after("--value"), Type: "String" }));
      else await client.send(new DeleteParametersCommand({ Names: words.slice(words.indexOf("--names") + 1) }));
      client.destroy();
      return { code: 0, out: "" };
    }

    it("carries out what the fake can answer, removes it, and reports promise by promise", async () => {
      const failed: string[] = [];
      const programs: Readonly<Record<string, typeof outrigger>> = { outrigger, kubectl, aws };
      const results = await runSteps(NAMES, {
        run: async ([program = "", ...words]) => {
          await sleep(STARTS);
          const ended = await programs[program]?.(words);
          if (ended !== undefined && ended.code !== 0) failed.push(`${program} ${words.join(" ")}: ${ended.out}`);
          return ended;
        },
        writeSettings: () => {},
        has: () => false,
        print: () => {},
        sleep,
        now: Date.now,
        isStopped: () => false,
      });
      expect(failed).toEqual([]);
      const seen = results.filter(({ outcome }) => outcome === "seen").map(({ step }) => step.does);
      expect(seen).toEqual([
        "makes a namespace with a workload",
        "shares a release, and takes the share back",
        "rotates the token",
        "switches injection off, and on again",
      ]);
      const unanswered = results.filter(({ outcome }) => outcome !== "seen");
      expect(new Set(unanswered.map(({ outcome }) => outcome))).toEqual(new Set(["not answered"]));
      const report = acceptanceReport(results, "On a fake.");
      expect(report).toContain("| promise | how it was tried | result |\n");
      expect(report).toMatch(/\| no deploy interrupts calls \| changes every setting .* \| \w/);
    });
  },
);
