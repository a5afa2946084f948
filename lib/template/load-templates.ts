// Compiled templates → a template set that renders them. Work that does not depend on the pod is done here, once per
// release.

import {
  boundedCache,
  heapBytes,
  isObject,
  type JsonObject,
  OutriggerError,
  once,
  sharedMemory,
} from "@outrigger/base";
import { bindProgram, type Plan } from "./bind/bind-program.ts";
import { branchKeyOf, startRender } from "./bind/render-state.ts";
import { placeholdersOf, shapeText } from "./bind/text-pieces.ts";
import { COMPILED_FORMAT, type CompiledTemplates, type Program } from "./compiled-templates.ts";
import { describeTemplate } from "./finding.ts";
import type { HelperFunctions } from "./helpers/helper.ts";
import { fillShape } from "./shape/fill-shape.ts";
import { parseBlocks, sharedBlocks } from "./shape/parse-blocks.ts";
import { parseShape } from "./shape/parse-shape.ts";
import type { CompiledShape, Fill, Shape } from "./shape/shape.ts";

/** The roots of the template data, by name. */
export type TemplateData = Readonly<Record<string, unknown>>;

export interface LoadOptions {
  readonly helpers: HelperFunctions;
  /** Roots that are the same in every rendering: what depends only on them is computed when loading. */
  readonly constants: TemplateData;
  /** Roots that usually are these objects: a rendering in which all of them are runs a shorter program. */
  readonly defaults: TemplateData;
  /** Shapes of an equal set of templates; shapes of another set are ignored. */
  readonly shapes?: readonly CompiledShape[];
}

/** The templates of a release, ready to render. */
export interface TemplateSet {
  readonly names: readonly string[];
  /**
   * Renders the template to an overlay; empty text is an empty overlay. Subtrees that do not depend on the data are
   * frozen and shared between renderings; subtrees of the data are shared with the data.
   *
   * @throws OutriggerError `template-unknown`, or `template-render` with template, line and column
   */
  render(name: string, data: TemplateData): JsonObject;
  /** Returns whether a template or partial has the text as a literal or as a part of a path: the key of an annotation that it reads. */
  isRead(text: string): boolean;
  /** The shapes made or used so far. A set that is loaded with them parses no YAML for them. */
  shapes(): readonly CompiledShape[];
}

/**
 * Makes a set that renders compiled templates. Pays once for what no rendering changes: constants are computed, YAML is parsed
 * once per combination of branches.
 *
 * @throws OutriggerError `release-unsupported` for another version of the compiled form
 */
export function loadTemplates(compiled: CompiledTemplates, options: LoadOptions): TemplateSet {
  if (compiled.format !== COMPILED_FORMAT) {
    throw new OutriggerError(
      "release-unsupported",
      `Cannot load templates of format ${compiled.format}: this version reads format ${COMPILED_FORMAT}, publish again`,
    );
  }
  const names = Object.keys(compiled.templates);
  const fingerprint = fingerprintOf(options);
  const shipped = (options.shapes ?? []).filter((shape) => shape.fingerprint === fingerprint);
  // Binding waits for the first rendering: a process renders one or two of the templates of a release.
  const variant = (name: string, usual: boolean): Variant => {
    const own = shipped.filter((shape) => shape.template === name && shape.usual === usual);
    let made: Variant | undefined;
    const load = () => {
      const { helpers, constants: known, defaults } = options;
      const constants = usual ? { ...known, ...defaults } : known;
      const program = compiled.templates[name] as Program;
      return loadVariant(bindProgram({ name, program, partials: compiled.partials, helpers, constants }), name, own);
    };
    return {
      render(data) {
        made ??= load();
        return made.render(data);
      },
      /** What has been made; of one that is not loaded, what it would be loaded with. */
      shapes: () => made?.shapes() ?? own,
    };
  };
  const loaded = new Map(names.map((name) => [name, { usual: variant(name, true), unusual: variant(name, false) }]));
  const defaults = Object.entries(options.defaults);
  const compiledText = once(() => JSON.stringify([compiled.templates, compiled.partials]));
  return {
    names,
    render(name, data) {
      const template = loaded.get(name);
      if (!template)
        throw new OutriggerError("template-unknown", `Cannot render ${describeTemplate(name)}: it does not exist`);
      let usual = true;
      for (const [root, value] of defaults) if (data[root] !== value) usual = false;
      return (usual ? template.usual : template.unusual).render(data);
    },
    isRead: (text) => compiledText().includes(JSON.stringify(text)),
    shapes: () =>
      [...loaded].flatMap(([template, { usual, unusual }]) =>
        [usual, unusual].flatMap((variant) =>
          variant.shapes().map((made) => ({ template, usual: variant === usual, fingerprint, ...made })),
        ),
      ),
  };
}

