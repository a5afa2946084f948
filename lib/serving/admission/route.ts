// The URL: `/inject/<parameters>`, or `/t/<token>/inject/<parameters>` where tokens are required, and
// `/t/<token>/r/<revision>/inject/<parameters>` for a revision of the cluster that is not its default.

import { channelNamePattern, DEFAULT_REVISION } from "@outrigger/base";

/**
 * The parts of a path, or undefined for an unknown path. The revision is `default` if the URL has none. The path is percent-decoded, from
 * `/inject` on: what {@link parsePathParameters} reads.
 */
export function parseRoute(path: string) {
  if (isInjectPath(path)) return { token: undefined, revision: DEFAULT_REVISION, path: decoded(path) };
  if (!path.startsWith("/t/")) return undefined;
  const end = path.indexOf("/", 3);
  if (end === -1) return undefined;
  const token = path.slice(3, end);
  const [revision, rest] = splitRevision(path.slice(end));
  return isInjectPath(rest) && channelNamePattern.test(revision) ? { token, revision, path: decoded(rest) } : undefined;
}

function splitRevision(path: string): readonly [revision: string, rest: string] {
  if (!path.startsWith("/r/")) return [DEFAULT_REVISION, path];
  const end = path.indexOf("/", 3);
  return end === -1 ? ["", path] : [path.slice(3, end), path.slice(end)];
}

function isInjectPath(path: string): boolean {
  return path === "/inject" || path.startsWith("/inject/");
}

/** A path that is not valid percent-encoding is used as it is: some gateways have decoded it already. */
function decoded(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
