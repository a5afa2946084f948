// The events of a YAML text, with what js-yaml reads otherwise than kubectl's parser mended.
// Knows nothing of what the scalars mean.

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
 * js-yaml ends every text with a line break before it reads it. Where the text has none, a block scalar that goes up to
 * its end has none either (YAML 1.2, 8.1.1.2), whether its header clips or keeps.
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

/** A last line of nothing but spaces counts as none: it is not content. */
function endsLine(text: string): boolean {
  return /(?:^|[\n\r])[ \t]*$/.test(text);
}

function isBlockScalar(event: Event): event is ScalarEvent {
  if (event.type !== EVENT_ID.SCALAR) return false;
  return event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
}
