// A code point of all there are, as fast-check's unit "binary" makes it. That one builds a table of a million entries first,
// which takes longer than a thousand runs of a property.
import fc from "fast-check";

const SURROGATES = 0xd800;
const AFTER_SURROGATES = 0xe000;
const GAP = AFTER_SURROGATES - SURROGATES;

/** A code point, for `fc.string({ unit: arbitraryCodePoint })`. */
export const arbitraryCodePoint: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - GAP })
  .map((number) => String.fromCodePoint(number < SURROGATES ? number : number + GAP), numberOf);

/** @throws where the value is no text of one code point, as fast-check asks of the inverse of a mapping */
function numberOf(value: unknown): number {
  const [character = "", ...others] = typeof value === "string" ? [...value] : [];
  const number = character.codePointAt(0);
  if (number === undefined || others.length > 0 || (number >= SURROGATES && number < AFTER_SURROGATES)) {
    throw new Error("Not one code point");
  }
  return number < SURROGATES ? number : number - GAP;
}
