// Warnings of a trial about what the tree's own templates and samples say, where an API server would not complain of the templates.
import { type JsonValue, listOf, objectOf, valueAt } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import { locateYaml, parseYaml } from "@outrigger/yaml";
import { authorOf, type Rendering } from "../blame/blame-field.ts";
import { writerOf } from "../blame/writer-of.ts";
import { sidecarFaults } from "./check-sidecars.ts";
import { type Report, type Tried, warn } from "./try-injection.ts";

/** Warns of what does not work in containers that the tree's own templates wrote. */
export function warnOfSidecars({ renderings }: Tried, pod: Pod, report: Report): void {
  for (const { steps, message } of sidecarFaults(pod)) {
    const [from, written = []] = writerOf({ steps }, pod, renderings);
    if (from === undefined || written.length < steps.length || !isOwn(from, report)) continue;
    const { path, line, column } = authorOf(from, { steps: written, part: "value", isValueFault: true }, report.trial);
    warn(report, { path, line, column, message });
  }
}

function isOwn({ name }: Rendering, { trial }: Report): boolean {
  return trial.own.has(`templates/${name}`);
}

/** Warns of a container to which two of the tree's own templates give an image each: they become one, with the second one's. */
export function warnOfShared({ renderings }: Tried, report: Report): void {
  const own = renderings.filter((each) => isOwn(each, report));
  for (const [at, from] of own.entries()) {
    for (const { name, steps } of imagesOf(from)) {
      const other = own.slice(0, at).find((one) => imagesOf(one).some((image) => image.name === name));
      if (other === undefined) continue;
      const message = `container ${name} is of template ${other.name} too: a pod that gets both has one, with this image; give them different names`;
      const { path, line, column } = authorOf(from, { steps, part: "value" }, report.trial);
      warn(report, { path, line, column, message });
    }
  }
}

function imagesOf({ overlay }: Rendering) {
  return (["initContainers", "containers"] as const).flatMap((list) =>
    listOf(valueAt(overlay, ["spec", list])).flatMap((container, index) => {
      const { name, image } = objectOf(container) as { readonly name?: JsonValue; readonly image?: JsonValue };
      return image === undefined ? [] : [{ name: String(name), steps: ["spec", list, index, "name"] }];
    }),
  );
}

/** A label that YAML does not read as text is one here, and no API server takes it. */
export function warnOfUnquoted(path: string, text: string, report: Report): void {
  const metadata = objectOf(objectOf(parseYaml(text, path))["metadata"]);
  for (const field of ["labels", "annotations"] as const) {
    for (const [key, value] of Object.entries(objectOf(metadata[field]))) {
      if (typeof value === "string" || value === null) continue;
      const message = `${field}.${key} must be text: put ${JSON.stringify(value)} in quotes`;
      warn(report, { path, ...locateYaml(text, ["metadata", field, key], "value"), message });
    }
  }
}
