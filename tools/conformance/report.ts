// How results of conformance are counted and printed.

/** Equal to the reference; different as a row of docs/reference/differences.json says; or different without one. */
export type Verdict = "equal" | "differs" | "unknown";

export interface CaseResult {
  readonly name: string;
  readonly verdict: Verdict;
  /** The rows that explain the differences. */
  readonly rows: readonly string[];
  readonly entryPoints: readonly EntryPointResult[];
}

export interface EntryPointResult {
  readonly entryPoint: string;
  /** The differences from the expectation. They are empty if the outcome is what the case expects. */
  readonly differences: readonly string[];
  /** The rows that explain them all; none where a difference has no row. */
  readonly rows: readonly string[];
}

type Counts = Readonly<Record<Verdict, number>>;

export interface Summary extends Counts {
  readonly passed: number;
  readonly failed: number;
  readonly sets: Readonly<Record<string, Counts>>;
  readonly entryPoints: Readonly<Record<string, Counts>>;
  /** The cases that each row explains. */
  readonly rows: Readonly<Record<string, number>>;
}

/** The verdict on a case from those at its entry points: the worst of them. */
export function caseResult(name: string, entryPoints: readonly EntryPointResult[]): CaseResult {
  const verdicts = entryPoints.map(verdictAt);
  const verdict = verdicts.length === 0 || verdicts.includes("unknown") ? "unknown" : (worst(verdicts) ?? "equal");
  const rows = [...new Set(entryPoints.flatMap((each) => each.rows))];
  return { name, verdict, rows, entryPoints };
}

function worst(verdicts: readonly Verdict[]): Verdict | undefined {
  return verdicts.find((verdict) => verdict === "differs");
}

function verdictAt({ differences, rows }: EntryPointResult): Verdict {
  if (differences.length === 0) return "equal";
  return rows.length === 0 ? "unknown" : "differs";
}

export function summarize(results: readonly CaseResult[]): Summary {
  const entries = results.flatMap(({ entryPoints }) =>
    entryPoints.map((each) => ({ key: each.entryPoint, verdict: verdictAt(each) })),
  );
  const ofSets = results.map(({ name, verdict }) => ({ key: name.slice(0, name.lastIndexOf("/")), verdict }));
  const all = count(results);
  const rows: Record<string, number> = {};
  for (const row of results.flatMap((result) => result.rows)) rows[row] = (rows[row] ?? 0) + 1;
  return {
    ...all,
    passed: all.equal + all.differs,
    failed: all.unknown,
    sets: countBy(ofSets),
    entryPoints: countBy(entries),
    rows,
  };
}

export function summaryLines({ sets, entryPoints, rows, passed, failed, ...all }: Summary): readonly string[] {
  const line = (title: string, { equal, differs, unknown }: Counts) =>
    `${title.padEnd(24)} ${equal} equal, ${differs} differ by a row, ${unknown} unknown`;
  return [
    ...Object.entries(sets).map(([name, counts]) => line(name, counts)),
    ...Object.entries(entryPoints).map(([name, counts]) => line(`entry point ${name}`, counts)),
    ...Object.entries(rows)
      .sort(([, a], [, b]) => b - a)
      .map(([row, cases]) => `row ${row.padEnd(32)} ${cases}`),
    line("all cases", all),
    `${passed} passed, ${failed} failed`,
  ];
}

export function failureLines({ name, verdict, entryPoints }: CaseResult): readonly string[] {
  if (verdict !== "unknown") return [];
  const lines = entryPoints.flatMap(({ entryPoint, differences, rows }) =>
    rows.length === 0 ? differences.map((difference) => `  ${entryPoint}: ${difference}`) : [],
  );
  return [`FAIL ${name}`, ...lines];
}

function countBy(
  items: readonly { readonly key: string; readonly verdict: Verdict }[],
): Readonly<Record<string, Counts>> {
  const keys = [...new Set(items.map(({ key }) => key))];
  return Object.fromEntries(keys.map((key) => [key, count(items.filter((item) => item.key === key))]));
}

function count(items: readonly { readonly verdict: Verdict }[]): Counts {
  const of = (verdict: Verdict) => items.filter((item) => item.verdict === verdict).length;
  return { equal: of("equal"), differs: of("differs"), unknown: of("unknown") };
}
