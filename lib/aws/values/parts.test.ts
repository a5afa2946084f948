import { createHash, randomBytes } from "node:crypto";
import { brotliCompressSync, constants } from "node:zlib";
import { describe, expect, it } from "vitest";
import { MAX_VALUE, packParts, packText, partsOf, unpackParts, unpackText } from "./parts.ts";

/** A value that does not compress: so many characters of base64, more or less. */
function incompressible(length: number): { readonly noise: string } {
  return { noise: randomBytes(Math.ceil((length * 3) / 4)).toString("hex") };
}

const VALUE = incompressible(20_000);

describe("packParts()", () => {
  it.each(["Standard", "Advanced"] as const)("fills no part beyond the %s tier's limit, nor with braces", (tier) => {
    const { digest, parts } = packParts(JSON.stringify(VALUE), tier, "it", "b");
    expect(parts.length).toBeGreaterThan(1);
    for (const [index, part] of parts.entries()) {
      expect(Buffer.byteLength(part)).toBeLessThanOrEqual(MAX_VALUE[tier]);
      expect(part).toMatch(new RegExp(`^${digest} ${index}/${parts.length} [A-Za-z0-9+/=]+$`));
    }
  });

  it("gives the same parts for the same value", () => {
    expect(packParts(JSON.stringify(VALUE), "Standard", "it", "b")).toEqual(
      packParts(JSON.stringify(VALUE), "Standard", "it", "b"),
    );
  });

  it("gives one part that says where the object is when nine do not hold it", () => {
    const { digest, text, parts } = packParts(
      JSON.stringify(incompressible(45_000)),
      "Standard",
      "it",
      "team-releases",
    );
    expect(parts).toEqual([`${digest} s3:team-releases:${text.length}`]);
    expect(unpackText(text, "it", digest)).toBe(unpackParts(partsOf(text, digest, 9, "b"), digest, "it"));
    expect(unpackParts(parts, digest, "it")).toBeUndefined();
  });

  it("says what to do when an object does not hold it", () => {
    expect(() => packParts(JSON.stringify(incompressible(3_300_000)), "Standard", "the snapshot", "b")).toThrow(
      expect.objectContaining({
        code: "store-full",
        message: expect.stringMatching(
          /^Cannot store the snapshot: it takes \d+ characters of base64, and an object holds 3145728; take samples, templates or channels out of it$/,
        ),
      }),
    );
  });
});

describe("packText()", () => {
  it("gives what unpackText() reads, in few more characters than packParts()", () => {
    const ports = Array.from({ length: 2000 }, (_, index) => ({ name: `container-${index % 70}`, port: index }));
    const json = JSON.stringify(ports);
    const text = packText(json, "it");
    expect(unpackText(text, "it")).toBe(json);
    expect(text.length).toBeLessThan(1.2 * packParts(json, "Standard", "it", "b").text.length);
  });

  it("refuses what an object does not hold", () => {
    expect(() => packText(JSON.stringify(incompressible(3_300_000)), "release 1")).toThrow(
      expect.objectContaining({ code: "store-full", message: expect.stringMatching(/^Cannot store release 1: /) }),
    );
  });
});

describe("partsOf()", () => {
  it.each(["Standard", "Advanced"] as const)("makes the same parts of an object again (%s)", (tier) => {
    const { digest, text, parts } = packParts(JSON.stringify(VALUE), tier, "it", "b");
    expect(partsOf(text, digest, parts.length, "b")).toEqual(parts);
  });
});

describe("unpackParts()", () => {
  const { digest, parts } = packParts(JSON.stringify(VALUE), "Standard", "it", "b");
  const [first = "", second = ""] = parts;

  it("gives the value back, whatever the order and whatever else is there", () => {
    const others = packParts(JSON.stringify(incompressible(9000)), "Standard", "it", "b").parts;
    expect(unpackParts([...others, ...[...parts].reverse(), "", "garbage", first], digest, "it")).toBe(
      JSON.stringify(VALUE),
    );
  });

  it.each<[string, readonly string[]]>([
    ["there is nothing", []],
    ["a part is missing", parts.slice(1)],
    ["a part is of another whole", [`${"0".repeat(32)}${first.slice(32)}`, ...parts.slice(1)]],
    ["a part is cut within its tag", [first.slice(0, 33), ...parts.slice(1)]],
    ["a part holds what base64 does not", [`${first}!`, ...parts.slice(1)]],
    [
      "parts are of two writings in parts of another size",
      [...parts, ...packParts(JSON.stringify(VALUE), "Advanced", "it", "b").parts],
    ],
  ])("gives nothing when %s", (_what, given) => {
    expect(unpackParts(given, digest, "it")).toBeUndefined();
  });

  it.each<[string, readonly string[]]>([
    ["a part is cut short", [first.slice(0, -8), ...parts.slice(1)]],
    ["two parts have changed places", [swapped(first, second), swapped(second, first), ...parts.slice(2)]],
    [
      "a character is another",
      [first.replace(/.{4}$/, (end) => (end === "AAAA" ? "BBBB" : "AAAA")), ...parts.slice(1)],
    ],
  ])("names the whole when %s", (_what, given) => {
    expect(() => unpackParts(given, digest, "images/x")).toThrow(
      expect.objectContaining({
        code: "store-corrupt",
        message: "Cannot read images/x: its bytes do not match its digest; publish again",
      }),
    );
  });

  it("opens no more than fits into a function, whatever was packed", () => {
    const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
    const bytes = brotliCompressSync(Buffer.alloc(65 * 1024 * 1024, "0"), quickly);
    const name = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
    expect(() => unpackParts([`${name} 0/1 ${bytes.toString("base64")}`], name, "images/x")).toThrow(
      expect.objectContaining({ code: "store-corrupt", message: expect.stringContaining("it is not compressed JSON") }),
    );
  });
});

/** The tag of one part with the content of another. */
function swapped(tagged: string, filled: string): string {
  return tagged.slice(0, 37) + filled.slice(37);
}
