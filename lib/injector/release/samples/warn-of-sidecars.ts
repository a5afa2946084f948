// Warnings of a trial about what the tree's own templates and samples say, where an API server would not complain of the templates.
import { type JsonValue, listOf, ORDER_DIRECTIVE, objectOf, valueAt } from "@outrigger/base";
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

const ORDERED = ["initContainers", "containers"] as const;

/** Warns of a list in `$setElementOrder/` of the tree's own that has containers of two templates the other way round than `before` in the config. */
export function warnOfOrder({ renderings }: Tried, report: Report): void {
  for (const { name, before } of report.trial.orders ?? []) {
    for (const list of ORDERED) {
      const [first, second] = [name, before].map((template) => containersOfTemplate(template, list, renderings));
      for (const from of renderings.filter((each) => isOwn(each, report))) {
        const key = `${ORDER_DIRECTIVE}${list}`;
        const listed = listOf(valueAt(from.overlay, ["spec", key])).map((item) => String(objectOf(item)["name"]));
        const at = listed.findIndex((one) => second?.includes(one));
        const late = listed.find((one, index) => index > at && first?.includes(one));
        if (at === -1 || late === undefined) continue;
        const message = `${listed[at]} comes before ${late} here, and ${name} before ${before} in defaultTemplates of the config: change one of the two`;
        const { path, line, column } = authorOf(from, { steps: ["spec", key], part: "key" }, report.trial);
        warn(report, { path, line, column, message });
      }
    }
  }
}

function containersOfTemplate(template: string, list: string, renderings: readonly Rendering[]): readonly string[] {
  return renderings
    .filter(({ name }) => name === template)
    .flatMap(({ overlay }) => listOf(valueAt(overlay, ["spec", list])))
    .map((container) => String(objectOf(container)["name"]));
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
