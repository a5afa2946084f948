// Whether containers ask for more than twice what they asked for.
import { type JsonObject, type JsonValue, objectOf } from "@outrigger/base";
import { isQuantity, quantityThousandths } from "@outrigger/pod";

/** `requests.cpu`, where containers ask for more than twice as much of it together; what was not asked for cannot double. */
export function doubled(before: readonly JsonObject[], after: readonly JsonObject[]): string | undefined {
  const [was, is] = [totals(before), totals(after)];
  return [...is].find(([name, amount]) => amount > 2 * (was.get(name) ?? Number.POSITIVE_INFINITY))?.[0];
}

function totals(containers: readonly JsonObject[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { resources } of containers) {
    for (const [kind, amounts] of Object.entries(objectOf(resources))) {
      for (const [name, amount] of Object.entries(objectOf(amounts))) {
        const key = `${kind}.${name}`;
        sums.set(key, (sums.get(key) ?? 0) + amountOf(amount ?? null));
      }
    }
  }
  return sums;
}

/** In thousandths; 0 for what is none, which an injected pod does not have. */
function amountOf(value: JsonValue): number {
  const quantity = String(value);
  return isQuantity(quantity) ? Number(quantityThousandths(quantity)) : 0;
}
