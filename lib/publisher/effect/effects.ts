// What an edit may do to pods, by class, and which classes wait for a person. A class is judged by the pods that come out, so
// that it does not matter which text of a tree was edited.

/** The classes, the gravest first, and whether they wait for a person by default: docs/releases.md has what each means. */
const CLASSES = {
  "entries-gone": true,
  "sidecar-gone": true,
  "container-gone": true,
  "volume-gone": true,
  "privileges-widened": true,
  "author-changed": true,
  "pod-may-not-run": true,
  "identity-used": true,
  "capture-changed": true,
  "control-plane-address": true,
  "registry-misspelt": true,
  "image-registry": false,
  image: false,
  command: false,
  "resources-doubled": false,
  added: false,
  settings: false,
  "shipped-templates": false,
  metadata: false,
} as const satisfies Readonly<Record<string, boolean>>;

export type EffectName = keyof typeof CLASSES;

/** What an edit does to pods: one of the classes, and an example of it. */
export interface Effect {
  readonly name: EffectName;
  /** `samples/plain-pod: istio-proxy from registry.example`. Holds nothing that a pod's author wrote, and no value of an environment. */
  readonly example: string;
}

/** Every class, the gravest first. */
export const EFFECT_NAMES = Object.keys(CLASSES) as readonly EffectName[];

/** What a publication that no person asked for may not carry, unless the channel says otherwise. */
export const HELD_BY_DEFAULT = EFFECT_NAMES.filter((name) => CLASSES[name]);

export function isEffectName(value: unknown): value is EffectName {
  return typeof value === "string" && Object.hasOwn(CLASSES, value);
}

/** One effect of each class, the gravest first. */
export function firstOfEach(effects: readonly Effect[]): readonly Effect[] {
  return EFFECT_NAMES.flatMap((name) => effects.find((effect) => effect.name === name) ?? []);
}
