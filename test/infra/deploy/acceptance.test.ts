// `npm run acceptance` as far as emulators go: the first deploy and the removal reach moto, the others make a template; commands
// about clusters reach an API server and a deployment on loopback. What only AWS answers is not answered, and the report says so.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SETTINGS } from "../../../infra/settings/schema.ts";
import { PROMISES } from "../../../tools/acceptance/promises.ts";
import { acceptanceReport } from "../../../tools/acceptance/report.ts";
import { type AcceptancePorts, runSteps, type StepResult } from "../../../tools/acceptance/run-steps.ts";
import { CHANGED, NOT_CHANGED, STEPS } from "../../../tools/acceptance/steps.ts";
import { type CliLab, openCliLab } from "../../eks/cli-lab.ts";
import { turnOf } from "../../support/in-turn.ts";
import { findMoto, type MotoServer, startMoto } from "../../support/moto-server.ts";
import { bareEnvironment, builtServiceDirectory, runServerless } from "../support/serverless.ts";

const moto = findMoto();
const NAMES = { stage: "dev", cluster: "shop", namespace: "acceptance" };

/** Nothing is run: each command ends as a test says. */
function fakePorts(answer: (command: string) => { code: number; out: string } | undefined) {
  const commands: string[] = [];
  const printed: string[] = [];
  let time = 0;
  const ports: AcceptancePorts = {
    run: async (words) => {
      commands.push(words.join(" "));
      return answer(words.join(" "));
    },
    writeSettings: () => {},
    has: () => true,
    print: (line) => printed.push(line),
    sleep: async (milliseconds) => {
      time += milliseconds;
    },
    now: () => time,
    isStopped: () => false,
  };
  return { ports, commands, printed };
}

/** Every command ends well, but a deploy while a log group is gone that it changes. */
function account() {
  let isGone = false;
  return (command: string) => {
    if (command.endsWith("outrigger-dev-register")) isGone = command.includes("delete-log-group");
    return { code: isGone && command.startsWith("outrigger deploy") ? 1 : 0, out: "" };
  };
}

const outcomes = (results: readonly StepResult[]) => results.map(({ outcome }) => outcome);

describe("runSteps()", () => {
  it("answers each promise that it looks at, and undoes everything at the end, the last step first", async () => {
    const { ports, commands } = fakePorts(account());
    const results = await runSteps(NAMES, ports);
    expect(new Set(outcomes(results))).toEqual(new Set(["seen", "not seen"]));
    expect(commands.slice(-4)).toEqual([
      "outrigger unregister --deployment dev --cluster shop --yes",
      "kubectl delete namespace acceptance --ignore-not-found",
      "outrigger undeploy --stage dev",
      expect.stringContaining("aws ssm delete-parameters --names /outrigger/dev/source/values/90-acceptance"),
    ]);
  });

  it("ends where a command fails, and undoes what was begun", async () => {
    const { ports, commands, printed } = fakePorts((command) => ({
      code: command.startsWith("kubectl") ? 1 : 0,
      out: "no connection\n",
    }));
    const results = await runSteps(NAMES, ports);
    expect(outcomes(results).slice(0, 5)).toEqual(["not seen", "not seen", "not seen", "failed", "not begun"]);
    expect(results[3]?.detail).toBe("kubectl create namespace acceptance: no connection");
    expect(commands).toContain("outrigger undeploy --stage dev");
    expect(commands).not.toContain("outrigger unregister --deployment dev --cluster shop --yes");
    expect(printed).toContain("Not undone, do it yourself: kubectl delete namespace acceptance --ignore-not-found");
  });

  it("watches while a step runs: all that it sees has to match", async () => {
    const outcomeWith = async (answer: (look: number) => string) => {
      let looks = 0;
      const { ports } = fakePorts((command) => ({
        code: 0,
        out: command.includes("dry-run") ? answer(++looks) : "",
      }));
      return (await runSteps(NAMES, ports)).find(({ step }) => step.answers === "no-interruption");
    };
    const all = await outcomeWith(() => "istio-init,istio-proxy web\n");
    expect(all).toMatchObject({ outcome: "seen", detail: expect.stringMatching(/^(\d+) of \1$/) });
    const one = await outcomeWith((look) => (look === 1 ? ",web\n" : "istio-proxy,web\n"));
    expect(one).toMatchObject({ outcome: "not seen", detail: expect.stringContaining("the last: ,web") });
  });

  it("has a deploy fail where a step says so, and leaves out what an option is missing for", async () => {
    const results = await runSteps(NAMES, { ...fakePorts(account()).ports, has: () => false });
    expect(outcomes(results)).not.toContain("failed");
    expect(results.find(({ step }) => step.answers === "policies")).toMatchObject({
      outcome: "not answered",
      detail: "it needs the option --deployer",
    });
    const passing = await runSteps(NAMES, fakePorts(() => ({ code: 0, out: "" })).ports);
    expect(passing.find(({ step }) => step.fails !== undefined)?.outcome).toBe("failed");
  });

  it("stops when it is asked to, at the next step or look, and undoes what was begun", async () => {
    let isStopped = false;
    const { ports, commands } = fakePorts((command) => {
      isStopped ||= command.includes("--phase namespace");
      return { code: 0, out: "" };
    });
    const results = await runSteps(NAMES, { ...ports, isStopped: () => isStopped });
    expect(outcomes(results).filter((one) => one !== "not begun")).toHaveLength(5);
    expect(commands).toContain("outrigger unregister --deployment dev --cluster shop --yes");
    expect(commands.at(-2)).toBe("outrigger undeploy --stage dev");
  });

  it("looks again until it sees what it looks for, and says after how long", async () => {
    let looks = 0;
    const { ports } = fakePorts((command) => ({
      code: 0,
      out: command.includes("--alarm-names outrigger-dev-canary") && ++looks > 3 ? "ALARM\n" : "",
    }));
    const result = (await runSteps(NAMES, ports)).find(({ step }) => step.answers === "alarm");
    expect(result).toMatchObject({ outcome: "seen", detail: "ALARM, after 15 s" });
  });
});

