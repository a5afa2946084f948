// Patterns for paths of differences, as the rows of docs/reference/differences.json write them. A pattern is a path in which
// `*` stands for any name or place in a list, and it counts for what lies below the path too.

interface Located {
  readonly path: string;
  /** The values at the path: the reference's, and Outrigger's. */
  readonly values: readonly [expected: unknown, actual: unknown];
}

/** Whether a pattern such as `.spec.*[web].image: text → nothing` has the difference. */
export function isAt(pattern: string, { path, values }: Located): boolean {
  const [at = "", kinds = "* → *"] = pattern.split(": ");
  return expressionOf(at).test(path) && kinds.split(" → ").every((kind, which) => isOfKind(kind, values[which]));
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern.split("[*]").map((part) => part.split("*").map(escaped).join("[^.[\\] ]*"));
  return new RegExp(`^${parts.join("\\[[^\\]]*\\]")}($|[.[ ])`);
}

/** The text as a regular expression has it. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function isOfKind(kind: string, value: unknown): boolean {
  return kind === "*" || kind === kindOf(value);
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "list";
  return typeof value === "string" ? "text" : typeof value;
}
