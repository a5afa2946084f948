// How results of conformance are counted and printed.

export interface CaseResult {
  readonly name: string;
  readonly passed: boolean;
  readonly entryPoints: readonly EntryPointResult[];
}

export interface EntryPointResult {
  readonly entryPoint: string;
  /** Empty where the outcome is what the case expects. */
  readonly differences: readonly string[];
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

export interface Summary extends Counts {
  readonly sets: Readonly<Record<string, Counts>>;
  readonly entryPoints: Readonly<Record<string, Counts>>;
}

export function summarize(results: readonly CaseResult[]): Summary {
  const rows = results.flatMap(({ entryPoints }) => entryPoints);
  return {
    ...count(results.map(({ passed }) => passed)),
    sets: countBy(
      results,
      ({ name }) => name.slice(0, name.lastIndexOf("/")),
      ({ passed }) => passed,
    ),
    entryPoints: countBy(
      rows,
      ({ entryPoint }) => entryPoint,
      ({ differences }) => differences.length === 0,
    ),
  };
}

export function summaryLines({ sets, entryPoints, passed, failed }: Summary): readonly string[] {
  const line = (title: string, counts: Counts) =>
    `${title.padEnd(24)} ${counts.passed} of ${counts.passed + counts.failed}`;
  return [
    ...Object.entries(sets).map(([name, counts]) => line(name, counts)),
    ...Object.entries(entryPoints).map(([name, counts]) => line(`entry point ${name}`, counts)),
    `${passed} passed, ${failed} failed`,
  ];
}

export function failureLines({ name, passed, entryPoints }: CaseResult): readonly string[] {
  if (passed) return [];
  const lines = entryPoints.flatMap(({ entryPoint, differences }) =>
    differences.map((difference) => `  ${entryPoint}: ${difference}`),
  );
  return [`FAIL ${name}`, ...lines];
}

function countBy<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  hasPassed: (item: T) => boolean,
): Readonly<Record<string, Counts>> {
  const keys = [...new Set(items.map(keyOf))];
  return Object.fromEntries(
    keys.map((key) => [key, count(items.filter((item) => keyOf(item) === key).map(hasPassed))]),
  );
}

function count(verdicts: readonly boolean[]): Counts {
  const passed = verdicts.filter(Boolean).length;
  return { passed, failed: verdicts.length - passed };
}
