// Tries the templates that compile in a tree where others do not, so that one run reports all that is wrong with them.

import type { OutriggerError } from "@outrigger/base";
import { type CompiledTemplates, type Finding, type Program, partialSource, statementsOf } from "@outrigger/template";
import { programsOf } from "../blame/blame-field.ts";
import { loadRelease, type Release } from "../load-release.ts";
import type { Sample } from "../read/read-tree.ts";
import type { Findings } from "../source-tree.ts";
import type { Trial } from "./try-injection.ts";
import { isRefusedValue, trySamples } from "./try-samples.ts";

/** Its release is compiled without what has an error. */
export interface BrokenTree extends Pick<Trial, "release" | "values" | "own"> {
  readonly findings: readonly Finding[];
  readonly samples: readonly Sample[];
  /** The tree has an error elsewhere, as in the values, which would show again in what the templates render. */
  readonly isElsewhere: boolean;
}

/** What is wrong with the tree's own templates that neither have an error nor use a partial that has one. */
export function tryIntact({ release, findings, samples, values, own, isElsewhere }: BrokenTree): Findings {
  const { templates, partials } = release.templates;
  const faulty = findings.flatMap(({ severity, template }) => (severity === "error" ? [template] : []));
  const broken = withUsers(new Set(faulty), release.templates);
  const intact = new Set(Object.keys(templates).filter((name) => !broken.has(name)));
  const names = new Set([...intact].filter((name) => own.has(`templates/${name}`)));
  if (names.size === 0) return { errors: [], warnings: [] };
  const { defaultTemplates, ...config } = release.config;
  const rest: Release = {
    ...release,
    config: { ...config, defaultTemplates: defaultTemplates.filter((name) => intact.has(name)), aliases: {} },
    templates: {
      ...release.templates,
      templates: Object.fromEntries(Object.entries(templates).filter(([name]) => intact.has(name))),
      partials: Object.fromEntries(Object.entries(partials).filter(([name]) => !broken.has(partialSource(name)))),
    },
  };
  const injector = loadRelease(rest);
  const trial = { release: rest, injector, spare: injector, values, own };
  const { errors, warnings } = trySamples(trial, samples, names);
  if (isElsewhere) return { errors: errors.filter(isOwnText), warnings: [] };
  // A broken default template may complete what another one writes.
  const isWhole = defaultTemplates.every((name) => intact.has(name));
  return { errors: errors.filter((error) => isSound(error, isWhole)), warnings };
}

/** What a template writes is wrong, whatever the values are. */
function isOwnText(error: OutriggerError): boolean {
  return error.code === "template-render" && !isRefusedValue(error);
}

function isSound({ code, message }: OutriggerError, isWhole: boolean): boolean {
  if (code === "template-render") return true;
  return code === "overlay-invalid" && (isWhole || !message.includes("an API server rejects the injected pod"));
}

/** The broken sources, and those that use a broken partial, however indirectly. */
function withUsers(broken: ReadonlySet<string>, compiled: CompiledTemplates): ReadonlySet<string> {
  const users = programsOf(compiled).filter(([source, program]) => !broken.has(source) && usesAny(program, broken));
  if (users.length === 0) return broken;
  return withUsers(new Set([...broken, ...users.map(([source]) => source)]), compiled);
}

function usesAny(program: Program, broken: ReadonlySet<string>): boolean {
  return statementsOf(program).some((each) => each.kind === "partial" && broken.has(partialSource(each.name)));
}
