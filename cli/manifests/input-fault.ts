// What is a URL among the names of inputs, what messages call it, and why an input cannot be read, or a file written.

export function isUrl(name: string): boolean {
  return /^https?:\/\//.test(name) && URL.canParse(name);
}

/** A URL as messages have it: without what may be a password or a signature. */
export function urlName(name: string): string {
  const { origin, pathname } = new URL(name);
  return origin + pathname;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or directory",
  EISDIR: "it is a directory",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  ENOTDIR: "there is a file where a directory should be",
  EEXIST: "there is a file where a directory should be",
  ELOOP: "it is a symbolic link, or links lead in a circle",
  ENOSPC: "the disk is full",
  EROFS: "the disk is read-only",
  ERR_ENCODING_INVALID_ENCODED_DATA: "it is not UTF-8 text",
  ENOTFOUND: "its host has no address",
  EAI_AGAIN: "its host has no address",
  ECONNREFUSED: "nothing answers there",
  ECONNRESET: "the connection was ended",
};

export function inputFault(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return REASONS[code] ?? (code || String(cause));
}
