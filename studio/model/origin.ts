// Who wrote a line of the injected pod, in words.

import type { LineOrigin, ValueOrigin } from "../preview/question.ts";
import { say } from "../text/say.ts";

/** Who wrote a line, as a sentence. */
export function describeOrigin(origin: LineOrigin): string {
  if (origin === null) return say("origin.pod");
  return "step" in origin ? say(`step.${origin.step}`) : say("origin.template", { ...origin });
}

/** `global.tag: values/50-image, line 2` */
export function describeValue(value: ValueOrigin): string {
  return say("origin.value", { ...value });
}

/** `proxy-image:2` */
export function shortOrigin({ path, line }: { readonly path: string; readonly line: number }): string {
  const name = path.replace(/^.*\//, "");
  return `${name.length > LONGEST ? `…${name.slice(1 - LONGEST)}` : name}:${line}`;
}

/** Characters of a name that the gutter shows: the end, in which names differ. */
const LONGEST = 18;
