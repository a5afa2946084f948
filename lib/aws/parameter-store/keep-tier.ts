// That a parameter keeps the tier it has: one that is advanced cannot become standard again, and need not.
import { OutriggerError } from "@outrigger/base";
import type { ParameterWrite } from "./parameter-store.ts";

/**
 * Writes a parameter on the wanted tier; where Parameter Store refuses because it is an advanced one already, on that.
 *
 * @param put writes it, or throws as the port says
 */
export async function keepTier<Answer>(
  write: ParameterWrite,
  put: (write: ParameterWrite) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await put(write);
  } catch (error) {
    if (write.tier === "Advanced" || !write.overwrite || !isDowngrade(error)) throw error;
    return put({ ...write, tier: "Advanced" });
  }
}

function isDowngrade(error: unknown): boolean {
  return error instanceof OutriggerError && error.code === "parameter-downgrade";
}
