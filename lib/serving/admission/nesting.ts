// The limit of nesting in a pod. It allows all code after it to recurse.
import { OutriggerError } from "@outrigger/base";

/**
 * The deepest nesting of objects and lists in a pod. A pod that an API server has decoded has fewer than 30 levels: its
 * types are not recursive.
 */
export const MAX_NESTING = 200;

/**
 * Rejects a value that is nested deeper than {@link MAX_NESTING}.
 *
 * @throws OutriggerError `review-invalid`
 */
export function assertNesting(value: unknown, path: string): void {
  if (!isNestedWithin(value, MAX_NESTING)) {
    throw new OutriggerError("review-invalid", `${path} is nested deeper than ${MAX_NESTING} levels, which no Pod is`, {
      path,
    });
  }
}

function isNestedWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isNestedWithin(value[index], levels - 1)) return false;
    return true;
  }
  for (const key in value) {
    const child = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof child === "object" && child !== null && !isNestedWithin(child, levels - 1)) return false;
  }
  return true;
}
