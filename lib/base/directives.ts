// The directives of strategic merge: keys of an overlay that are no fields.

/** The prefix of a key that names a list, whose value has the items to remove from that list. */
export const DELETE_DIRECTIVE = "$deleteFromPrimitiveList/";
/** The prefix of a key that names a list, whose value has the order of that list. */
export const ORDER_DIRECTIVE = "$setElementOrder/";
const DOLLAR = 36;

/** Whether a key of an overlay is a directive of strategic merge, not a field. */
export function isDirective(key: string): boolean {
  if (key.charCodeAt(0) !== DOLLAR) return false;
  return (
    key === "$patch" || key === "$retainKeys" || key.startsWith(ORDER_DIRECTIVE) || key.startsWith(DELETE_DIRECTIVE)
  );
}
