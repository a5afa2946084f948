// Helpers that compare two values.

import { jsonEqual } from "@outrigger/base";
import { fault } from "../finding.ts";
import { asInteger } from "./argument.ts";
import { VALUE } from "./common-arguments.ts";
import { defineHelpers, type Helper, type HelperArgument, withOfFirst } from "./helper.ts";

const ORDERED: readonly HelperArgument[] = [
  ["a", "any", "a number or a text"],
  ["b", "any", "the value that it is compared with"],
];

export const comparisonHelpers = defineHelpers({
  eq: {
    ...withOfFirst((others) => {
      const [other] = others;
      if (others.length === 1 && typeof other === "string") return (value) => value === other;
      return (value) => others.some((candidate) => isSame(value, candidate));
    }),
    doc: {
      text: "Whether the first argument equals any other. Text never equals a number.",
      args: [VALUE, ["other…", "any", "the values that it may equal"]],
      result: "boolean",
      examples: [
        ['(eq "TPROXY" "REDIRECT" "TPROXY")', true],
        ['(eq "1" 1)', false],
      ],
    },
  },
  ne: {
    ...withOfFirst(([other]) =>
      typeof other === "string" ? (value) => value !== other : (value) => !isSame(value, other),
    ),
    doc: {
      text: "Whether two values differ.",
      args: [VALUE, ["other", "any", "the value that it is compared with"]],
      result: "boolean",
      examples: [["(ne 80 0)", true]],
    },
  },
  lt: {
    run: ordering((order) => order < 0),
    doc: {
      text: "Whether the first value is less than the second. Both are numbers or texts.",
      args: ORDERED,
      result: "boolean",
      examples: [["(lt 2 10)", true]],
    },
  },
  le: {
    run: ordering((order) => order <= 0),
    doc: {
      text: "Whether the first value is less than or equal to the second. Both are numbers or texts.",
      args: ORDERED,
      result: "boolean",
      examples: [['(le "a" "b")', true]],
    },
  },
  gt: {
    run: ordering((order) => order > 0),
    doc: {
      text: "Whether the first value is greater than the second. Both are numbers or texts.",
      args: ORDERED,
      result: "boolean",
      examples: [["(gt 2 10)", false]],
    },
  },
  ge: {
    run: ordering((order) => order >= 0),
    doc: {
      text: "Whether the first value is greater than or equal to the second. Both are numbers or texts.",
      args: ORDERED,
      result: "boolean",
      examples: [["(ge 2 2)", true]],
    },
  },
});

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a ?? null) === (b ?? null) || (typeof a === "object" && typeof b === "object" && jsonEqual(a, b));
}

function ordering(holds: (order: number) => boolean): Helper["run"] {
  return ([a, b]) => {
    if (typeof a === "string" && typeof b === "string") return holds(a < b ? -1 : a > b ? 1 : 0);
    if (typeof a === "number" && typeof b === "number") return holds(a - b);
    if (typeof a === "object" || typeof b === "object") throw fault("only numbers and texts have an order");
    return holds(asInteger(a) - asInteger(b));
  };
}
