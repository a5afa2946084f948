// Paths in volumes and on nodes, as text: relative or not, with steps up or not.

export const NO_BACKSTEPS = 'must not contain ".." as a part of the path';
export const RELATIVE_PATH = 'must be a relative path without ".." as a part';
export const LOCAL_PATH = 'must be a relative path that does not start with ".." and has no ".." as a part';

/** core/validation: validatePathNoBacksteps. */
export function hasBackstep(path: string): boolean {
  for (let at = path.indexOf(".."); at !== -1; at = path.indexOf("..", at + 1)) {
    const isStart = at === 0 || path[at - 1] === "/";
    const isEnd = at + 2 === path.length || path[at + 2] === "/";
    if (isStart && isEnd) return true;
  }
  return false;
}

/** core/validation: validateLocalDescendingPath. */
export function isDescendingPath(path: string): boolean {
  return !path.startsWith("/") && !hasBackstep(path);
}

/** core/validation: ValidateLocalNonReservedPath. */
export function isLocalPath(path: string): boolean {
  return isDescendingPath(path) && !path.startsWith("..");
}
