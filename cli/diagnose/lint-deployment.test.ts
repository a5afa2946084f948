import { OutriggerError } from "@outrigger/base";
import { parseGuardrails } from "@outrigger/guardrails";
import { compileRelease, type SourceTree } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import type { Deployment } from "../connect/deployment.ts";
import { describeChanges, guardFindings, lintDeployment } from "./lint-deployment.ts";

const target = { prefix: "/outrigger/dev", stage: "dev" };

function linted(own: SourceTree) {
  return { tree: own, shipped: SHIPPED, release: compileRelease([SHIPPED, own]) };
}

const PRIVILEGED: SourceTree = {
  config: "defaultTemplates: [sidecar, agent]\n",
  "templates/agent": `spec:
  containers:
  - name: agent
    image: agent
    securityContext: {privileged: true}
    {{#if metadata.labels.host}}
    volumeMounts: [{name: host, mountPath: /host}]
  volumes:
  - {name: host, hostPath: {path: /}}
    {{/if}}
`,
};

async function deployment() {
  const aws = fakeAws();
  const connected = await aws.connect({ layout: aws.layout } as never);
  const opened = { ...connected, target: { ...target, layout: aws.layout } } as unknown as Deployment;
  await connected.askPublisher({ action: "publish", cause: { by: "ann", why: "" } });
  return { aws, opened };
}

describe("guardFindings()", () => {
  it("is an error where a sample gets what is not admitted, and a warning where only a pod may", () => {
    const found = guardFindings(parseGuardrails("baseline"), linted(PRIVILEGED));
    expect(found.map(({ severity, path }) => [severity, path])).toEqual([
      ["error", "templates/agent"],
      ["warning", "templates/agent"],
    ]);
    expect(new Set(found.map(({ line }) => line)).size).toBe(2);
  });

  it("is nothing where all is admitted", () => {
    expect(guardFindings(parseGuardrails("off"), linted(PRIVILEGED))).toEqual([]);
    expect(guardFindings(parseGuardrails("baseline"), linted({}))).toEqual([]);
  });
});

describe("lintDeployment()", () => {
  it("says nothing of a tree that changes nothing", async () => {
    const { opened } = await deployment();
    expect(await lintDeployment(linted({}), opened, undefined)).toEqual({ findings: [] });
  });

  it("says what changes for the pods of the channel that serves them", async () => {
    const { opened } = await deployment();
    const { findings, effects } = await lintDeployment(
      linted({ "values/10-mine": "global: {hub: mine}\n" }),
      opened,
      undefined,
    );
    expect(findings).toEqual([]);
    expect(effects?.channel).toBe("stable");
    expect(describeChanges(effects as NonNullable<typeof effects>)).toMatch(
      /^What changes for pods of stable: [\w-]+ \(samples\/plain-pod: istio-proxy .*\)$/,
    );
  });

  it("warns of what waits for a person", async () => {
    const { aws, opened } = await deployment();
    aws.holdBack("everyday");
    const { findings } = await lintDeployment(linted({ ...PRIVILEGED }), opened, parseGuardrails("off"));
    expect(findings).toEqual([{ severity: "warning", path: "", message: expect.stringMatching(/\S/) }]);
  });

  it("judges by the deployment's own guardrails, unless others are given", async () => {
    const { aws, opened } = await deployment();
    aws.guard("baseline");
    const own = await lintDeployment(linted(PRIVILEGED), opened, undefined);
    expect(own.findings).toContainEqual(expect.objectContaining({ severity: "error", path: "templates/agent" }));
    const given = await lintDeployment(linted(PRIVILEGED), opened, parseGuardrails("off"));
    expect(given.findings.filter(({ path }) => path === "templates/agent")).toEqual([]);
    aws.guard("off");
    const without = await lintDeployment(linted(PRIVILEGED), opened, undefined);
    expect(without.findings.filter(({ path }) => path === "templates/agent")).toEqual([]);
  });

  it("warns that guardrails are not known where they may not be read, with the way out", async () => {
    const { aws, opened } = await deployment();
    aws.guard(new OutriggerError("aws-denied", "You may not read the function's settings"));
    const { findings } = await lintDeployment(linted({}), opened, undefined);
    expect(findings).toEqual([
      {
        severity: "warning",
        path: "",
        message:
          "What the deployment's guardrails admit is not known: You may not read the function's settings; give them with --guardrails",
      },
    ]);
  });

  it("is an error at the config where the tree does not fit the deployment, and fails where that cannot be found out", async () => {
    const { opened } = await deployment();
    const failing = (error: Error) => ({
      ...opened,
      hold: async () => {
        throw error;
      },
    });
    const { findings } = await lintDeployment(
      linted({}),
      failing(new OutriggerError("config-invalid", "publishTo names no channel")),
      undefined,
    );
    expect(findings).toEqual([{ severity: "error", path: "config", message: "publishTo names no channel" }]);
    await expect(
      lintDeployment(linted({}), failing(new OutriggerError("store-unavailable", "try again")), undefined),
    ).rejects.toThrow("try again");
  });
});
