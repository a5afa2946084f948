import { createHash } from "node:crypto";
import { parseYaml } from "@outrigger/yaml";
import { describe, expect, it } from "vitest";
import { PUBLIC_CONFIGURATIONS } from "../../../test/import/public-configurations.ts";
import { importDocuments } from "./import-documents.ts";

const digest = (text: string) => createHash("sha256").update(text).digest("hex");
const imported = (text: string) => importDocuments([{ file: "istio.yaml", text }], { digest });
const parsed = (text: string | undefined) => (text === undefined ? undefined : parseYaml(text, "tree"));

describe("importDocuments() of configurations in use elsewhere", () => {
  it.each(PUBLIC_CONFIGURATIONS)("reads $name", ({ text, config, mesh, values, paths = [], findings = [] }) => {
    const { tree, findings: found } = imported(text);
    expect(parsed(tree["config"])).toEqual(config);
    expect(parsed(tree["mesh"])).toEqual(mesh);
    expect(parsed(tree["values/10-imported"]) ?? {}).toMatchObject(values ?? {});
    const others = Object.keys(tree).filter((path) => !["config", "mesh", "values/10-imported"].includes(path));
    expect(others).toEqual(paths);
    const messages = found.filter(({ severity }) => severity !== "note").map(({ message }) => message);
    expect(messages).toEqual(findings.map((part) => expect.stringContaining(part)));
  });
});

const meshMap = (mesh: string, rest = "") =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: istio}\ndata:\n  mesh: ${JSON.stringify(mesh)}\n${rest}`;
const injectorMap = (revision: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: i-${revision}, labels: {istio.io/rev: ${revision}}}\ndata: {config: "policy: enabled"}\n`;

describe("importDocuments()", () => {
  it("keeps the text of a mesh configuration that is alone, and notes what it leaves out", () => {
    const { tree, findings } = imported(meshMap("trustDomain: a # ours", '  meshNetworks: "networks: {}"\n'));
    expect(tree["mesh"]).toBe("trustDomain: a # ours\n");
    expect(findings.map(({ message }) => message)).toEqual([
      "Left out meshNetworks of ConfigMap istio: injection does not read it",
    ]);
  });

  it("merges mesh configurations in the order of the files, and says so", () => {
    const shared = meshMap("trustDomain: a\ndefaultConfig: {concurrency: 2}");
    const { tree, findings } = imported(
      `${shared}---\n${meshMap("trustDomain: b")}---\nmeshConfig: {rootNamespace: c}\n`,
    );
    expect(parsed(tree["mesh"])).toEqual({ trustDomain: "b", defaultConfig: { concurrency: 2 }, rootNamespace: "c" });
    expect(findings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("Merged 3 mesh configurations"),
    );
  });

  it("asks for the revision where there are injectors of several", () => {
    const both = `${injectorMap("a")}---\n${injectorMap("b")}`;
    expect(() => imported(both)).toThrow(
      "Cannot import: the files hold injectors of several revisions, a, b: name one with --revision",
    );
    const { tree } = importDocuments([{ file: "istio.yaml", text: both }], { digest, revision: "b" });
    expect(parsed(tree["config"])).toMatchObject({ revision: "b" });
  });
});
