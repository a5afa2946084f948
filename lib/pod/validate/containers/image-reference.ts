// Whether a text names an image. An API server takes any text; a kubelet then cannot pull it (InvalidImageName).

/**
 * Returns whether a text is a reference of an image: domain, path, tag and digest. Source: the grammar of the distribution project,
 * in which a path is in lower case.
 *
 * @example
 * ```ts
 * isImageReference("registry.example:5000/team/agent:1.2") // => true
 * isImageReference("registry.example/agent:") // => false
 * ```
 */
export function isImageReference(text: string): boolean {
  return IMAGE.test(text);
}

/**
 * Returns whether the reference of an image has a tag or a digest: without one, it is what is `latest` whenever a node pulls it.
 *
 * @example
 * ```ts
 * isPinned("registry.example:5000/team/agent") // => false
 * isPinned("busybox:1.36") // => true
 * ```
 */
export function isPinned(reference: string): boolean {
  return /[:@]/.test(reference.slice(reference.lastIndexOf("/") + 1));
}

const IMAGE =
  /^(?:(?:[a-zA-Z\d](?:[a-zA-Z\d-]*[a-zA-Z\d])?(?:\.[a-zA-Z\d](?:[a-zA-Z\d-]*[a-zA-Z\d])?)*|\[[a-fA-F\d:]+\])(?::\d+)?\/)?[a-z\d]+(?:(?:[._]|__|-+)[a-z\d]+)*(?:\/[a-z\d]+(?:(?:[._]|__|-+)[a-z\d]+)*)*(?::\w[\w.-]{0,127})?(?:@[a-zA-Z][a-zA-Z\d]*(?:[-_+.][a-zA-Z][a-zA-Z\d]*)*:[a-fA-F\d]{32,})?$/;
