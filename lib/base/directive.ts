// The keys by which an overlay directs a strategic merge. A template's own text may have them, a value that is bound may not.

/** Before the name of a list: its entry has items to remove from that list. */
export const DELETE_DIRECTIVE = "$deleteFromPrimitiveList/";
/** Before the name of a list: its entry has the order of that list. */
export const ORDER_DIRECTIVE = "$setElementOrder/";
const DOLLAR = 36;

/** Whether a key of an overlay is a directive of strategic merge, not a field. */
export function isDirective(key: string): boolean {
  if (key.charCodeAt(0) !== DOLLAR) return false;
  return (
    key === "$patch" || key === "$retainKeys" || key.startsWith(ORDER_DIRECTIVE) || key.startsWith(DELETE_DIRECTIVE)
  );
}
