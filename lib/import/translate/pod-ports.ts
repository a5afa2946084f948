// The loops of Istio's charts that write the ports of all containers as JSON → one call of a helper.

import type { GoNode } from "../go/go-syntax.ts";
import { isPodPorts, isSpace } from "../go/idioms.ts";
import type { Around, Done, Piece, Walk } from "./piece.ts";
import { advance, SLOT } from "./yaml-position.ts";

/** The mark before a tag that also takes the place of the bracket before it. */
const PORTS = "\ue003";

/** Returns the nodes after a list that a flag starts, from the text after the closing bracket. */
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
  // The opening bracket is the end of the text before: withPorts() takes it away.
  const tag: Piece = { kind: "tag", text: `${PORTS}{{toJSON (podPorts ${list})}}` };
  return { pieces: [tag, ...done.pieces], position: done.position };
}

/** The list of ports takes the place of the bracket that the text before it ends with. */
export function withPorts(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.map((piece, index): Piece => {
    const next = pieces[index + 1];
    if (piece.kind === "text" && next?.kind === "tag" && next.text.startsWith(PORTS)) {
      return { ...piece, text: piece.text.replace(/\[\s*$/, "") };
    }
    if (piece.kind === "tag") return { ...piece, text: piece.text.replace(PORTS, "") };
    if (piece.kind === "partial") return { ...piece, body: withPorts(piece.body) };
    if (piece.kind !== "block") return piece;
    return { ...piece, branches: piece.branches.map(({ tag, body }) => ({ tag, body: withPorts(body) })) };
  });
}
