import { describe, expect, it } from "vitest";
import { lintTree } from "../compile-release.ts";
import { parseConfig } from "./parse-config.ts";

const listOf = (entry: string) => `policy: enabled\ndefaultTemplates:\n- sidecar\n- ${entry}\n`;

describe("defaultTemplates", () => {
  it("takes names, and names with the pods that they are for", () => {
    const text = listOf(
      '{name: logs, match: {podLabels: {logs: "yes", app.kubernetes.io/tier: [web, ""]}, namespaces: [shop, till]} }',
    );
    const podLabels = {
      requirements: [
        { key: "logs", operator: "In", values: ["yes"] },
        { key: "app.kubernetes.io/tier", operator: "In", values: ["web", ""] },
      ],
    };
    expect(parseConfig([text]).injection.defaultTemplates).toEqual([
      "sidecar",
      { name: "logs", match: { podLabels, namespaces: ["shop", "till"] } },
    ]);
    expect(parseConfig([listOf("{name: logs, match: {namespaces: [shop]} }")]).injection.defaultTemplates[1]).toEqual({
      name: "logs",
      match: { namespaces: ["shop"] },
    });
  });

  const AT = "defaultTemplates[1]";
  it.each([
    ["7", AT, "it must be the name of a template (put numbers in quotes), or have name and match"],
    ["[a]", AT, "it must be the name of a template"],
    ["{match: {namespaces: [shop]} }", `${AT}.name`, "it must be the name of a template or alias"],
    ["{name: [a], match: {namespaces: [shop]} }", `${AT}.name`, "it must be the name of a template or alias"],
    ["{name: a}", `${AT}.match`, "a template for every pod is its name alone"],
    ["{name: a, match: {} }", `${AT}.match`, "it must have podLabels or namespaces"],
    ["{name: a, match: [shop]}", `${AT}.match`, "it must have podLabels or namespaces"],
    ["{name: a, macth: {namespaces: [shop]} }", `${AT}.macth`, "it is not known; use name, match and before"],
    ["{name: a, match: {podlabels: {a: b} } }", `${AT}.match.podlabels`, 'did you mean "podLabels"'],
    [
      "{name: a, match: {namespaceLabels: {a: b} } }",
      `${AT}.match.namespaceLabels`,
      "list the namespaces in match.namespaces",
    ],
    ["{name: a, match: {podLabels: {} } }", `${AT}.match.podLabels`, "it must have at least one label with its value"],
    [
      "{name: a, match: {podLabels: [logs]} }",
      `${AT}.match.podLabels`,
      "it must have at least one label with its value",
    ],
    [
      "{name: a, match: {podLabels: {logs: yes} } }",
      `${AT}.match.podLabels.logs`,
      "a label value must be a string, quote it",
    ],
    ["{name: a, match: {podLabels: {logs: []} } }", `${AT}.match.podLabels.logs`, "it needs at least one value"],
    ["{name: a, match: {podLabels: {logs: [a, 1]} } }", `${AT}.match.podLabels.logs`, "must be a string, quote it"],
    ["{name: a, match: {podLabels: {logs: a b} } }", `${AT}.match.podLabels.logs`, "a label value must"],
    ["{name: a, match: {podLabels: {a//b: c} } }", `${AT}.match.podLabels.a//b`, "a label key"],
    ["{name: a, match: {namespaces: shop} }", `${AT}.match.namespaces`, "it must be a list of at least one namespace"],
    ["{name: a, match: {namespaces: []} }", `${AT}.match.namespaces`, "it must be a list of at least one namespace"],
    ["{name: a, match: {namespaces: [Shop]} }", `${AT}.match.namespaces[0]`, "it must be the name of a namespace"],
    [
      "{name: a, match: {namespaces: [kube-system]} }",
      `${AT}.match.namespaces[0]`,
      "pods of kube-system are never injected",
    ],
  ])("refuses %s at %s", (entry, path, reason) => {
    const error = expect.objectContaining({
      code: "config-invalid",
      path: `config.${path}`,
      line: expect.any(Number),
      message: expect.stringContaining(reason),
    });
    expect(() => parseConfig([listOf(entry)])).toThrow(error);
    expect(() => parseConfig([listOf(entry)])).toThrow(expect.objectContaining({ line: 4 }));
  });

  const orderOf = (mesh: string, entries: readonly string[]) =>
    parseConfig([`mesh: ${mesh}\ndefaultTemplates: [${entries.join(", ")}]\n`]).ordered.map((each) =>
      typeof each === "string" ? each : each.name,
    );

  it("without a mesh, moves a template before the one that it comes before: containers start in the order of the list", () => {
    const listed = (...entries: readonly string[]) => orderOf("none", entries);
    expect(listed("a", "b", "c")).toEqual(["a", "b", "c"]);
    expect(listed("a", "{name: b, before: a}", "c")).toEqual(["b", "a", "c"]);
    expect(listed("{name: a, before: b}", "b")).toEqual(["a", "b"]);
    expect(listed("c", "{name: b, match: {namespaces: [x]}, before: c}", "{name: a, before: b}")).toEqual([
      "a",
      "b",
      "c",
    ]);
    const both = "mesh: none\ndefaultTemplates:\n- {name: a, before: b}\n- {name: b, before: a}\n";
    expect(() => parseConfig([both])).toThrow(expect.objectContaining({ line: 3 }));
  });

  it("merges a template after the one that it comes before, with or without a match, however often it is moved", () => {
    const mergedOf = (...entries: readonly string[]) => orderOf("istio", entries);
    expect(mergedOf("{name: a, before: b}", "b")).toEqual(["b", "a"]);
    expect(mergedOf("b", "{name: a, before: b}")).toEqual(["b", "a"]);
    expect(mergedOf("{name: a, before: b}", "{name: b, match: {namespaces: [x]}, before: c}", "c")).toEqual([
      "c",
      "b",
      "a",
    ]);
    expect(mergedOf("{name: a, before: b}", "b", "c", "{name: b, match: {namespaces: [x]}}")).toEqual([
      "b",
      "c",
      "b",
      "a",
    ]);
    const both = "defaultTemplates:\n- {name: a, before: b}\n- {name: b, before: a}\n";
    expect(() => parseConfig([both])).toThrow("is to come before");
    expect(() => parseConfig(["defaultTemplates:\n- {name: logs, before: certs}\n- cert\n"])).toThrow(
      expect.objectContaining({ line: 2, message: expect.stringContaining('did you mean "cert"') }),
    );
  });

  it("names every mistake, and a template that does not exist, with its line", () => {
    const config = [
      "defaultTemplates:",
      "- name: loggs",
      "  match: {namespaces: [shop]}",
      "- name: logs",
      "  match:",
      "    podLabels: {a: yes, b: no}",
      "",
    ].join("\n");
    const { findings } = lintTree([{ config, "templates/logs": "spec: {}" }]);
    expect(findings.map(({ line, message }) => [line, message])).toEqual([
      [2, expect.stringContaining('there is no template "loggs", did you mean "logs"; use logs')],
      [6, expect.stringMatching(/podLabels\.a: a label value must be a string/)],
      [6, expect.stringMatching(/podLabels\.b: a label value must be a string/)],
    ]);
  });
});
