// How large a YAML document becomes when its aliases are written out. Measured on the parser's events, before any value is
// constructed: merging and copying an aliased mapping already costs its size.

import { EVENT_ID, type Event, YAMLException } from "js-yaml";

/** Counted for each node in addition to its text: brackets, commas, the cost of walking it. */
const NODE_SIZE = 2;
/** The size of a node whose end has not been reached. */
const UNFINISHED = -1;

/** A mapping or sequence that is being read. */
interface Open {
  readonly anchor: string | undefined;
  /** Size of the document when it began. */
  readonly start: number;
}

/**
 * Rejects aliases that expand to more than `limit` characters, and aliases inside the node that they refer to.
 *
 * @param events of `text`
 * @throws YAMLException
 */
export function assertExpansion(events: readonly Event[], text: string, limit: number): void {
  const sizes = new Map<string, number>();
  const open: Open[] = [];
  let size = 0;
  let aliased = 0;
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      const node = open.pop();
      if (node?.anchor !== undefined) sizes.set(node.anchor, size - node.start);
    } else if (event.type === EVENT_ID.DOCUMENT) {
      open.push({ anchor: undefined, start: size });
    } else if (event.type === EVENT_ID.ALIAS) {
      const expansion = sizes.get(text.slice(event.anchorStart, event.anchorEnd)) ?? 0;
      if (expansion === UNFINISHED) throw new YAMLException("an anchor contains an alias of itself");
      size += expansion;
      aliased += expansion;
      if (aliased > limit) throw new YAMLException("aliases make the document too large");
    } else {
      const anchor = event.anchorStart < 0 ? undefined : text.slice(event.anchorStart, event.anchorEnd);
      if (event.type === EVENT_ID.SCALAR) {
        const length = event.valueEnd - event.valueStart + NODE_SIZE;
        size += length;
        if (anchor !== undefined) sizes.set(anchor, length);
      } else {
        open.push({ anchor, start: size });
        if (anchor !== undefined) sizes.set(anchor, UNFINISHED);
        size += NODE_SIZE;
      }
    }
  }
}
