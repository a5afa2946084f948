// What istiod's environment says about injection, as far as the values and an operator name it.

import { type JsonObject, objectOf } from "@outrigger/base";
import type { ImportFinding } from "../import-finding.ts";
import type { Settings } from "./settings.ts";

/** The variables of istiod that injection reads; istiod reads them, no template does. */
export const ISTIOD_VARIABLES: readonly string[] = ["ENABLE_NATIVE_SIDECARS", "COMPLIANCE_POLICY", "PLATFORM"];

/**
 * Entries of `config.yaml`. Istio's defaults: native sidecars since 1.27.
 *
 * @param all the values, as the chart has them
 */
export function istiodEnvironment(
  all: JsonObject,
  settings: readonly Settings[],
  minor: number | undefined,
  findings: ImportFinding[],
): JsonObject {
  const pilot = objectOf(all["pilot"]);
  const patched = settings.map((each) => objectOf(each.environment));
  const environment: JsonObject = Object.assign({}, objectOf(pilot["env"]), objectOf(all["env"]), ...patched);
  const native = environment["ENABLE_NATIVE_SIDECARS"];
  const policy = environment["COMPLIANCE_POLICY"];
  // The chart makes istiod's PLATFORM of it.
  const platform = environment["PLATFORM"] ?? (objectOf(all["global"])["platform"] || all["platform"]);
  const isOld = native === undefined && minor !== undefined && minor < 27;
  if (isOld) {
    const message = "nativeSidecars is false, as it is before Istio 1.27 unless istiod's environment says otherwise";
    findings.push({ severity: "note", file: "config.yaml", message });
  } else if (native === undefined && settings.some(({ isComplete }) => isComplete)) {
    const message =
      "nativeSidecars stays at its default, true: set it to false if istiod runs with ENABLE_NATIVE_SIDECARS=false";
    findings.push({ severity: "note", file: "config.yaml", message });
  }
  return {
    ...(native !== undefined && { nativeSidecars: ["true", "auto"].includes(String(native)) }),
    ...(isOld && { nativeSidecars: false }),
    ...(typeof policy === "string" && policy !== "" && { compliancePolicy: policy }),
    ...(platform === "openshift" && { platform }),
  };
}
