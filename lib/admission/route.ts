// Owns the URL: `/inject/<parameters>`, or `/t/<token>/inject/<parameters>` where tokens are required.

export interface Route {
  readonly token: string | undefined;
  /** From `/inject` on, percent-decoded: what {@link parsePathParameters} reads. */
  readonly path: string;
}

/** The parts of a path, or undefined for one that is not ours. */
export function parseRoute(path: string): Route | undefined {
  if (isInjectPath(path)) return { token: undefined, path: decoded(path) };
  if (!path.startsWith("/t/")) return undefined;
  const end = path.indexOf("/", 3);
  if (end === -1) return undefined;
  const rest = path.slice(end);
  return isInjectPath(rest) ? { token: path.slice(3, end), path: decoded(rest) } : undefined;
}

function isInjectPath(path: string): boolean {
  return path === "/inject" || path.startsWith("/inject/");
}

/** A path that is no valid percent-encoding is taken as it is: some gateways decode it before us. */
function decoded(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
