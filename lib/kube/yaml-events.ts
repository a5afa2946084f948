// The events of a YAML text, corrected where js-yaml parses differently from kubectl's parser. Knows nothing about the
// meaning of scalars.

import {
  CHOMPING_MODE,
  EVENT_ID,
  type Event,
  type ParserOptions,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
} from "js-yaml";

/**
 * js-yaml appends a line break to every text before it parses it. A block scalar at the end of a text without final line
 * break has no final line break either (YAML 1.2, 8.1.1.2), whether its header clips or keeps.
 *
 * @throws YAMLException
 */
export function parseYamlEvents(text: string, options: ParserOptions): Event[] {
  const events = parseEvents(text, options);
  if (endsLine(text)) return events;
  return events.map((event) =>
    isBlockScalar(event) && event.valueEnd === text.length ? { ...event, chomping: CHOMPING_MODE.STRIP } : event,
  );
}

/** A last line of spaces only is not content. */
function endsLine(text: string): boolean {
  return /(?:^|[\n\r])[ \t]*$/.test(text);
}

function isBlockScalar(event: Event): event is ScalarEvent {
  if (event.type !== EVENT_ID.SCALAR) return false;
  return event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
}
