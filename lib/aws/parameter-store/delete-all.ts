// Deleting any number of parameters: one call takes ten names.
import { MAX_NAMES, type ParameterStore } from "./parameter-store.ts";

/** Deletes parameters, ten a call, in the order of the names. Those that do not exist are no error. */
export async function deleteAll(store: ParameterStore, names: readonly string[]): Promise<void> {
  for (let at = 0; at < names.length; at += MAX_NAMES) await store.deleteParameters(names.slice(at, at + MAX_NAMES));
}
