// The time of ages on the page, and how ages are said.

import { signal } from "@preact/signals";
import { texts } from "../text/say.ts";

/** Milliseconds since 1970, to the second. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** `3 days ago`, `2 seconds ago`, `in 12 minutes`. */
export function agoOf(at: number): string {
  const seconds = Math.round((at - now.value) / 1000);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? (["second", 1] as const);
  return new Intl.RelativeTimeFormat(texts.value.dateLocale, { numeric: "auto" }).format(
    Math.trunc(seconds / size),
    unit,
  );
}

/** `1 day`, `90 minutes`: in the largest unit of which it is whole. */
export function durationOf(seconds: number): string {
  const [unit, size] =
    UNITS.find(([, length]) => seconds >= length && seconds % length === 0) ?? (["second", 1] as const);
  const format = new Intl.NumberFormat(texts.value.dateLocale, { style: "unit", unit, unitDisplay: "long" });
  return format.format(seconds / size);
}

/** `Monday, 3 March` */
export function dayOf(at: string): string {
  return new Date(at).toLocaleDateString(texts.value.dateLocale, { weekday: "long", day: "numeric", month: "long" });
}

/** The age of a moment, with its date on request. @param at ISO 8601; a moment that another clock places in the future counts as now */
export function Ago({ at }: { readonly at: string }) {
  const date = new Date(at).toLocaleString(texts.value.dateLocale, { dateStyle: "medium", timeStyle: "short" });
  return (
    <time dateTime={at} title={date}>
      {agoOf(Math.min(Date.parse(at), now.value))}
    </time>
  );
}
