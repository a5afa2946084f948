// What an edit may do to pods, by class, and which classes wait for a person. The classes are headings for people, and are judged by the
// pods that come out; `unlisted` is judged by all that the release writes, so that no edit is missed because no sample shows it.

/** The classes, the gravest first, each with whether it waits for a person, unless the channel says otherwise. */
const EFFECTS = {
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
  unlisted: false,
  "image-registry": false,
  image: false,
  command: false,
  "resources-doubled": false,
  added: false,
  settings: false,
  "shipped-templates": false,
  metadata: false,
} as const satisfies Readonly<Record<string, boolean>>;

export type EffectName = keyof typeof EFFECTS;

/** What an edit does to pods: one of the classes, and an example of it. */
export interface Effect {
  readonly name: EffectName;
  /** `samples/plain-pod: istio-proxy from registry.example`. Holds nothing that a pod's author wrote, and no value of an environment. */
  readonly example: string;
}

/** The most characters of an example: a record keeps one of each class that is held. */
export const LONGEST_EXAMPLE = 140;

/** An effect, and whether the channel holds it: then a person has to accept it by its name. */
export interface JudgedEffect extends Effect {
  readonly isHeld: boolean;
}

/** Every class, the gravest first. */
export const EFFECT_NAMES = Object.keys(EFFECTS) as readonly EffectName[];

/** What a publication that no person asked for may not carry, unless the channel says otherwise. */
export const HELD_BY_DEFAULT = EFFECT_NAMES.filter((name) => EFFECTS[name]);

/** What the first tree may do: it takes the place of what the deployment published of no tree, and no pod has got that. */
export const OPEN_TO_FIRST_TREE: readonly EffectName[] = [
  "sidecar-gone",
  "container-gone",
  "volume-gone",
  "capture-changed",
  "unlisted",
];

/** What a deployment holds for a person, by its setting `hold`: all but everyday changes, the classes of the channel, or nothing. */
export const HOLDS = ["everyday", "powers", "off"] as const;

/** A value of the setting `hold`. */
export type Hold = (typeof HOLDS)[number];

/**
 * Returns the classes that wait for a person.
 *
 * @param own what the channel holds, where a person has set it
 */
export function heldClasses(hold: Hold, own: readonly EffectName[] = HELD_BY_DEFAULT): readonly EffectName[] {
  if (hold === "off") return [];
  return hold === "everyday" ? [...own, "unlisted"] : own;
}

/**
 * Reads the setting. An empty one holds the classes of the channel, as every deployment did before there was a setting; one that is not
 * known holds the most, because a slip must not let out what was to be held.
 */
export function parseHold(text = ""): Hold {
  return HOLDS.find((hold) => hold === text) ?? (text === "" ? "powers" : "everyday");
}

export function isEffectName(value: unknown): value is EffectName {
  return typeof value === "string" && Object.hasOwn(EFFECTS, value);
}

/** One effect of each class, the gravest first. */
export function firstOfEach(effects: readonly Effect[]): readonly Effect[] {
  return EFFECT_NAMES.flatMap((name) => effects.find((effect) => effect.name === name) ?? []);
}
