// The loops of Istio's charts that write the ports of all containers as JSON → one call of a helper.

import type { GoNode } from "../go/go-syntax.ts";
import { isPodPorts, isSpace } from "../go/idioms.ts";
import type { Around, Done, Walk } from "./piece.ts";
import { advance, SLOT } from "./yaml-position.ts";

/** Before a tag that also takes the place of the bracket before it. */
export const PORTS = "\ue003";

/** What follows the list, where a flag starts it: the text after the closing bracket. */
export function afterPodPorts(flag: string, rest: readonly GoNode[]): readonly GoNode[] | undefined {
  const index = rest.findIndex((node) => !isSpace(node));
  const range = rest[index];
  const close = rest[index + 1];
  if (range === undefined || !isPodPorts(range, flag) || close?.kind !== "text" || !/^\s*]/.test(close.text))
    return undefined;
  const text = close.text.slice(close.text.indexOf("]"));
  return [{ ...close, text: text.slice(1) }, ...rest.slice(index + 2)];
}

export function portsText(rest: readonly GoNode[], { scope, position, after }: Around, walk: Walk): Done {
  const list = scope.isInside ? "@root.spec.containers" : "spec.containers";
  const done = walk(rest, { scope, position: advance(position, SLOT), after });
  // The opening bracket is the end of the text before: PORTS takes it away.
  return {
    pieces: [{ kind: "tag", text: `${PORTS}{{toJSON (podPorts ${list})}}` }, ...done.pieces],
    position: done.position,
  };
}
