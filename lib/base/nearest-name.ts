// "Did you mean …": the known name that is nearest to an unknown one.

/**
 * Returns `, did you mean "x"`, or an empty string when no name is near.
 *
 * @example
 * ```ts
 * suggestName("hubb", ["hub", "tag"]) // => ', did you mean "hub"'
 * suggestName("zebra", ["hub", "tag"]) // => ""
 * ```
 */
export function suggestName(name: string, known: Iterable<string>): string {
  const near = nearestName(name, known);
  return near === undefined ? "" : `, did you mean "${near}"`;
}

/**
 * The known name that is nearest, if one is near. Upper and lower case are the same.
 *
 * @param most the edits after which a name is no longer near; without a limit, there always is a nearest name
 * @example
 * ```ts
 * nearestName("hubb", ["hub", "tag"]) // => "hub"
 * nearestName("sha256", ["sha256sum", "sub"]) // => "sha256sum"
 * nearestName("aip", ["domain", "api"], Number.POSITIVE_INFINITY) // => "api"
 * ```
 */
export function nearestName(
  name: string,
  names: Iterable<string>,
  most: number = Math.max(1, Math.floor(name.length / 3)),
): string | undefined {
  const known = [...names];
  let best: string | undefined;
  let bestDistance = most + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best ?? longerName(name, known);
}

/** Returns the only known name that begins with the unknown one: `sha256sum` for `sha256`. */
function longerName(name: string, known: readonly string[]): string | undefined {
  if (name.length < 4) return undefined;
  const longer = known.filter((candidate) => candidate.toLowerCase().startsWith(name.toLowerCase()));
  return longer.length === 1 ? longer[0] : undefined;
}

function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replace = (previous[column - 1] as number) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replace, (previous[column] as number) + 1, (current[column - 1] as number) + 1));
    }
    previous = current;
  }
  return previous[b.length] as number;
}
