import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutPage, seededRandom } from "./pages.ts";

const RUNS = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 1000);

const names = fc.uniqueArray(fc.stringMatching(/^[a-z0-9/]{1,6}$/), { maxLength: 40 });

/** Follows the tokens to the end. */
function pagesOf(items: readonly { readonly name: string }[], max: number, random?: () => number) {
  const pages: (readonly string[])[] = [];
  let token: string | undefined;
  do {
    const page = cutPage(items, { question: "q", max, token }, random);
    pages.push(page.items.map(({ name }) => name));
    token = page.token;
  } while (token !== undefined);
  return pages;
}

describe("cutPage()", () => {
  it("gives everything once and never too much at a time, and ends", () => {
    let empty = 0;
    let disordered = 0;
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 10 }), fc.integer(), (given, max, seed) => {
        const items = given.map((name) => ({ name }));
        const pages = pagesOf(items, max, seededRandom(seed));
        expect(pages.every((page) => page.length <= max)).toBe(true);
        expect(pages.flat().sort()).toEqual([...given].sort());
        expect(pages.some((page, index) => page.length === 0 && pages[index + 1]?.length === 0)).toBe(false);
        expect(pagesOf(items, max, seededRandom(seed))).toEqual(pages);
        if (pages.slice(0, -1).some((page) => page.length === 0)) empty++;
        if (pages.flat().join() !== [...given].sort().join()) disordered++;
      }),
      { numRuns: RUNS },
    );
    // It is as unkind as the real service may be.
    expect(empty).toBeGreaterThan(RUNS / 20);
    expect(disordered).toBeGreaterThan(RUNS / 2);
  });

  it("gives full pages in order without chance", () => {
    const items = ["c", "a", "b"].map((name) => ({ name }));
    expect(pagesOf(items, 2)).toEqual([["a", "b"], ["c"]]);
    expect(pagesOf([], 2)).toEqual([[]]);
  });

  it("refuses a token that it did not give", () => {
    const items = ["a", "b"].map((name) => ({ name }));
    const { token = "" } = cutPage(items, { question: "q", max: 1, token: undefined }, undefined);
    const forged = Buffer.from(Buffer.from(token, "base64").toString().replace('"a"', '"b"')).toString("base64");
    for (const [given, question] of [
      [forged, "q"],
      [Buffer.from('{"question":"q"}').toString("base64"), "q"],
      [token, "r"],
    ] as const)
      expect(() => cutPage(items, { question, max: 1, token: given }, undefined)).toThrow("isn't valid");
    expect(cutPage(items, { question: "q", max: 1, token }, undefined).items).toEqual([{ name: "b" }]);
  });

  it("misses nothing that was there all along when others come and go between two pages", () => {
    fc.assert(
      fc.property(names, names, fc.integer(), (kept, fleeting, seed) => {
        const staying = kept.map((name) => ({ name: `k${name}` }));
        const random = seededRandom(seed);
        const seen: string[] = [];
        let token: string | undefined;
        let round = 0;
        do {
          const others = round++ % 2 === 0 ? fleeting.map((name) => ({ name: `f${name}` })) : [];
          const page = cutPage([...others, ...staying], { question: "q", max: 3, token }, random);
          seen.push(...page.items.map(({ name }) => name).filter((name) => name.startsWith("k")));
          token = page.token;
        } while (token !== undefined);
        expect(seen.sort()).toEqual(staying.map(({ name }) => name).sort());
      }),
      { numRuns: RUNS },
    );
  });
});
