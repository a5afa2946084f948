// Writes the classes into docs/releases.md: their names, what they mean and what is held come from the code.
import { describe, it } from "vitest";
import { expectRows } from "../../../test/support/page-rows.ts";
import { EFFECT_NAMES, EFFECTS } from "./effects.ts";

describe("EFFECTS", () => {
  it("are the classes of docs/releases.md", () => {
    const rows = EFFECT_NAMES.map((name) => [`\`${name}\``, EFFECTS[name].doc, EFFECTS[name].isHeld ? "yes" : "no"]);
    expectRows({
      page: "docs/releases.md",
      name: "classes",
      headings: ["class", "what would change", "held by default"],
      rows,
    });
  });
});
