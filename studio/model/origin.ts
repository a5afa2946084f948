// Who wrote a line of the injected pod, in words.

import type { LineOrigin, ValueOrigin } from "../preview/question.ts";
import { say } from "../text/say.ts";

export function describeOrigin(origin: LineOrigin): string {
  if (origin.kind === "pod") return say("origin.pod");
  return origin.kind === "step" ? say(`step.${origin.step}`) : say("origin.template", { ...origin });
}

/** `global.tag: values/50-image, line 2` */
export function describeValue({ name, path, line }: ValueOrigin): string {
  return say("origin.value", { name, path, line });
}

/** `proxy-image:2`, or the step */
export function shortOrigin(origin: Exclude<LineOrigin, { readonly kind: "pod" }> | ValueOrigin): string {
  if ("step" in origin) return origin.step;
  const name = origin.path.replace(/^.*\//, "");
  return `${name.length > LONGEST ? `…${name.slice(1 - LONGEST)}` : name}:${origin.line}`;
}

/** Characters of a name that the gutter shows: the end, in which names differ. */
const LONGEST = 18;
