// What a template wrote that is no part of a Pod. Renders again: for errors only.
import { type FieldPath, isDirective, isOwnError, type JsonObject, OutriggerError, valueAt } from "@outrigger/base";
import { checkPod, formatFieldPath, parseFieldPath } from "@outrigger/pod";
import { describeTemplate } from "@outrigger/template";
import type { Injection } from "../injection.ts";
import { templateData } from "../render/template-data.ts";
import { AUTHORS_LISTS } from "./authors-fields.ts";

/**
 * Returns the error of the first template that writes what is no part of a Pod, for an injection that failed for a reason that nobody
 * foresaw; undefined where each writes one.
 */
export function overlayError(injection: Injection, names: readonly string[]): OutriggerError | undefined {
  const { templates } = injection.injector;
  const data = templateData(injection);
  for (const name of names) {
    const overlay = templates.render(name, data);
    const fault = nullIn(overlay) ?? wrongIn(overlay);
    if (fault === undefined) continue;
    const message = `Cannot inject: ${formatFieldPath(fault.steps)} ${fault.reason}; correct ${describeTemplate(name)}`;
    const logged = { message, path: String(fault.steps[0] ?? "spec") };
    return new OutriggerError("overlay-invalid", message, { path: formatFieldPath(fault.steps), logged });
  }
  return undefined;
}

interface OverlayFault {
  readonly steps: FieldPath;
  readonly reason: string;
}

/** The first list of the author's that an overlay sets to null, or the first null item in one. */
function nullIn(overlay: JsonObject): OverlayFault | undefined {
  for (const field of ["spec", ...AUTHORS_LISTS]) {
    const steps = parseFieldPath(field);
    const value = valueAt(overlay, steps);
    if (value === null) return { steps, reason: "is null" };
    const at = Array.isArray(value) ? value.indexOf(null) : -1;
    if (at !== -1) return { steps: [...steps, at], reason: "is null" };
  }
  return undefined;
}

function wrongIn(overlay: JsonObject): OverlayFault | undefined {
  for (const { path, message } of checkPod(overlay)) {
    const steps = parseFieldPath(path);
    if (!steps.some((step) => typeof step === "string" && isDirective(step))) return { steps, reason: message };
  }
  return undefined;
}

/** Whether an error says who has to correct what. What a bug throws, and a patch that fails its check, say neither. */
export function isExplained(error: unknown): boolean {
  return isOwnError(error) && error.code !== "patch-check-failed";
}
