// The tier of a parameter of the source tree, by the size of its text.
import { MAX_VALUE, type ParameterStore } from "@outrigger/aws";

/** A parameter keeps the tier that it has; a new one is a standard one wherever its text fits. */
export function writeParameter(
  store: ParameterStore,
  { name, text }: { readonly name: string; readonly text: string },
) {
  return store.putParameter({ name, value: text, overwrite: true, tier: isLarge(text) ? "Advanced" : "Standard" });
}

/** Whether only an advanced parameter holds a text. */
export function isLarge(text: string | undefined): boolean {
  return text !== undefined && Buffer.byteLength(text) > MAX_VALUE.Standard;
}
