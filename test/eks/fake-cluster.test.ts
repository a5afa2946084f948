// What takes minutes on the cluster of `outrigger start --fake`, followed as printed and without waiting: where a command waits, the
// test's clock moves, and the cluster's controllers act each second of it.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { connectLazily } from "@outrigger/cli";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeIo } from "../cli/fake-io.ts";
import { codeBlocks, isShell, textOf } from "../pages/code-blocks.ts";
import { openShell, type Shell } from "../pages/shell.ts";
import { inTurn, turnOf } from "../support/in-turn.ts";

const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;

const itInTurn = inTurn(it, turnOf("Pages whose commands take minutes, on the fake cluster", 2));
let shell: Shell;
let ticks: (() => unknown)[];

const sleep = async (milliseconds: number) => {
  for (let passed = 0; passed < milliseconds; passed += 1000) {
    vi.setSystemTime(Date.now() + 1000);
    await Promise.all(ticks.map((tick) => tick()));
  }
};
const done = async (script: string) => {
  const { code, output } = await shell.run(script);
  expect(code, `${script}\n${output}`).toBe(0);
  return output;
};
const blocksOf = (page: string) =>
  codeBlocks(textOf(page)).filter((block) => isShell(block) && !block.marks.includes("server"));

async function open(start: string) {
  vi.useFakeTimers({ toFake: ["Date"] });
  ticks = [];
  const { setInterval } = globalThis;
  vi.spyOn(globalThis, "setInterval").mockImplementation(((act: () => unknown, milliseconds: number) => {
    if (milliseconds !== 1000) return setInterval(act, milliseconds);
    ticks.push(act);
    return undefined;
  }) as typeof setInterval);
  shell = await openShell(
    (place, home) => ({
      ...fakeIo({ ...place, studio: join(home, "studio"), connect: connectLazily(place.env, "1.2.3"), sleep }),
      ask: async () => "yes",
    }),
    { programs: hasKubectl ? ["kubectl"] : [] },
  );
  await shell.start(`${start} --no-studio`);
  await sleep(5000);
}

afterEach(async () => {
  vi.restoreAllMocks();
  await shell.close();
  vi.useRealTimers();
});

describe("outrigger start --fake", { timeout: 240_000 }, () => {
  beforeEach(async () => {
    await open("outrigger start --fake");
    await done("outrigger register --cluster shop --phase cluster --ca-file $NODE_EXTRA_CA_CERTS");
  });

  it.runIf(hasKubectl)("outages.md stops the function: the net rejects, off lets in, and all is restored", async () => {
    const blocks = codeBlocks(textOf("docs/outages.md")).filter(isShell);
    const [fill, rejected, letIn, restore] = blocks.flatMap(({ marks, text }) =>
      marks.includes("cluster") ? text : [],
    );
    const calls = blocks.flatMap(({ marks, text }) => (marks.includes("aws") ? text : []));
    expect(calls.map((text) => /^aws lambda (\S+)/.exec(text)?.[1])).toEqual([
      "put-function-concurrency",
      "delete-function-concurrency",
    ]);
    await done(fill ?? "");
    await sleep(5000);
    expect(await done("kubectl get pods -n drill -o yaml")).toContain("name: istio-proxy");
    await concurrency("PUT", { ReservedConcurrentExecutions: 0 });
    const said = expect.stringMatching(
      /^The pods "bare" is invalid: : ValidatingAdmissionPolicy 'outrigger-.* was not injected/m,
    );
    expect(await shell.run(rejected ?? "")).toEqual({ code: 1, output: said });
    // A workload's pods are rejected too, and its controller tries again until the function is back.
    await done("kubectl create deployment late -n drill --image=web:1");
    await sleep(5000);
    expect((await done("kubectl get pods -n drill -o name")).trim().split("\n")).toHaveLength(1);
    expect(await done(letIn ?? "")).toContain("pod/bare created");
    await concurrency("DELETE");
    const { output } = await shell.run(restore ?? "");
    expect(output).toMatch(/drill.*bare/);
    await sleep(5000);
    const names = (await done("kubectl get pods -n drill -o name")).trim().split("\n").toSorted();
    expect(names.join(" ")).toMatch(/^pod\/bare pod\/late-\S+ pod\/web-\S+$/);
  });

  /** What `aws lambda` asks of the fake. */
  const concurrency = async (method: string, body?: object) => {
    const path = "2017-10-31/functions/outrigger-prod-inject/concurrency";
    const authorization = "AWS4-HMAC-SHA256 Credential=fake/20261101/us-east-1/lambda/aws4_request, Signature=x";
    const asked = { method, headers: { authorization }, ...(body && { body: JSON.stringify(body) }) };
    const { ok } = await fetch(`${process.env["AWS_ENDPOINT_URL"]}/${path}`, asked);
    expect(ok).toBe(true);
  };

  itInTurn("proxy-cve.md ends with no outdated pod", async () => {
    const [publish, pods, restart, , show] = blocksOf("docs/tasks/proxy-cve.md").map(({ text }) => text);
    await done(publish ?? "");
    const outdated = expect.stringMatching(/6 outdated[\s\S]*proxyv2:1\.31\.1/);
    expect(await shell.run(pods ?? "")).toEqual({ code: 1, output: outdated });
    await done(restart ?? "");
    expect(await done(show ?? "")).toBe("no pod is outdated\n");
  });

  itInTurn("releases.md promotes share by share, and takes all of it back with its pods", async () => {
    await done("outrigger channel edits canary");
    await done(
      "mkdir -p my-templates/values && echo 'global: {tag: 1.31.0-debug}' > my-templates/values/50-image.yaml",
    );
    await done("outrigger push my-templates --publish -m Debug");
    const [promote = ""] = blocksOf("docs/releases.md").flatMap(({ text }) =>
      /promote.* --restart/.test(text) ? text : [],
    );
    expect(await done(promote)).toContain("All workloads have it");
    expect(await done("outrigger pods --context prod")).toContain("6 current");
    expect(await done("outrigger rollback stable --restart --context prod")).toContain("is back\n");
    expect(await done("outrigger pods --context prod")).toContain("6 current");
  });
});

