// The table of kinds: that the table of fields uses it, and that the page has it.
import { describe, expect, it } from "vitest";
import { expectRows } from "../../test/support/page-rows.ts";
import { FIELDS } from "./fields.ts";
import { type GuardrailKind, KIND_NAMES, kindOf } from "./kinds.ts";
import { parseGuardrails } from "./parse-guardrails.ts";

/** Kinds that no single field is judged by: a volume is the proxy's, something is gone, or a container is not kept from it. */
const WITHOUT_FIELD: readonly GuardrailKind[] = ["identity", "deletion", "root", "escalation"];

const settable = KIND_NAMES.filter((name) => kindOf(name).entry !== "none");

describe("every kind", () => {
  it.each(settable)("%s has an example that the setting takes, and a remedy that it takes", (name) => {
    const { doc, remedy, entry } = kindOf(name);
    expect([...parseGuardrails(`baseline,${doc.example}`).allowed.keys()]).toEqual([name]);
    const pattern = remedy("value");
    if (entry === "bounds") expect(pattern).toBe("…");
    else expect(parseGuardrails(`baseline,${name}:${pattern}`).allowed.has(name)).toBe(true);
  });

  it("that an entry allows or limits judges a field of the table", () => {
    const judged = new Set<string>(
      [...FIELDS.values()].flatMap((fields) => [...fields.values()].map(({ kind }) => kind)),
    );
    const known = settable.filter((name) => ["allows", "limits"].includes(kindOf(name).entry));
    expect(known.filter((name) => !judged.has(name))).toEqual(WITHOUT_FIELD);
  });
});

describe("docs/guardrails.md", () => {
  it("has the entries of the setting", () => {
    const rows = settable.map((name) => {
      const { doc } = kindOf(name);
      return [`\`${doc.example}\``, doc.text, withoutEntry(name)];
    });
    expectRows({
      page: "docs/guardrails.md",
      name: "kinds",
      headings: ["entry", "what it is about", "without such an entry"],
      rows,
    });
  });
});

/** Returns what happens where the setting has no entry of a kind. */
function withoutEntry(name: GuardrailKind): string {
  const { entry, forbidden } = kindOf(name);
  if (entry === "demands") return "not demanded";
  if (entry === "bounds") return "no bound";
  if (typeof forbidden === "function")
    return entry === "limits" ? "any that the level admits" : "refused unless the level admits it";
  return { always: "refused", restricted: "refused at `restricted`", never: "any" }[forbidden];
}
