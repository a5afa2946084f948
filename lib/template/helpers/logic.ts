// Helpers that compare and choose. Truth is Go's here: an empty map is false, other than in {{#if}}.

import { jsonEqual } from "@outrigger/base";
import { asInteger, fault, isEmpty, withOfFirst } from "./argument.ts";
import type { Helper, HelperTable } from "./helper-table.ts";

export const logicHelpers: HelperTable = {
  /** Whether the first argument equals any other: `(eq mode "TPROXY")`. Text never equals a number. */
  eq: withOfFirst((others) => {
    const [other] = others;
    if (others.length === 1 && typeof other === "string") return (value) => value === other;
    return (value) => others.some((candidate) => isSame(value, candidate));
  }),
  /** Whether two values differ: `(ne port "0")`. */
  ne: withOfFirst(([other]) =>
    typeof other === "string" ? (value) => value !== other : (value) => !isSame(value, other),
  ),
  /** Whether the first is less: `(lt (len list) 3)`. Numbers or texts. */
  lt: ordering((order) => order < 0),
  /** Whether the first is less or equal: `(le a b)`. */
  le: ordering((order) => order <= 0),
  /** Whether the first is greater: `(gt a b)`. */
  gt: ordering((order) => order > 0),
  /** Whether the first is greater or equal: `(ge (len containers) 1)`. */
  ge: ordering((order) => order >= 0),
  /** The first empty argument, or the last: `(and a b)`. */
  and: (args) => {
    for (let index = 0; index < args.length - 1; index++) if (isEmpty(args[index])) return args[index];
    return args.at(-1);
  },
  /** The first argument that is not empty, or the last: `(or a b)`. */
  or: (args) => {
    for (let index = 0; index < args.length - 1; index++) if (!isEmpty(args[index])) return args[index];
    return args.at(-1);
  },
  /** Whether the value is empty: `(not nativeSidecar)`. */
  not: ([value]) => isEmpty(value),
  /** Whether the value is missing, "", 0, false, or a list or map without entries: `(empty list)`. */
  empty: ([value]) => isEmpty(value),
  /** The value, or the default if the value is empty: `{{default "latest" metadata.labels.version}}`. */
  default: ([otherwise, value]) => (isEmpty(value) ? otherwise : value),
  /** The value, or the default if the value is missing or "": `(valueOrDefault values.global.trustDomain "cluster.local")`. */
  valueOrDefault: ([value, otherwise]) => (value === "" || value === null || value === undefined ? otherwise : value),
  /** The first argument that is not empty: `(coalesce a b "c")`. */
  coalesce: (args) => args.find((value) => !isEmpty(value)),
  /** One of two values by a condition that comes last: `(ternary "1337" "0" isProxy)`. */
  ternary: ([yes, no, condition]) => (isEmpty(condition) ? no : yes),
};

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a ?? null) === (b ?? null) || (typeof a === "object" && typeof b === "object" && jsonEqual(a, b));
}

function ordering(holds: (order: number) => boolean): Helper {
  return ([a, b]) => {
    if (typeof a === "string" && typeof b === "string") return holds(a < b ? -1 : a > b ? 1 : 0);
    if (typeof a === "number" && typeof b === "number") return holds(a - b);
    if (typeof a === "object" || typeof b === "object") throw fault("only numbers and texts have an order");
    return holds(asInteger(a) - asInteger(b));
  };
}
