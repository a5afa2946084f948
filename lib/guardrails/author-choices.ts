// What of a pod its author asks for in annotations. Pure.
import { type JsonObject, type JsonValue, objectOf, objectsOf, textOf } from "@outrigger/base";

/** What an author asks for in annotations of Istio's that could be written into the pod as well. */
export interface AuthorChoices {
  /** The proxy's image. */
  readonly image: string | undefined;
  readonly volumes: ReadonlySet<string>;
}

/** Where such annotations are bounded as templates are. */
export const NO_CHOICES: AuthorChoices = { image: undefined, volumes: new Set() };

/** The choices of a pod's author. */
export function chosenByAuthor({ metadata }: JsonObject): AuthorChoices {
  const annotations = objectOf(objectOf(metadata)["annotations"]);
  return {
    image: textOf(annotations["sidecar.istio.io/proxyImage"]),
    volumes: new Set(
      ["userVolume", "userVolumeMount"].flatMap((key) => userVolumes(annotations[`sidecar.istio.io/${key}`])),
    ),
  };
}

function userVolumes(value: JsonValue | undefined): readonly string[] {
  if (typeof value !== "string") return [];
  try {
    const volumes: JsonValue = JSON.parse(value);
    return Array.isArray(volumes)
      ? objectsOf(volumes).map(({ name }) => textOf(name) ?? "")
      : Object.keys(objectOf(volumes));
  } catch {
    return [];
  }
}
