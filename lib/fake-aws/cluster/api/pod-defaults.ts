// What an API server fills in of a pod, before and after its webhooks.
import { type JsonObject, objectOf, textOf } from "@outrigger/base";
import { admittedForm, type Pod } from "@outrigger/pod";

/** The pod with its defaults and what admission adds, as before and after the webhooks. */
export function defaultedPod<Kind extends object>(given: Kind): Kind {
  const { metadata } = given as JsonObject;
  return admittedForm(given as Pod, { namespace: textOf(objectOf(metadata)["namespace"]) ?? "default" }) as Kind;
}
