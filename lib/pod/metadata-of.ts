// The metadata of a Kubernetes object of any shape, also of one that nobody has checked. Pure.
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from "@outrigger/base";

/** Metadata with every field there: what is absent, or of another type, is empty. */
export interface Metadata {
  readonly name: string;
  readonly generateName: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** 0 where the API server counts none. */
  readonly generation: number;
  /** RFC 3339; empty for an object that no API server has stored. */
  readonly creationTimestamp: string;
  /** RFC 3339; empty while the object is not being deleted. */
  readonly deletionTimestamp: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly ownerReferences: readonly Owner[];
  readonly managedFields: readonly JsonObject[];
}

/** Another object that this one belongs to. */
interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: boolean;
}

/**
 * The metadata of an object, whatever it is. Nothing is copied but what has another type somewhere.
 *
 * @example
 * ```ts
 * metadataOf({ metadata: { name: "web", labels: { app: "web", tier: 1 } } }).labels // => { app: "web" }
 * metadataOf(null).name // => ""
 * ```
 */
export function metadataOf(object: unknown): Metadata {
  const metadata = objectOf(objectOf(object)["metadata"]);
  const text = (field: string) => textOf(metadata[field]) ?? "";
  const { generation, finalizers } = metadata;
  return {
    name: text("name"),
    generateName: text("generateName"),
    namespace: text("namespace"),
    uid: text("uid"),
    resourceVersion: text("resourceVersion"),
    generation: typeof generation === "number" ? generation : 0,
    creationTimestamp: text("creationTimestamp"),
    deletionTimestamp: text("deletionTimestamp"),
    labels: textsOf(metadata["labels"]),
    annotations: textsOf(metadata["annotations"]),
    finalizers: Array.isArray(finalizers) ? finalizers.filter((name) => typeof name === "string") : [],
    ownerReferences: objectsOf(metadata["ownerReferences"]).map(ownerOf),
    managedFields: objectsOf(metadata["managedFields"]),
  };
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return NO_TEXTS;
  const entries = Object.entries(value);
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return texts.length === entries.length ? (value as Readonly<Record<string, string>>) : Object.fromEntries(texts);
}

const NO_TEXTS: Readonly<Record<string, string>> = Object.freeze({});

function ownerOf(reference: JsonObject): Owner {
  const text = (field: string) => textOf(reference[field]) ?? "";
  return {
    apiVersion: text("apiVersion"),
    kind: text("kind"),
    name: text("name"),
    uid: text("uid"),
    controller: reference["controller"] === true,
  };
}