interface Variant {
  render(data: TemplateData): JsonObject;
  shapes(): readonly Pick<CompiledShape, "branchKey" | "shape">[];
}

type CachedShape = Pick<CompiledShape, "branchKey" | "shape"> & { readonly fill: Fill };

/** What fills a shape takes as much again. Shapes of one template have most of their parts in common. */
function shapeSize(shape: Shape, text = "") {
  return (counted?: Parameters<typeof heapBytes>[1]) => 2 * heapBytes(shape, counted) + heapBytes(text);
}

function loadVariant(plan: Plan, name: string, shipped: readonly CompiledShape[]): Variant {
  const cache = boundedCache<CachedShape>(sharedMemory.shapes);
  const fills = new WeakMap<Shape, Fill>();
  const placeholders = once(() => placeholdersOf(plan.pieces, name));
  const make = (branchKey: string): Fill => {
    const text = shapeText(plan.pieces, branchKey, placeholders(), name);
    const joined = parseBlocks(text, name, sharedBlocks(placeholders().numbers));
    const { shape } = joined ?? parseShape(text, name);
    const made = { branchKey, shape, fill: fillOverlay(shape, name, fills) };
    // V8 makes parts of a text that is parsed as a whole refer to it.
    cache.set(branchKey, made, shapeSize(shape, joined ? "" : text.text));
    return made.fill;
  };
  for (const { branchKey, shape } of shipped) {
    const made = once(() => fillOverlay(shape, name, fills));
    cache.set(branchKey, { branchKey, shape, fill: (values, base) => made()(values, base) }, shapeSize(shape));
  }
  return {
    render(data) {
      const registers = new Array<unknown>(plan.registers());
      registers[0] = data;
      const state = startRender(registers, name);
      plan.run?.(state);
      const branchKey = branchKeyOf(state);
      const fill = cache.get(branchKey)?.fill ?? make(branchKey);
      return fill(state.values, 0) as JsonObject;
    },
    shapes: () => cache.values().map(({ branchKey, shape }) => ({ branchKey, shape })),
  };
}

/** An overlay is a mapping; a template without content is an empty one. */
function fillOverlay(shape: Shape, name: string, fills: WeakMap<Shape, Fill>): Fill {
  if (shape[0] === "static" && (shape[1] === null || shape[1] === undefined)) {
    const empty = Object.freeze({});
    return () => empty;
  }
  const fill = fillShape(shape, fills);
  return (values, base) => {
    const overlay = fill(values, base) ?? {};
    if (isObject(overlay)) return overlay;
    const found = Array.isArray(overlay) ? "a list" : "text";
    const reason = `Cannot render ${describeTemplate(name)}: it renders ${found} instead of a pod's fields (metadata, spec)`;
    throw new OutriggerError("template-render", reason, { path: name, line: 1, column: 1 });
  };
}

/** Covers the constants: their decisions are not in the branch key. */
function fingerprintOf({ constants, defaults }: LoadOptions): string {
  const text = JSON.stringify([COMPILED_FORMAT, constants, defaults]);
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  return `${(high >>> 0).toString(36)}${(low >>> 0).toString(36)}`;
}
