// A pod's volumes: one source each, and names that differ.
// Mirrors core/validation's ValidateVolumes and validateVolumeSource.
import { isObject, type JsonObject, listOf } from "@outrigger/base";
import type { ObjectMeta, PodSpec, Volume } from "../../generated/pod-types.ts";
import { DNS_LABEL, DNS_NAME } from "../../names.ts";
import { type Check, checkField, invalid, quote, report } from "../check.ts";
import { fields, items, required, unique } from "../fields.ts";
import { asObject, asText, isPresent } from "../go-values.ts";
import { SOURCE_RULES } from "./volume-sources.ts";

/**
 * The rule of a pod's volumes. Its context is the pod's metadata: the pod's name is in the names of the claims that
 * ephemeral volumes make.
 */
export const checkVolumes = fields<PodSpec, ObjectMeta>({
  volumes: [
    items({ name: required(DNS_LABEL) }, checkSource),
    unique("name", (name) => `must be unique: another volume is named ${quote(name)}`),
    (check, volumes, _, metadata) => checkOwnClaims(listOf(volumes), metadata, check),
  ],
});

function checkSource(volume: Volume, check: Check): void {
  let first: string | undefined;
  for (const key in volume) {
    const source = (volume as JsonObject)[key];
    // A kind of volume that is newer than these rules is not judged.
    const rule = SOURCE_RULES.get(key);
    if (!isObject(source) || rule === undefined) continue;
    if (first !== undefined) {
      report(check, "forbidden", `must not be set, as ${first} is: a volume has one source`, key);
    }
    first ??= key;
    checkField(check, key, source, rule, asText(volume.name));
  }
}

/**
 * core/validation: ValidateVolumes and validateVolumeSource. The claim of an ephemeral volume is named for the pod and the
 * volume. Another volume must not use it.
 */
function checkOwnClaims(volumes: readonly Volume[], { name }: ObjectMeta, check: Check): void {
  if (asText(name) === "" || !volumes.some((volume) => isPresent(asObject(volume).ephemeral))) return;
  const made = new Set<string>();
  for (const [at, each] of volumes.entries()) {
    const volume = asObject(each);
    if (!isPresent(volume.ephemeral)) continue;
    const claim = `${asText(name)}-${asText(volume.name)}`;
    made.add(claim);
    if (asText(volume.name) === "" || DNS_NAME.has(claim)) continue;
    invalid(check, `with the pod's name before it, ${DNS_NAME.message}`, "volumes", at, "name");
  }
  for (const [at, each] of volumes.entries()) {
    if (!made.has(asText(asObject(asObject(each).persistentVolumeClaim).claimName))) continue;
    const message = "must not be the claim of an ephemeral volume of this pod";
    invalid(check, message, "volumes", at, "persistentVolumeClaim", "claimName");
  }
}
