// `samples/<name>`: a pod on which every template is tried before it is published.

import { defined, isObject, OutriggerError } from "@outrigger/base";
import { type Pod, parseFieldPath } from "@outrigger/pod";
import { locateYaml } from "@outrigger/yaml";
import { decodePod } from "../../decode-pod.ts";
import { fieldError, type SourceText } from "./read-tree.ts";

export interface Sample {
  /** Its path in the source tree. */
  readonly path: string;
  readonly text: string;
  readonly pod: Pod;
}

/** @throws OutriggerError `tree-invalid` for a document that is not a Pod */
export function readSample(source: SourceText): Sample {
  const { path, text, value } = source;
  if (!isObject(value) || value["kind"] !== "Pod") {
    throw fieldError("tree-invalid", source, ["kind"], `Cannot use ${path}: a sample is a Pod, with "kind: Pod"`);
  }
  try {
    return { path, text, pod: decodePod(value, "written") };
  } catch (cause) {
    if (!(cause instanceof OutriggerError)) throw cause;
    const place = cause.path === undefined ? undefined : locateYaml(text, parseFieldPath(cause.path), "value");
    throw new OutriggerError("tree-invalid", `Cannot use ${path}: ${cause.message}`, {
      path,
      ...defined({ ...place }),
      cause,
    });
  }
}
