import { createHash, randomBytes } from "node:crypto";
import { brotliCompressSync, constants } from "node:zlib";
import { describe, expect, it } from "vitest";
import { capacityOf, compressedLength, MAX_VALUE, packParts, unpackParts, usedBy } from "./parts.ts";

/** A value that does not compress: so many characters of base64, more or less. */
function incompressible(length: number): { readonly noise: string } {
  return { noise: randomBytes(Math.ceil((length * 3) / 4)).toString("hex") };
}

const VALUE = incompressible(20_000);

describe("packParts()", () => {
  it.each(["Standard", "Advanced"] as const)("fills no part beyond the %s tier's limit, nor with braces", (tier) => {
    const { digest, parts } = packParts(VALUE, tier, "it");
    expect(parts.length).toBeGreaterThan(1);
    for (const [index, part] of parts.entries()) {
      expect(Buffer.byteLength(part)).toBeLessThanOrEqual(MAX_VALUE[tier]);
      expect(part).toMatch(new RegExp(`^${digest} ${index}/${parts.length} [A-Za-z0-9+/=]+$`));
    }
  });

  it("gives the same parts for the same value", () => {
    expect(packParts(VALUE, "Standard", "it")).toEqual(packParts(VALUE, "Standard", "it"));
  });

  it("compresses as well as can be before it says that a value is too large", () => {
    const wordy = (count: number) => Array.from({ length: count }, (_, at) => `word ${(at * at * 7919) % 1_000_003}`);
    const fits = (value: unknown) => compressedLength(value) <= capacityOf("Standard");
    let [small, large] = [1000, 100_000];
    while (large - small > 1) {
      const middle = Math.floor((small + large) / 2);
      if (fits(wordy(middle))) small = middle;
      else large = middle;
    }
    const { digest, parts } = packParts(wordy(small), "Standard", "it");
    expect(usedBy(parts)).toBe(compressedLength(wordy(small)));
    expect(unpackParts(parts, digest, "it")).toEqual(wordy(small));
    expect(() => packParts(wordy(large), "Standard", "it")).toThrow(expect.objectContaining({ code: "store-full" }));
  });

  it("names the settings that would do when a value is too large for the standard one", () => {
    expect(() => packParts(incompressible(45_000), "Standard", "the snapshot")).toThrow(
      expect.objectContaining({
        code: "store-full",
        message: expect.stringMatching(
          /^Cannot store the snapshot: it takes \d+ characters of base64, and nine parts on the Standard tier hold 36504; set tier: Advanced or releaseBucket in outrigger\.<stage>\.yml and deploy, or take samples, templates or channels out of it$/,
        ),
      }),
    );
  });

  it.each(["Standard", "Advanced"] as const)("names the bucket when a value is too large for both (%s)", (tier) => {
    expect(() => packParts(incompressible(90_000), tier, "the snapshot")).toThrow(
      expect.objectContaining({ code: "store-full", message: expect.stringContaining("; set releaseBucket in") }),
    );
  });
});

describe("unpackParts()", () => {
  const { digest, parts } = packParts(VALUE, "Standard", "it");
  const [first = "", second = ""] = parts;

  it("gives the value back, whatever the order and whatever else is there", () => {
    const others = packParts(incompressible(9000), "Standard", "it").parts;
    expect(unpackParts([...others, ...[...parts].reverse(), "", "garbage", first], digest, "it")).toEqual(VALUE);
  });

  it.each<[string, readonly string[]]>([
    ["there is nothing", []],
    ["a part is missing", parts.slice(1)],
    ["a part is of another whole", [`${"0".repeat(32)}${first.slice(32)}`, ...parts.slice(1)]],
    ["a part is cut within its tag", [first.slice(0, 33), ...parts.slice(1)]],
    ["a part holds what base64 does not", [`${first}!`, ...parts.slice(1)]],
    ["parts are of two writings in parts of another size", [...parts, ...packParts(VALUE, "Advanced", "it").parts]],
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
