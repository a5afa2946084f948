// How long ago something was, with the date on request.

import { agoOf, dateOf } from "../../model/clock.ts";

/** @param at ISO 8601 */
export function Ago({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={dateOf(at)}>
      {agoOf(Date.parse(at))}
    </time>
  );
}
