import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { PUBLIC_CONFIGURATIONS } from "../../test/import/public-configurations.ts";
import { parseYaml } from "../kube/yaml.ts";
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
