import type { LabelSelector, Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import type { DefaultTemplate, InjectionConfig } from "../injection.ts";
import { selectTemplates } from "./select-templates.ts";

const KEY = "inject.istio.io/templates";
const KNOWN = ["sidecar", "gateway", "extra"];

function selected(annotation?: string, changes: Partial<InjectionConfig> = {}, known: readonly string[] = KNOWN) {
  const config = {
    defaultTemplates: ["sidecar"],
    aliases: { both: ["sidecar", "extra"], none: [] },
    ...changes,
  } as unknown as InjectionConfig;
  const pod: Pod = annotation === undefined ? {} : { metadata: { annotations: { [KEY]: annotation } } };
  return selectTemplates(config, pod, "shop", known);
}

describe("selectTemplates()", () => {
  it("takes the defaults where the pod names none", () => {
    expect(selected()).toEqual(["sidecar"]);
    expect(
      selectTemplates(
        { defaultTemplates: ["extra"], aliases: {} } as unknown as InjectionConfig,
        { metadata: {} },
        "shop",
        KNOWN,
      ),
    ).toEqual(["extra"]);
    const none = { metadata: { annotations: { [KEY]: null } } } as unknown as Pod;
    expect(
      selectTemplates({ defaultTemplates: ["extra"], aliases: {} } as unknown as InjectionConfig, none, "shop", KNOWN),
    ).toEqual(["extra"]);
  });

  it("takes what the pod names, in its order, without blanks", () => {
    expect(selected("gateway , extra")).toEqual(["gateway", "extra"]);
  });

  it("expands aliases once", () => {
    expect(selected("both,gateway")).toEqual(["sidecar", "extra", "gateway"]);
    expect(selected("none")).toEqual([]);
    expect(selected(undefined, { defaultTemplates: ["both"] })).toEqual(["sidecar", "extra"]);
    expect(() => selected("outer", { aliases: { outer: ["both"], both: ["sidecar"] } })).toThrow(
      expect.objectContaining({ code: "template-unknown" }),
    );
  });

  it("takes a name for what it is that every object has", () => {
    expect(() => selected("toString")).toThrow(expect.objectContaining({ code: "template-unknown" }));
  });

  it("says whose mistake an unknown name is, and which names exist", () => {
    expect(() => selected("")).toThrow(expect.objectContaining({ code: "template-unknown" }));
    expect(() => selected("sidecar,other")).toThrow(
      expect.objectContaining({
        code: "template-unknown",
        path: `metadata.annotations["${KEY}"]`,
        message: expect.stringMatching(/named in annotation [^ ]+: use one of sidecar, gateway, extra$/),
      }),
    );
    expect(() => selected(undefined, { defaultTemplates: ["other"] })).toThrow(
      expect.objectContaining({
        code: "config-invalid",
        path: "config.defaultTemplates",
        message: expect.stringContaining('"other" named in defaultTemplates: '),
      }),
    );
    expect(() => selected("other", {}, [])).toThrow("the release has no templates");
    expect(() => selected("x".repeat(100))).toThrow(`"${"x".repeat(63)}"`);
  });

  describe("where default templates are for some pods only", () => {
    const logs: DefaultTemplate = { name: "extra", match: { podLabels: labelled("logs", "yes", "all") } };
    const here: DefaultTemplate = { name: "gateway", match: { namespaces: ["shop", "till"] } };
    const both: DefaultTemplate = { name: "sidecar", match: { ...here.match, ...logs.match } };
    const rows: readonly [DefaultTemplate[], Record<string, string>, string, string[]][] = [
      [["sidecar", logs], {}, "shop", ["sidecar"]],
      [["sidecar", logs], { logs: "yes" }, "shop", ["sidecar", "extra"]],
      [[logs, "sidecar"], { logs: "all", other: "yes" }, "shop", ["extra", "sidecar"]],
      [[logs], { logs: "no" }, "shop", []],
      [[logs], { logs: "" }, "shop", []],
      [[here], {}, "till", ["gateway"]],
      [[here], {}, "elsewhere", []],
      [[both], { logs: "yes" }, "elsewhere", []],
      [[both], {}, "shop", []],
      [[both], { logs: "yes" }, "shop", ["sidecar"]],
      // Two entries of one name are one or the other, at the last one's place.
      [
        [{ ...logs, name: "sidecar" }, "gateway", { ...here, name: "sidecar" }],
        { logs: "yes" },
        "shop",
        ["gateway", "sidecar"],
      ],
    ];
    it.each(rows)("%j: a pod labelled %j in %s gets %j", (defaultTemplates, labels, namespace, names) => {
      const config = { defaultTemplates, aliases: {} } as unknown as InjectionConfig;
      expect(selectTemplates(config, { metadata: { labels } }, namespace, KNOWN)).toEqual(names);
    });

    it("an alias is resolved, an annotation wins, and a label that every object has is none", () => {
      const config = { defaultTemplates: [{ ...logs, name: "both" }], aliases: { both: ["sidecar", "extra"] } };
      const select = (metadata: Pod["metadata"]) =>
        selectTemplates(config as unknown as InjectionConfig, { ...(metadata && { metadata }) }, "shop", KNOWN);
      expect(select({ labels: { logs: "yes" } })).toEqual(["sidecar", "extra"]);
      expect(select({ labels: { logs: "yes" }, annotations: { [KEY]: "gateway" } })).toEqual(["gateway"]);
      const odd = { name: "extra", match: { podLabels: labelled("constructor", "yes") } };
      const asked = { defaultTemplates: [odd], aliases: {} } as unknown as InjectionConfig;
      expect(selectTemplates(asked, { metadata: { labels: {} } }, "shop", KNOWN)).toEqual([]);
    });
  });
});

function labelled(key: string, ...values: string[]): LabelSelector {
  return { requirements: [{ key, operator: "In", values }] };
}
