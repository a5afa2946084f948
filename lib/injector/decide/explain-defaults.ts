// Why a pod gets a default template that is for some pods only, or does not: the words of people for what select-templates.ts decides.

import { entryOf, injectionKeys } from "@outrigger/base";
import type { Pod } from "@outrigger/pod";
import type { InjectionConfig, TemplateMatch } from "../injection.ts";

/** One entry of `defaultTemplates` that is for some pods only, as one pod meets it. */
interface DefaultChoice {
  readonly name: string;
  readonly isFit: boolean;
  /** `labels.logs is yes`: the whole match where it fits, and otherwise what does not. */
  readonly why: string;
}

/**
 * Says of each default template that is for some pods only whether it is for this one, and why; of none where the pod names its
 * templates itself.
 *
 * @example
 * ```ts
 * explainDefaults({ defaultTemplates: [{ name: "logs", match: { namespaces: ["shop"] } }] }, {}, "shop") // => [{ name: "logs", isFit: true, why: "the namespace is shop" }]
 * ```
 */
export function explainDefaults(
  { defaultTemplates, injectionLabel }: Pick<InjectionConfig, "defaultTemplates" | "injectionLabel">,
  { metadata }: Pod,
  namespace: string,
): readonly DefaultChoice[] {
  if ((metadata?.annotations?.[injectionKeys(injectionLabel).templates] ?? undefined) !== undefined) return [];
  return defaultTemplates.flatMap((entry) => {
    // An entry for no pod at all stands for an empty list.
    if (typeof entry === "string" || entry.match.namespaces?.length === 0) return [];
    const parts = partsOf(entry.match, metadata?.labels ?? {}, namespace);
    const unfit = parts.filter(({ isFit }) => !isFit);
    const why = (unfit.length === 0 ? parts : unfit).map(({ text }) => text).join(" and ");
    return { name: entry.name, isFit: unfit.length === 0, why };
  });
}

function partsOf(
  { namespaces, podLabels }: TemplateMatch,
  labels: Readonly<Record<string, string>>,
  namespace: string,
) {
  const requirements = podLabels?.requirements ?? [];
  return [
    ...(namespaces === undefined ? [] : [part("the namespace", namespaces, namespace)]),
    ...requirements.map(({ key, values }) => part(`labels.${key}`, values, entryOf(labels, key))),
  ];
}

function part(what: string, wanted: readonly string[], found: string | undefined) {
  const isFit = found !== undefined && wanted.includes(found);
  const texts = (isFit ? [found] : wanted).map((text) => (text === "" ? "empty" : text));
  return { isFit, text: `${what} is ${isFit ? "" : "not "}${texts.join(" or ")}` };
}
