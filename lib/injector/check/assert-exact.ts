// Integers of a pod that cannot be copied: Kubernetes has 64 bits for them, JavaScript 53, and a patch or a record that holds one
// next to it would change the pod. What an injection leaves where it is may have any.

import { isInexact, OutriggerError } from "@outrigger/base";
import { formatFieldPath } from "@outrigger/pod";

/**
 * Refuses a part of the author's pod that has such an integer.
 *
 * @param name of the part, for the message
 * @throws OutriggerError `pod-invalid` with its field
 */
export function assertExact(part: unknown, name: string): void {
  const steps = inexactInteger(part);
  if (steps === undefined) return;
  const message = (field: string) =>
    `Cannot inject: ${field} of ${name} is copied, and must be at most ${Number.MAX_SAFE_INTEGER}`;
  throw new OutriggerError("pod-invalid", message(formatFieldPath(steps)), {
    path: "spec",
    logged: { message: message("an integer"), path: "spec" },
  });
}

/** Where the first one is. */
function inexactInteger(value: unknown): readonly (string | number)[] | undefined {
  if (typeof value !== "object" || value === null) return isInexact(value) ? [] : undefined;
  for (const [key, child] of Object.entries(value)) {
    const steps = inexactInteger(child);
    if (steps !== undefined) return [Array.isArray(value) ? Number(key) : key, ...steps];
  }
  return undefined;
}
