import { describe, expect, it } from "vitest";
import { MAX_BODY_BYTES, readBody } from "./body.ts";

describe("readBody()", () => {
  it("gives the same text when a body is bytes, text or base64", () => {
    const text = '{"größe":"船"}';
    expect(readBody(text, false)).toBe(text);
    expect(readBody(new TextEncoder().encode(text), false)).toBe(text);
    expect(readBody(Buffer.from(text).toString("base64"), true)).toBe(text);
  });

  it("reads only the bytes of a view when its buffer is larger", () => {
    expect(readBody(new TextEncoder().encode("xx{}xx").subarray(2, 4), false)).toBe("{}");
  });

  it.each([undefined, "", new Uint8Array(0)])("refuses a missing body", (body) => {
    expect(() => readBody(body, false)).toThrow(expect.objectContaining({ code: "review-invalid" }));
  });

  it("takes exactly the cap, and refuses one byte more, however the body comes", () => {
    const most = "x".repeat(MAX_BODY_BYTES);
    const more = `${most}x`;
    const tooLarge = expect.objectContaining({ code: "review-too-large" });
    for (const [body, isBase64] of [
      [most, false],
      [Buffer.from(most), false],
      [Buffer.from(most).toString("base64"), true],
    ] as const) {
      expect(readBody(body, isBase64)).toHaveLength(MAX_BODY_BYTES);
    }
    for (const [body, isBase64] of [
      [more, false],
      [Buffer.from(more), false],
      [Buffer.from(more).toString("base64"), true],
    ] as const) {
      expect(() => readBody(body, isBase64)).toThrow(tooLarge);
    }
  });

  it("counts bytes, not characters, when a text is not ASCII", () => {
    expect(readBody("é".repeat(MAX_BODY_BYTES / 2), false)).toHaveLength(MAX_BODY_BYTES / 2);
    expect(() => readBody("é".repeat(MAX_BODY_BYTES / 2 + 1), false)).toThrow(
      expect.objectContaining({ code: "review-too-large" }),
    );
  });
});
