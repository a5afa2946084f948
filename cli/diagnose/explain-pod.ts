// Explains the injection of one pod: the decision and its reason, the templates and where they come from, and what was
// added to the pod.
import { entryOf, ownError } from "@outrigger/base";
import type { Injector, InjectRequest, Release, SourceTree } from "@outrigger/injector";
import { explainDefaults, injectPod, type podWarnings } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import type { Program } from "@outrigger/template";

/** A template or partial, and the tree that it comes from. */
export interface Piece {
  readonly path: string;
  /** `unknown` where the texts of the release are not kept. */
  readonly layer: "shipped" | "yours" | "unknown";
  /** Yours, in place of a shipped one of the same name. */
  readonly replaces?: true;
}

export interface Account {
  readonly pod: string;
  readonly namespace: string;
  readonly decision: "injected" | "skipped" | "refused";
  /** The reason's stable name, or the error's code. */
  readonly reason: string;
  readonly message: string;
  /**
   * The annotation or setting that chose the templates: `annotation inject.istio.io/templates`, or `defaultTemplates`.
   */
  readonly chosenBy?: string;
  readonly templates: readonly (Piece & {
    readonly name: string;
    readonly partials: readonly Piece[];
    /** Why a default template that is for some pods only is for this one: `labels.logs is yes`. */
    readonly as?: string;
  })[];
  /** The default templates that are for other pods, and why they are not for this one. */
  readonly unmatched: readonly { readonly name: string; readonly as: string }[];
  /** Field → names of what was put there. */
  readonly added: Readonly<Record<string, readonly string[]>>;
  readonly warnings: readonly string[];
}

interface Layers {
  readonly release: Release;
  readonly shipped: SourceTree;
  /** The tree over the shipped one, where it is known. */
  readonly tree: SourceTree | undefined;
}

export function explainPod(
  name: string,
  request: InjectRequest,
  injector: Injector,
  layers: Layers,
  warningsOf: ReturnType<typeof podWarnings>,
): Account {
  const about = { pod: name, namespace: request.pod.metadata?.namespace || request.namespace || "default" };
  const choices = explainDefaults(injector.config, request.pod, about.namespace);
  const unmatched = choices
    .filter(({ isFit }) => !isFit)
    .map(({ name: template, why }) => ({ name: template, as: why }));
  const nothing = { templates: [], unmatched: [], added: {} };
  try {
    const result = injectPod(injector, request);
    const warnings = warningsOf(request.pod, result);
    if (!result.injected) {
      const { reason, message } = result;
      const none = { ...nothing, ...(reason === "no-template" && { unmatched }) };
      return { ...about, ...none, warnings, decision: "skipped", reason, message };
    }
    const { inject, templates: annotation } = injector.keys;
    const isChosen = request.pod.metadata?.annotations?.[annotation] !== undefined;
    return {
      ...about,
      decision: "injected",
      reason: result.reason,
      message: REASONS[result.reason].replace("LABEL", inject),
      chosenBy: isChosen ? `annotation ${annotation}` : "defaultTemplates of the config",
      templates: result.templates.map((template) => {
        const why = choices.find((choice) => choice.isFit && choice.name === template)?.why;
        return { ...templateAccount(template, layers), ...(why !== undefined && { as: why }) };
      }),
      unmatched: unmatched.filter(({ name: template }) => !result.templates.includes(template)),
      added: additions(request.pod, result.pod),
      warnings,
    };
  } catch (error) {
    const { code, message } = ownError(error);
    return { ...about, ...nothing, warnings: warningsOf(request.pod), decision: "refused", reason: code, message };
  }
}

const REASONS = {
  "opted-in": "the pod asks for it with LABEL",
  "always-selector": "the pod's labels match an alwaysInjectSelector",
  "policy-enabled": 'the policy is "enabled", and nothing of the pod decides otherwise',
} as const;

function templateAccount(name: string, layers: Layers) {
  const { templates, partials } = layers.release.templates;
  const called = new Set<string>();
  const follow = (program: Program): void => {
    for (const statement of program) {
      if (statement.kind === "block") for (const inner of [statement.program, statement.inverse]) follow(inner);
      if (statement.kind === "inline") follow(statement.program);
      if (statement.kind !== "partial" || called.has(statement.name)) continue;
      const partial = entryOf(partials, statement.name);
      if (partial === undefined) continue;
      called.add(statement.name);
      follow(partial);
    }
  };
  follow(entryOf(templates, name) ?? []);
  const pieces = [...called].sort().map((partial) => pieceOf(`partials/${partial}`, layers));
  return { name, ...pieceOf(`templates/${name}`, layers), partials: pieces };
}

function pieceOf(path: string, { tree, shipped }: Layers): Piece {
  if (tree === undefined) return { path, layer: "unknown" };
  if (!Object.hasOwn(tree, path)) return { path, layer: "shipped" };
  return { path, layer: "yours", ...(Object.hasOwn(shipped, path) && { replaces: true }) };
}

function additions(before: Pod, after: Pod): Account["added"] {
  const namesIn = (list: readonly { readonly name: string }[] = []) => list.map(({ name }) => name);
  const namesOf = ({ spec, metadata }: Pod): Account["added"] => ({
    initContainers: namesIn(spec?.initContainers),
    containers: namesIn(spec?.containers),
    volumes: namesIn(spec?.volumes),
    labels: Object.keys(metadata?.labels ?? {}),
    annotations: Object.keys(metadata?.annotations ?? {}),
  });
  const had = namesOf(before);
  const added = Object.entries(namesOf(after)).map(([field, names]) => {
    return [field, names.filter((name) => had[field]?.includes(name) !== true)] as const;
  });
  return Object.fromEntries(added.filter(([, names]) => names.length > 0));
}
