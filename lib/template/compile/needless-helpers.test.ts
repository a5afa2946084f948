import { describe, expect, it } from "vitest";
import { REFUSED_HELPERS, TEXT_HELPERS } from "./needless-helpers.ts";

describe("the helpers of Helm", () => {
  it("are refused with something to do instead, or add quotes", () => {
    expect([...REFUSED_HELPERS.keys()].sort()).toEqual(
      ["env", "fromYaml", "include", "indent", "log", "nindent", "template", "toYAML", "toYaml", "tpl"].sort(),
    );
    expect([...TEXT_HELPERS]).toEqual(["quote", "squote"]);
  });
});
