// What the containers that an injection adds ask for together, against the bounds of the setting. Pure.
import { type JsonObject, type JsonValue, listOf, objectOf } from "@outrigger/base";
import { containersOf, isQuantity, quantityThousandths } from "@outrigger/pod";
import { nameIn } from "./judge-difference.ts";
import { BOUNDS } from "./kinds.ts";
import type { Power } from "./power.ts";
import type { Guardrails } from "./read-guardrails.ts";

/** Returns the first container with which the added ones exceed a bound. Each counts with its limit, otherwise with its request. */
export function exceeded({ allowed }: Guardrails, author: JsonObject, injected: JsonObject): readonly Power[] {
  return BOUNDS.flatMap((kind) => {
    const [bound = ""] = allowed.get(kind) ?? [];
    const most = amountOf(bound);
    if (most === undefined) return [];
    const theirs = containersOf(author["spec"]).map(nameIn);
    let sum = 0;
    for (const list of ["initContainers", "containers"]) {
      for (const [index, container] of listOf(objectOf(injected["spec"])[list]).entries()) {
        if (theirs.includes(nameIn(container))) continue;
        const { limits, requests } = objectOf(objectOf(container)["resources"]);
        sum += amountOf(objectOf(limits)[kind] ?? objectOf(requests)[kind]) ?? 0;
        const at = ["spec", list, index, "resources"];
        if (sum > most) return [{ kind, value: `more than ${bound} ${kind} in all`, at }];
      }
    }
    return [];
  });
}

function amountOf(value: JsonValue | undefined): number | undefined {
  const quantity = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return isQuantity(quantity) ? Number(quantityThousandths(quantity)) : undefined;
}
