import { describe, expect, it } from "vitest";
import { lintTree } from "../compile-release.ts";

const container = (name: string) => `  - name: ${name}\n    image: registry.example/${name}:1\n`;
const template = (name: string, more = "") => `spec:\n  initContainers:\n${container(name)}${more}`;
const listing = (...names: readonly string[]) =>
  `  $setElementOrder/initContainers:\n${names.map((name) => `  - name: ${name}\n`).join("")}`;
const SAMPLE = "kind: Pod\nspec:\n  containers:\n  - {name: app, image: 'registry.example/app:1'}\n";

function warningsOf(config: string, vault: string, certs: string) {
  const tree = { config, "templates/vault": vault, "templates/certs": certs, "samples/pod": SAMPLE };
  const { findings } = lintTree([{ "samples/plain-pod": SAMPLE }, tree]);
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  return findings.filter(({ message }) => message.includes("comes before"));
}

describe("lintTree() of an order that a template and the config give", () => {
  const BEFORE = "mesh: none\ndefaultTemplates:\n- certs\n- {name: vault, before: certs}\n";
  const MESSAGE =
    "certs comes before vault here, and vault before certs in defaultTemplates of the config: change one of the two";

  it.each([
    ["of the template that starts first", template("vault", listing("certs", "vault")), template("certs"), "vault"],
    ["of the other one", template("vault"), template("certs", listing("certs", "vault")), "certs"],
  ])("warns where they disagree, at the list %s", (_, vault, certs, at) => {
    expect(warningsOf(BEFORE, vault, certs)).toEqual([
      { severity: "warning", path: `templates/${at}`, line: 5, column: 3, message: MESSAGE },
    ]);
  });

  it("says nothing where they agree, where the config has no before, and where the list has one of them", () => {
    const listed = template("vault", listing("certs", "vault"));
    expect(warningsOf(BEFORE, template("vault", listing("vault", "certs")), template("certs"))).toEqual([]);
    expect(warningsOf("mesh: none\ndefaultTemplates: [certs, vault]\n", listed, template("certs"))).toEqual([]);
    expect(warningsOf(BEFORE, template("vault", listing("vault")), template("certs"))).toEqual([]);
  });
});
