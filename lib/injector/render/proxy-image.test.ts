import type { JsonObject, JsonValue } from "@outrigger/base";
import { metadataKeys } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { readTable } from "../../../test/reference/read-reference.ts";
import { proxyImage, proxyInitImage } from "./proxy-image.ts";

interface Row {
  readonly tag: JsonValue;
  readonly variant: string;
  readonly annotation: string;
  readonly proxyImage: string;
  readonly proxyInitImage: string;
}

const values: JsonObject = {
  global: { hub: "h", tag: "1", variant: "debug", proxy: { image: "p" }, proxy_init: { image: "i" } },
};

describe("proxyImage()", () => {
  it("takes the type of the annotation, then the ProxyConfig, then the values when several say one", () => {
    expect(proxyImage(values, { imageType: "distroless" }, { [metadataKeys.proxyImageType]: "other" })).toBe(
      "h/p:1-other",
    );
    expect(proxyImage(values, { imageType: "distroless" }, {})).toBe("h/p:1-distroless");
    expect(proxyImage(values, { imageType: "" }, undefined)).toBe("h/p:1-debug");
    expect(proxyImage(values, undefined, { [metadataKeys.proxyImageType]: "" })).toBe("h/p:1");
  });

  it("is complete when the values say nothing", () => {
    expect(proxyImage({}, undefined, undefined)).toBe("/proxyv2:");
    expect(proxyImage({ global: "x" }, undefined, undefined)).toBe("/proxyv2:");
  });

  it("agrees with every measured row", () => {
    for (const row of readTable<Row>("images")) {
      const given = { global: { hub: "h", tag: row.tag, variant: row.variant } };
      const annotations = row.annotation === "" ? {} : { [metadataKeys.proxyImageType]: row.annotation };
      const images = {
        proxyImage: proxyImage(given, undefined, annotations),
        proxyInitImage: proxyInitImage(given, annotations),
      };
      expect({ ...row, ...images }).toEqual(row);
    }
  });
});

describe("proxyInitImage()", () => {
  it("has its own name and no type of the ProxyConfig when the values name it", () => {
    expect(proxyInitImage(values, {})).toBe("h/i:1-debug");
  });
});
