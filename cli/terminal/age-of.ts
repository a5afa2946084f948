// How long ago something was, as kubectl writes it.

const UNITS: readonly (readonly [suffix: string, milliseconds: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
];

/** `5d`, `3h`, `12m`, `40s`; what is not a time is shown unchanged. */
export function ageOf(time: string, now: number): string {
  const elapsed = now - Date.parse(time);
  if (Number.isNaN(elapsed)) return time;
  const [suffix, unit] = UNITS.find(([, milliseconds]) => elapsed >= milliseconds) ?? ["s", 1000];
  return `${Math.max(0, Math.floor(elapsed / unit))}${suffix}`;
}
