// What is a URL among the names of manifests, and what messages call it.

export function isUrl(name: string): boolean {
  return /^https?:\/\//.test(name) && URL.canParse(name);
}

/** A URL as messages have it: without what may be a password or a signature. */
export function urlName(name: string): string {
  const { origin, pathname } = new URL(name);
  return origin + pathname;
}
