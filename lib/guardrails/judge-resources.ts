// Bounds of what the added containers may ask for together. Pure.
import { type JsonObject, type JsonValue, objectOf } from "@outrigger/base";
import { isQuantity, quantityThousandths } from "@outrigger/pod";
import { BOUNDS, type Guardrails } from "./parse-guardrails.ts";
import type { Places, Report } from "./violation.ts";

/** Reports the first container with which they exceed a bound: each counts with its limit, otherwise its request. */
export function judgeResources({ allowed }: Guardrails, before: Places, after: Places, report: Report): void {
  for (const kind of BOUNDS) {
    const [bound] = allowed.get(kind) ?? [];
    const most = bound === undefined ? undefined : amountOf(bound);
    if (most === undefined) continue;
    let sum = 0;
    for (const [name, { container, steps }] of after) {
      if (before.has(name)) continue;
      sum += amountIn(container, kind);
      if (sum <= most) continue;
      report({ what: `more than ${bound} ${kind} in all`, entry: `${kind}:…`, steps: [...steps, "resources"] });
      break;
    }
  }
}

function amountIn(container: JsonObject, kind: string): number {
  const { limits, requests } = objectOf(container["resources"]);
  return amountOf(objectOf(limits)[kind] ?? objectOf(requests)[kind]) ?? 0;
}

function amountOf(value: JsonValue | undefined): number | undefined {
  const quantity = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return isQuantity(quantity) ? Number(quantityThousandths(quantity)) : undefined;
}
