// What an edit may do to pods, by class, and which classes wait for a person. The classes are headings for people, and are judged by the
// pods that come out; `unlisted` is judged by all that the release writes, so that no edit is missed because no sample shows it.

interface EffectClass {
  /** Whether it waits for a person, unless the channel says otherwise. */
  readonly isHeld: boolean;
  /** The row of the page: what would change. */
  readonly doc: string;
}

/** The classes, the gravest first. */
export const EFFECTS = {
  "entries-gone": { isHeld: true, doc: "the source tree is empty, or lost more than half of its entries at once" },
  "sidecar-gone": { isHeld: true, doc: "pods that are injected now would not be, or would be denied" },
  "container-gone": { isHeld: true, doc: "a container that is injected now would not be" },
  "volume-gone": { isHeld: true, doc: "a volume that is injected now would not be" },
  "privileges-widened": {
    isHeld: true,
    doc: "pods or containers could do more on the node: the fields of the Pod Security Standards, the service account, and annotations and labels that another controller may obey",
  },
  "author-changed": {
    isHeld: true,
    doc: "what a pod's author wrote, or may have written, would be another or gone, or their containers would get a variable, mount or field beyond the [known ones](guardrails.md#what-an-injection-may-do)",
  },
  "pod-may-not-run": {
    isHeld: true,
    doc: "pods would be scheduled, started or ended otherwise: node selection, gates, deadlines, finalizers, and every other field of a pod that no template of Istio's needs",
  },
  "identity-used": {
    isHeld: true,
    doc: "a container would act as the pod's service account or role elsewhere, or use a Secret, token or claim that is not the injection's own, what is the proxy's own, or a CSI driver",
  },
  "capture-changed": {
    isHeld: true,
    doc: "other traffic would go through the proxy. Ports that are excluded by number do not count",
  },
  "control-plane-address": {
    isHeld: true,
    doc: "proxies would connect to another istiod or certificate authority, trust other roots, run another program, or be given what [the proxy of the mesh](guardrails.md#the-proxy-of-the-mesh) does not need",
  },
  "registry-misspelt": {
    isHeld: true,
    doc: "images would come from a registry or repository that is a slip away from Istio's, or from the one that is served",
  },
  unlisted: {
    isHeld: false,
    doc: "anything that is not an [everyday change](#everyday-changes): for some pod, something would be written, no longer written, or written under another condition. Held where the setting `hold` is `everyday`",
  },
  "image-registry": { isHeld: false, doc: "images would come from another registry or repository" },
  image: { isHeld: false, doc: "another name, tag or digest of an image" },
  command: { isHeld: false, doc: "another command, or other arguments" },
  "resources-doubled": {
    isHeld: false,
    doc: "containers together would request, or be limited to, more than twice as much",
  },
  added: { isHeld: false, doc: "a container or volume more, or an injection where there was none" },
  settings: { isHeld: false, doc: "environment, ports, probes, mounts or another field" },
  "shipped-templates": {
    isHeld: false,
    doc: "the release would be made with the shipped templates of another version of Outrigger",
  },
  metadata: { isHeld: false, doc: "labels or annotations" },
} as const satisfies Readonly<Record<string, EffectClass>>;

export type EffectName = keyof typeof EFFECTS;

/** What an edit does to pods: one of the classes, and an example of it. */
export interface Effect {
  readonly name: EffectName;
  /** `samples/plain-pod: istio-proxy from registry.example`. Holds nothing that a pod's author wrote, and no value of an environment. */
  readonly example: string;
}

/** An effect, and whether the channel holds it: then a person has to accept it by its name. */
export interface JudgedEffect extends Effect {
  readonly isHeld: boolean;
}

/** Every class, the gravest first. */
export const EFFECT_NAMES = Object.keys(EFFECTS) as readonly EffectName[];

/** What a publication that no person asked for may not carry, unless the channel says otherwise. */
export const HELD_BY_DEFAULT = EFFECT_NAMES.filter((name) => EFFECTS[name].isHeld);

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

/** Reads the setting: an empty or unknown one holds the classes of the channel, as every deployment did before there was a setting. */
export function parseHold(text: string | undefined): Hold {
  return HOLDS.find((hold) => hold === text) ?? "powers";
}

export function isEffectName(value: unknown): value is EffectName {
  return typeof value === "string" && Object.hasOwn(EFFECTS, value);
}

/** One effect of each class, the gravest first. */
export function firstOfEach(effects: readonly Effect[]): readonly Effect[] {
  return EFFECT_NAMES.flatMap((name) => effects.find((effect) => effect.name === name) ?? []);
}
