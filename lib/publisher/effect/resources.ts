// Whether containers ask for more than twice what they asked for.
import { type JsonObject, type JsonValue, objectOf } from "@outrigger/base";

const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

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

/** Kubernetes' quantities; 0 for what is none, which an injected pod does not have. */
function amountOf(value: JsonValue): number {
  const [, digits, suffix = ""] = /^([0-9.]+(?:[eE][+-]?\d+)?)([numkMGTPE]?i?)$/.exec(String(value)) ?? [];
  return digits === undefined ? 0 : Number(digits) * (SUFFIXES[suffix] ?? 0);
}
