// Amounts of CPU and memory, by the rules of the subresource `resize` (KEP-1287). Pure.
import { type JsonObject, objectOf, objectsOf } from "@outrigger/base";
import { quantityThousandths } from "@outrigger/pod";

/** The reason why a container is not given new amounts where it runs. */
export type Why = { readonly why: string };

/** The amounts that are written: `{ requests: { cpu: "200m" } }`. */
export type Amounts = Readonly<Partial<Record<Kind, Readonly<Record<string, string>>>>>;

const KINDS = ["requests", "limits"] as const;
type Kind = (typeof KINDS)[number];
const NAMES = ["cpu", "memory"] as const;

/**
 * @param running the container of the running pod
 * @param made the same, as the release writes it that made the pod
 * @param next the same, as the release writes it that is served
 */
export function newAmounts(running: JsonObject, made: JsonObject, next: JsonObject): Amounts | Why {
  const found: Partial<Record<Kind, Record<string, string>>> = {};
  for (const kind of KINDS) {
    for (const name of NAMES) {
      const [has, was, will] = [running, made, next].map((container) => amountOf(container, kind, name));
      if (isSame(was, will)) continue;
      if (will === undefined) return { why: `${name} ${kind} of ${String(running["name"])} are taken away` };
      if (!isSame(has, was) && !isSame(has, will))
        return { why: `others have changed the resources of ${String(running["name"])}` };
      found[kind] = { ...found[kind], [name]: will };
    }
  }
  return found;
}

/** Whether a container, or the status of one, has these amounts. */
export function hasAmounts(container: JsonObject, amounts: Amounts): boolean {
  return KINDS.every((kind) =>
    Object.entries(amounts[kind] ?? {}).every(([name, amount]) => isSame(amountOf(container, kind, name), amount)),
  );
}

export function isSameAmount(one: JsonObject, other: JsonObject, kind: string, name: string): boolean {
  return isSame(amountOf(one, kind, name), amountOf(other, kind, name));
}

/** Whether the container is restarted for them, by its own policy. */
export function restartsFor({ resizePolicy }: JsonObject, amounts: Amounts): boolean {
  return objectsOf(resizePolicy).some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === "RestartContainer" && KINDS.some((kind) => amounts[kind]?.[String(resourceName)] !== undefined),
  );
}

/** An API server makes a request of each limit that has none. */
function amountOf({ resources }: JsonObject, kind: string, name: string): string | undefined {
  const { requests, limits } = objectOf(resources);
  const amount = (kind === "requests" ? objectOf(requests)[name] : undefined) ?? objectOf(limits)[name];
  return amount === undefined || amount === null ? undefined : String(amount);
}

function isSame(a: string | undefined, b: string | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && quantityThousandths(a) === quantityThousandths(b));
}
