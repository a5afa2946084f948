// `samples/<name>`: a pod on which every template is tried before it is published.

import { defined, isObject, OutriggerError, ownError } from "@outrigger/base";
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
    const { message, path: field } = ownError(cause);
    const place = field === undefined ? undefined : locateYaml(text, parseFieldPath(field), "value");
    throw new OutriggerError("tree-invalid", `Cannot use ${path}: ${message}`, {
      path,
      ...defined({ ...place }),
      cause,
    });
  }
}
