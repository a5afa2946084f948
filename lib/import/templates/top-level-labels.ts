// `labels:` and `annotations:` at the top of a pod template → `metadata`, where the pod has them.

export interface MovedLabels {
  readonly text: string;
  /** Keys that could not be moved. */
  readonly left: readonly string[];
}

/**
 * @example
 * ```ts
 * moveLabels("labels:\n  a: b\nspec: {}\n").text // => "metadata:\n  labels:\n    a: b\nspec: {}\n"
 * ```
 */
export function moveLabels(text: string): MovedLabels {
  let lines: readonly string[] = text.split("\n");
  const left: string[] = [];
  for (const key of ["labels", "annotations"]) {
    const start = lines.findIndex((line) => line.startsWith(`${key}:`));
    if (start === -1) continue;
    const length = lines.slice(start + 1).findIndex((line) => /^[^\s{#]/.test(line));
    const end = length === -1 ? lines.length : start + 1 + length;
    const region = withoutTail(lines.slice(start, end));
    const rest = [...lines.slice(0, start), ...lines.slice(start + region.length)];
    const metadata = rest.findIndex((line) => /^metadata:\s*$/.test(line));
    const hasOwn = rest.some((line) => line.startsWith(`  ${key}:`));
    if (
      !isBalanced(region) ||
      (metadata !== -1 && hasOwn) ||
      (metadata === -1 && rest.some((line) => line.startsWith("metadata:")))
    ) {
      left.push(key);
      continue;
    }
    const moved = region.map((line) => (line === "" || /^\{\{[#/]|^\{\{else/.test(line) ? line : `  ${line}`));
    lines =
      metadata === -1
        ? [...rest.slice(0, start), "metadata:", ...moved, ...rest.slice(start)]
        : [...rest.slice(0, metadata + 1), ...moved, ...rest.slice(metadata + 1)];
  }
  return { text: lines.join("\n"), left };
}

/** Without the tags at its end that close what was opened before it. */
function withoutTail(region: readonly string[]): readonly string[] {
  let end = region.length;
  while (end > 1 && !isBalanced(region.slice(0, end)) && /^(\{\{|\s*$)/.test(region[end - 1] ?? "")) end -= 1;
  return region.slice(0, end);
}

function isBalanced(lines: readonly string[]): boolean {
  let depth = 0;
  for (const line of lines) {
    for (const [, mark] of line.matchAll(/\{\{([#/])/g)) depth += mark === "#" ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
