import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import type { InjectionConfig } from "../injection.ts";
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
  return selectTemplates(config, pod, known);
}

describe("selectTemplates()", () => {
  it("takes the defaults where the pod names none", () => {
    expect(selected()).toEqual(["sidecar"]);
    expect(
      selectTemplates(
        { defaultTemplates: ["extra"], aliases: {} } as unknown as InjectionConfig,
        { metadata: {} },
        KNOWN,
      ),
    ).toEqual(["extra"]);
    const none = { metadata: { annotations: { [KEY]: null } } } as unknown as Pod;
    expect(
      selectTemplates({ defaultTemplates: ["extra"], aliases: {} } as unknown as InjectionConfig, none, KNOWN),
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
});
