// Helpers where Istio's injector differs from the safer ones that templates call.

import { OutriggerError } from "@outrigger/base";
import type { HelperTable } from "@outrigger/template";
import { injectionHelpers } from "./injection-helpers.ts";

/** Every helper, as strict or as careless as Go's functions: what `compatibility: reference` calls. */
export const referenceHelpers: HelperTable = {
  ...injectionHelpers,
  eq: { run: (args, hash) => injectionHelpers.eq.run(ofOneType(args), hash), doc: injectionHelpers.eq.doc },
  ne: { run: (args, hash) => injectionHelpers.ne.run(ofOneType(args), hash), doc: injectionHelpers.ne.doc },
  excludeInboundPort: {
    run: ([port, excluded]) => excludedPorts(port, excluded),
    doc: injectionHelpers.excludeInboundPort.doc,
  },
};

/**
 * Adds the port to the excluded ones as the reference does: it does not find a port between spaces, and leaves spaces
 * if it finds the port.
 */
function excludedPorts(port: unknown, excluded: unknown): string {
  const [wanted, text] = [String(port ?? "").trim(), String(excluded ?? "")];
  const ports = text.split(",");
  if (wanted === "" || wanted === "0" || ports.includes(wanted)) return text;
  return [...ports.map((other) => other.trim()).filter((other) => other !== ""), wanted].join(",");
}

const COMPARABLE: readonly string[] = ["boolean", "number", "string"];

function ofOneType(args: readonly unknown[]): readonly unknown[] {
  const types = new Set(args.map((value) => typeof value).filter((type) => COMPARABLE.includes(type)));
  if (types.size < 2) return args;
  const message = `${[...types].join(" and ")} cannot be compared: give both the same type`;
  throw new OutriggerError("template-render", message);
}
