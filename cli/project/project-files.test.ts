import { parseYaml } from "@outrigger/yaml";
import { describe, expect, it } from "vitest";
import { AGENT_TREE, PACKAGE, type ProjectFacts, podFile, projectFiles } from "./project-files.ts";

const FACTS: ProjectFacts = {
  version: "1.2.3",
  installs: "1.2.3",
  osls: "3.50.0",
  stage: "live",
  guardrails: "baseline",
  isWithoutIstio: false,
};
const files = (more: Partial<ProjectFacts> = {}) => projectFiles({ ...FACTS, ...more });
const file = (name: string, more?: Partial<ProjectFacts>) => files(more)[name] ?? "";

describe("projectFiles()", () => {
  it("has the settings of the stage, a manifest to try, and a tree over what is shipped", () => {
    expect(Object.keys(files())).toEqual([
      "package.json",
      "README.md",
      "outrigger.live.yml",
      "deployment.yaml",
      "my-templates/values/10-mine.yaml",
      "my-templates/tests/web/pod.yaml",
      "my-templates/tests/web/decision",
      ".gitignore",
    ]);
    expect(parseYaml(file("outrigger.live.yml"), "")).toEqual({
      alarms: "silent",
      guardrails: "baseline",
      hold: "everyday",
    });
    expect(parseYaml(file("deployment.yaml"), "")).toMatchObject({
      spec: { template: { metadata: { labels: { app: "web" } } } },
    });
    expect(file(".gitignore").split("\n")).toContain("node_modules/");
  });

  it("installs this package and osls, and runs on the stage", () => {
    const read = (more?: Partial<ProjectFacts>) => JSON.parse(file("package.json", more));
    expect(read()).toMatchObject({
      private: true,
      scripts: { deploy: "outrigger deploy --stage live" },
      devDependencies: { osls: "3.50.0", [PACKAGE]: "1.2.3" },
    });
    expect(read({ osls: undefined }).devDependencies).toEqual({ [PACKAGE]: "1.2.3" });
  });

  it("has a sidecar of the team's own without Istio: for the pods with a label, which the manifest to try has", () => {
    const own = files({ isWithoutIstio: true });
    for (const [path, text] of Object.entries(AGENT_TREE)) expect(own[path]).toBe(text);
    expect(own).not.toHaveProperty(["my-templates/tests/web/pod.yaml"]);
    expect(parseYaml(own["outrigger.live.yml"] ?? "", "")).toMatchObject({ mesh: "none" });
    const labels = { app: "web", logs: "yes" };
    expect(parseYaml(own["deployment.yaml"] ?? "", "")).toMatchObject({
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } },
    });
  });

  it("writes the label by which pods ask into the config, and how a namespace is served into the README", () => {
    const more = { isWithoutIstio: true, injectionLabel: "example.com/agent" };
    expect(parseYaml(file("my-templates/config.yaml", more), "")).toMatchObject({
      injectionLabel: "example.com/agent",
      mesh: "none",
    });
    expect(file("README.md", more)).toContain("kubectl label namespace NAMESPACE example.com/agent=true");
    expect(file("README.md", { isWithoutIstio: true })).not.toContain("kubectl label");
  });

  it("says in the README what to run on which stage, and how the package is got", () => {
    const readme = file("README.md");
    for (const command of ["deploy --stage live", "register --cluster NAME --deployment live"])
      expect(readme).toContain(`npx outrigger ${command}\n`);
    expect(readme).toContain("`outrigger.live.yml`");
    expect(readme).toContain("npm install --save-dev PATH/outrigger-outrigger-1.2.3.tgz");
    expect(file("README.md", { installs: "file:../outrigger.tgz" })).not.toContain("PATH/");
  });

  it("offers the shelf only where no sidecar is there yet", () => {
    expect(file("README.md")).not.toContain("--from log-shipper");
    expect(file("README.md", { isWithoutIstio: true })).toContain("--from log-shipper");
  });
});

describe("podFile()", () => {
  it("is a pod of that name", () => {
    expect(parseYaml(podFile("till"), "")).toMatchObject({ kind: "Pod", metadata: { name: "till" } });
  });
});