describe("the steps", () => {
  it("change every setting, or say why not", () => {
    const all = SETTINGS.flatMap(({ name }) => name);
    expect([...Object.keys(CHANGED), ...Object.keys(NOT_CHANGED)].sort()).toEqual(all.sort());
  });

  it("answer each promise once, but for those that say why not", () => {
    const answered = STEPS.flatMap(({ answers = [] }) => answers);
    const others = PROMISES.filter(({ unlooked }) => unlooked !== undefined).map(({ id }) => id);
    expect([...answered, ...others].sort()).toEqual(PROMISES.map(({ id }) => id).sort());
  });
});

// The other run is test/e2e/acceptance.test.ts.
describe.runIf(moto.lacking === undefined && turnOf("Deploys to an emulator, and acceptance runs", 4).has(3))(
  `the acceptance run (${moto.lacking ?? "moto"})`,
  () => {
    let lab: CliLab;
    let server: MotoServer;
    let home: string;
    let service: string;
    let deploys = 0;

    beforeAll(async () => {
      home = mkdtempSync(join(tmpdir(), "outrigger-acceptance-"));
      service = builtServiceDirectory(home);
      server = await startMoto(moto.python, "test/infra/support/moto-with-aliases.py");
      lab = await openCliLab();
      lab.namespace(NAMES.namespace, { "istio-injection": "enabled" });
    });
    afterAll(async () => {
      await lab?.close();
      await server?.stop();
      rmSync(home, { recursive: true });
    });

    it("goes as far as the emulators do, and names what they cannot answer", async () => {
      const failed: string[] = [];
      const { ports } = fakePorts(() => undefined);
      const results = await runSteps(NAMES, {
        ...ports,
        has: () => false,
        writeSettings: (settings) => writeFileSync(join(service, "outrigger.dev.yml"), JSON.stringify(settings)),
        run: async ([program, ...words]) => {
          if (program !== "outrigger") return undefined;
          const ended = await (words[0]?.endsWith("deploy") ? deployed(words) : inLab(words));
          if (ended.code !== 0) failed.push(`${words.join(" ")}: ${ended.out}`);
          return ended;
        },
      });
      expect(failed).toEqual([]);
      const report = acceptanceReport(results, "In a test.");
      expect(report).toContain(
        "| names that CloudFormation makes up are cut to 24 characters | deploys a stage of its own | not answered: there is no aws here |",
      );
      expect(report).toContain("| rotates the token | seen |");
      expect(report).toContain(
        "| changes a setting with the deployer's policies alone | not answered: it needs the option --deployer |",
      );
      expect(report).toContain("| not tried, because it needs a network with an endpoint");
      const answered = results.filter(({ outcome }) => outcome !== "not answered");
      expect(answered.map(({ step, outcome }) => [step.does, outcome])).toEqual([
        ["rotates the token", "seen"],
        ["switches injection off, and on again", "seen"],
      ]);
    });

    async function inLab(words: readonly string[]) {
      const certificate = words[0] === "register" ? ["--ca-file", "ca.pem"] : [];
      const { io, ended } = lab.start([...words, ...certificate], { KUBECONFIG: join(lab.cwd, "kubeconfig") });
      const code = await ended;
      return { code, out: io.out() + io.err() };
    }

    async function deployed([command]: readonly string[]) {
      const again = deploys++ > 0 ? "package" : "deploy";
      const words = [command === "deploy" ? again : "remove", "--stage", "dev", "--region", "us-east-1"];
      const { status, output } = await runServerless(words, service, {
        ...bareEnvironment(home),
        AWS_ENDPOINT_URL: server.url,
        AWS_ACCESS_KEY_ID: "testing",
        AWS_SECRET_ACCESS_KEY: "testing",
        SLS_AWS_MONITORING_FREQUENCY: "200",
      });
      // As the deployment's own function does at a deploy.
      if (command === "deploy") await lab.run("publish");
      return { code: status, out: output };
    }
  },
);
