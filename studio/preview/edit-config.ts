// The config with another list of default templates, written by the worker: what writes all of YAML is not loaded with the page.

import { objectOf } from "@outrigger/base";
import { editDocument, formatYaml, parseYaml } from "@outrigger/yaml";
import type { Answers, ConfigQuestion } from "./question.ts";

/** The name of a template before the pods that it is for. */
const LAYOUT = { indent: 2, indentsLists: false, keepsOrder: true };

/** Comments, and what is said besides, stay as they are. The text is undefined where it cannot be edited. */
export function editConfig({ text, defaultTemplates }: ConfigQuestion): Answers["config"] {
  let value: ReturnType<typeof parseYaml>;
  try {
    value = parseYaml(text, "config");
  } catch {
    return { text: undefined };
  }
  const wanted = { ...objectOf(value), defaultTemplates: [...defaultTemplates] };
  const edited = value === null ? `${text}${formatYaml(wanted, LAYOUT)}` : editDocument(text, wanted, LAYOUT);
  // Two braces side by side cannot be stored.
  return { text: edited?.replaceAll(/\}(?=\})/g, "} ") };
}
