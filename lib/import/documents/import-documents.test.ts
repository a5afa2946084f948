import { createHash } from "node:crypto";
import { parseYaml } from "@outrigger/yaml";
import { describe, expect, it } from "vitest";
import { PUBLIC_CONFIGURATIONS } from "../../../test/import/foreign-texts.ts";
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
  it("leaves out the templates that istiod deploys gateways with, and warns of those that are not Istio's own", () => {
    const templates = "{waypoint: 'metadata: {labels: {a: b}}', mine: 'metadata: {labels: {a: b}}'}";
    const { tree, findings } = imported(`sidecarInjectorWebhook:\n  templates: ${templates}\n`);
    expect(Object.keys(tree).filter((path) => path.startsWith("templates/"))).toEqual(["templates/mine"]);
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: "warning",
        message: expect.stringMatching(/^Left out the template waypoint: /),
      }),
    );
  });

  it("keeps the text of a mesh configuration that is alone, and notes what it leaves out", () => {
    const { tree, findings } = imported(meshMap("trustDomain: a # ours", '  meshNetworks: "networks: {}"\n'));
    expect(tree["mesh"]).toBe("trustDomain: a # ours\n");
    expect(findings.map(({ message }) => message)).toEqual([
      "Left out meshNetworks of ConfigMap istio: injection does not read it",
    ]);
  });

  it("warns of a key that a document gives twice, of which the last one counts", () => {
    const { tree, findings } = imported("global: {meshID: a}\nglobal: {meshID: b}\n");
    expect(parsed(tree["values/10-imported"])).toMatchObject({ global: { meshID: "b" } });
    expect(findings).toContainEqual({
      severity: "warning",
      file: "istio.yaml",
      line: 2,
      column: 1,
      message: "a key is given twice in its mapping: the last one counts",
    });
  });

  it.each([
    ["1.29.2", { hub: "a" }, 'Left out global.tag 1.29.2: it is that of istio: "1.29"'],
    ["1.29.1", { hub: "a", tag: "1.29.1" }, 'global.tag stays 1.29.1, while istio: "1.29" has 1.29.2'],
  ])("keeps the tag %s only where it is not the release's own", (tag, global, note) => {
    const documents = [{ file: "values.yaml", text: `global: {hub: a, tag: ${tag}}\n` }];
    const { tree, findings } = importDocuments(documents, { digest, tagOf: () => "1.29.2" });
    expect(parsed(tree["values/10-imported"])).toMatchObject({ global });
    expect(findings.map(({ message }) => message)).toContainEqual(expect.stringContaining(note));
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

  it("derives over a ConfigMap only what the values change that are given with it", () => {
    const map = meshMap("defaultConfig: {discoveryAddress: istiod-a.ours.svc:15012}");
    const { tree } = imported(`${injectorMap("a")}---\n${map}---\nglobal: {meshID: m}\n`);
    expect(parsed(tree["mesh"])).toEqual({
      defaultConfig: { discoveryAddress: "istiod-a.ours.svc:15012", meshId: "m" },
    });
  });

  it("derives the mesh of an injector's values where no ConfigMap has it", () => {
    const values = 'data: {config: "policy: enabled", values: \'{"revision": "a", "global": {"meshID": "m"}}\'}';
    const map = injectorMap("a")
      .replace(/^data: .*/m, values)
      .replace("metadata: {", "metadata: {namespace: ours, ");
    const { tree, findings } = imported(map);
    expect(parsed(tree["mesh"])).toEqual({
      defaultConfig: { discoveryAddress: "istiod-a.ours.svc:15012", meshId: "m" },
    });
    expect(findings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("No mesh configuration was given: what Istio's chart makes of the values applies"),
    );
  });

  it("takes the revision that is named for one that Helm was given with --set", () => {
    const { tree } = importDocuments([{ file: "v.yaml", text: "global: {}\n" }], { digest, revision: "blue" });
    expect(parsed(tree["values/10-imported"])).toEqual({ global: {}, revision: "blue" });
    expect(parsed(tree["mesh"])).toEqual({
      defaultConfig: { discoveryAddress: "istiod-blue.istio-system.svc:15012" },
    });
  });

  it("reads a revision below pilot, as the chart does", () => {
    const { tree } = importDocuments([{ file: "v.yaml", text: "pilot: {revision: blue}\n" }], { digest });
    expect(parsed(tree["config"])).toMatchObject({ revision: "blue" });
    expect(parsed(tree["mesh"])).toMatchObject({
      defaultConfig: { discoveryAddress: "istiod-blue.istio-system.svc:15012" },
    });
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

describe("importDocuments() of what namespaces are labelled with", () => {
  const webhook = (name: string, labels: string, first: string) =>
    `kind: MutatingWebhookConfiguration\nmetadata: {name: ${name}, labels: {app: sidecar-injector, ${labels}}}\nwebhooks: [{name: ${first}}]\n`;

  it("finds the tags of the revision in the chart's values and in istiod's webhooks, and notes those of others", () => {
    const values =
      "revision: 1-29\nrevisionTags: [stable]\nsidecarInjectorWebhook: {enableNamespacesByDefault: true}\nglobal: {}\n";
    const hooks = [
      webhook("istio-revision-tag-prod", "istio.io/rev: 1-29, istio.io/tag: prod", "rev.namespace.istio.io"),
      webhook("istio-revision-tag-old", "istio.io/rev: 1-28, istio.io/tag: old", "rev.namespace.istio.io"),
    ];
    const { registration, findings } = imported([values, ...hooks].join("---\n"));
    expect(registration).toEqual({ revision: "1-29", tags: ["prod", "stable"], enableNamespacesByDefault: true });
    const messages = findings.map(({ message }) => message);
    expect(messages).toContain(
      "Skipped MutatingWebhookConfiguration istio-revision-tag-old: it is of revision 1-28, not 1-29",
    );
    expect(messages.join()).not.toContain("enableNamespacesByDefault");
  });

  it("knows by the webhook that namespaces are enabled by default", () => {
    const { registration } = imported(
      `${injectorMap("default")}---\n${webhook("istio-sidecar-injector", "istio.io/rev: default", "auto.sidecar-injector.istio.io")}`,
    );
    expect(registration).toEqual({ revision: "default", tags: [], enableNamespacesByDefault: true });
  });
});
