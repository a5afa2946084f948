// Helpers that are as strict, or as careless, as Go's functions: only for `compatibility: reference`.

import { OutriggerError } from "@outrigger/base";
import type { HelperTable } from "@outrigger/template";
import { injectionHelpers } from "./template-helpers.ts";

/** Every helper, those in which the reference differs as it has them. */
export const referenceHelpers: HelperTable = {
  ...injectionHelpers,
  eq: (args, hash) => injectionHelpers["eq"]?.(ofOneType(args), hash),
  ne: (args, hash) => injectionHelpers["ne"]?.(ofOneType(args), hash),
  /** Does not find a port between spaces, and leaves spaces where it finds the port. */
  excludeInboundPort: ([port, excluded]) => {
    const [wanted, text] = [String(port ?? "").trim(), String(excluded ?? "")];
    const ports = text.split(",");
    if (wanted === "" || wanted === "0" || ports.includes(wanted)) return text;
    return [...ports.map((other) => other.trim()).filter((other) => other !== ""), wanted].join(",");
  },
};

const COMPARABLE: readonly string[] = ["boolean", "number", "string"];

function ofOneType(args: readonly unknown[]): readonly unknown[] {
  const types = new Set(args.map((value) => typeof value).filter((type) => COMPARABLE.includes(type)));
  if (types.size < 2) return args;
  const message = `${[...types].join(" and ")} cannot be compared: give both the same type`;
  throw new OutriggerError("template-render", message);
}
