import { describe, expect, it } from "vitest";
import type { ImportFinding } from "../documents/read-documents.ts";
import type { ShippedTemplate } from "../templates/shipped-template.ts";
import { recogniseRelease } from "./recognised-release.ts";

const sidecar = (first: string, last = first): ShippedTemplate => ({ template: "sidecar", first, last });
const gateway = (first: string, last = first): ShippedTemplate => ({ template: "gateway", first, last });

function recognised(templates: readonly ShippedTemplate[], tag?: string | number) {
  const findings: ImportFinding[] = [];
  const { istio, minor } = recogniseRelease(templates, tag, findings);
  return { istio, minor, warnings: findings.filter(({ severity }) => severity === "warning").map((f) => f.message) };
}

describe("recogniseRelease()", () => {
  it.each<[string, readonly ShippedTemplate[], string | undefined, string | undefined]>([
    ["by the sidecar", [sidecar("1.29.1", "1.29.6"), gateway("1.29.0", "1.30.3")], undefined, "1.29"],
    ["by what several have in common", [gateway("1.29.0", "1.30.3")], "1.29.2", "1.29"],
    ["the newest where no tag says it", [gateway("1.29.0", "1.30.3")], "latest", "1.30"],
    ["the development line", [sidecar("development")], "latest", "development"],
    ["by the tag alone", [], "v1.30.2-distroless", "1.30"],
    ["nothing", [], "latest", undefined],
  ])("gives %s", (_what, templates, tag, istio) => {
    expect(recognised(templates, tag)).toMatchObject({ istio, warnings: [] });
  });

  it("warns of a release that is too old or too new, and keeps its number", () => {
    expect(recognised([sidecar("1.24.0", "1.24.6")])).toEqual({
      istio: "1.28",
      minor: 24,
      warnings: [expect.stringContaining("of Istio 1.24; the oldest release that is injected is 1.28")],
    });
    expect(recognised([], "1.35.0")).toMatchObject({
      istio: "development",
      warnings: [expect.stringContaining("1.35")],
    });
  });

  it("warns where the tag is of another release than the templates", () => {
    expect(recognised([sidecar("1.30.0", "1.30.3")], "1.31.0")).toMatchObject({
      istio: "1.30",
      warnings: [expect.stringContaining("The images have the tag 1.31.0, and the templates are those of 1.30")],
    });
  });
});