describe("outrigger start --fake --clusters", { timeout: 240_000 }, () => {
  itInTurn(
    "many-clusters.md registers three clusters of two accounts, looks at all, restarts and rotates them",
    async () => {
      const page = "docs/tasks/many-clusters.md";
      const [start] = codeBlocks(textOf(page)).filter(({ marks }) => marks.includes("server"));
      await open((start?.text ?? "").trim());
      const [roles, registrar, register, look, restart, rotate, ...others] = blocksOf(page).map(({ text }) => text);
      expect(others).toEqual([]);
      for (const policy of [roles, registrar]) await done(policy ?? "");
      // This process does not trust by NODE_EXTRA_CA_CERTS, which Node reads when it starts.
      await done(
        (register ?? "").replaceAll("outrigger register", "outrigger register --ca-file $NODE_EXTRA_CA_CERTS"),
      );
      const commands = (look ?? "").trim().split("\n");
      const outputs = [];
      for (const command of commands) outputs.push(await shell.run(command));
      const [clusters, check, pods] = outputs;
      const names = (output = "") => [...output.matchAll(/^(pay|shop|stock|local) /gm)].map(([, name]) => name);
      for (const { output } of outputs) expect(names(output), output).toEqual(["pay", "shop", "stock"]);
      expect(clusters?.code, clusters?.output).toBe(0);
      // The fake's istiod selects the same pods still.
      expect([check?.code, check?.output]).toEqual([1, expect.stringMatching(/^stock .*other-injectors: /m)]);
      expect(pods?.output).toMatch(/^pay +10 +3 +0 /m);
      await done(
        "mkdir -p my-templates/values && echo 'global: {tag: 1.31.0-debug}' > my-templates/values/50-image.yaml",
      );
      await done("outrigger push my-templates --publish -m Debug");
      expect(await done(restart ?? "")).toMatch(
        /^shop +\d+ +0 +all are back\nstock .* all are back\npay .* all are back$/m,
      );
      expect(await done(rotate ?? "")).toMatch(/^stock +still-live /m);
      // And by the contexts of the kubeconfig.
      const byContext = await shell.run("outrigger check --all --kubeconfig $KUBECONFIG --deployment prod");
      expect(names(byContext.output)).toEqual(["pay", "shop", "stock"]);
    },
  );
});
