// Which tier a parameter is written on: one that is advanced cannot become a standard one.
import { ownError } from "@outrigger/base";
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
    if (write.tier === "Advanced" || !write.overwrite) throw error;
    ownError(error, "parameter-downgrade");
    return put({ ...write, tier: "Advanced" });
  }
}
