// The images of the proxy and of its init container.

import { type JsonObject, type JsonValue, metadataKeys, objectOf } from "@outrigger/base";
import { type IstioRelease, isSince } from "@outrigger/mesh";

const DEFAULT_NAME = "proxyv2";
export const DEFAULT_TYPE = "default";
export const KNOWN_TYPES = ["distroless", "debug"];

type Annotations = Readonly<Record<string, string>> | undefined;

/**
 * Returns the proxy's image. Its type is that of the annotation `sidecar.istio.io/proxyImageType`, else that of the
 * ProxyConfig, else `values.global.variant`: before Istio 1.31 only where the ProxyConfig has no image. A type at the end
 * of the tag is replaced; `default` means no type.
 *
 * @example
 * ```ts
 * proxyImage({ global: { hub: "example.com", tag: "1.31.0-debug" } }, { imageType: "distroless" }, {}) // => "example.com/proxyv2:1.31.0-distroless"
 * ```
 */
export function proxyImage(
  values: JsonObject,
  image: { readonly imageType?: string } | undefined,
  annotations: Annotations,
  istio?: IstioRelease,
): string {
  const variant = image === undefined || isSince("1.31", istio) ? variantOf(values) : "";
  return imageOf(values, "proxy", image?.imageType || variant, annotations);
}

/** The image of the init container: named by `values.global.proxy_init.image`, otherwise like the proxy's. */
export function proxyInitImage(values: JsonObject, annotations: Annotations): string {
  return imageOf(values, "proxy_init", variantOf(values), annotations);
}

/** All of the values that these images are made of. */
export function imageInputs(values: JsonObject): JsonValue {
  const { hub, tag, variant, proxy, proxy_init: init } = objectOf(values["global"]);
  return [hub, tag, variant, objectOf(proxy)["image"], objectOf(init)["image"]].map((value) => value ?? null);
}

function imageOf(values: JsonObject, part: string, imageType: string, annotations: Annotations): string {
  const global = objectOf(values["global"]);
  const name = scalarText(objectOf(global[part])["image"]) || DEFAULT_NAME;
  const tag = scalarText(global["tag"]);
  const type = annotations?.[metadataKeys.proxyImageType] ?? imageType;
  return `${scalarText(global["hub"])}/${name}:${taggedWith(tag, type)}`;
}

function variantOf(values: JsonObject): string {
  return scalarText(objectOf(values["global"])["variant"]);
}

function taggedWith(tag: string, type: string): string {
  if (type === "") return tag;
  const known = KNOWN_TYPES.find((each) => tag.endsWith(`-${each}`));
  const bare = known === undefined ? tag : tag.slice(0, -known.length - 1);
  return type === DEFAULT_TYPE ? bare : `${bare}-${type}`;
}

/** Returns the text of a scalar: tags are written as numbers too (`1.5`). */
function scalarText(value: JsonValue | undefined): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
