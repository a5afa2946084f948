// A text of the same form in place of one that is its owner's: an address for an address, a path for a path. Pure.

/** Names a text by a noun and a number. A text has one name wherever it stands, and no other text has that: names still meet. */
export type Naming = (noun: string, text: string) => string;

export function startNaming(): Naming {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  return (noun, text) => {
    const known = names.get(text);
    if (known !== undefined) return known;
    const number = (counts.get(noun) ?? 0) + 1;
    counts.set(noun, number);
    const name = `${noun}-${number}`;
    names.set(text, name);
    return name;
  };
}

/**
 * Returns a text of the same form, which is named by the noun where it has no other. Addresses are of the blocks that RFC 5737 and RFC 3849 set aside for documentation.
 *
 * @example
 * ```ts
 * neutralText("10.1.2.0/24", "value", startNaming()) // => "192.0.2.0/24"
 * neutralText("/etc/acme/keys", "value", startNaming()) // => "/path-1"
 * neutralText("acme-payments", "secret", startNaming()) // => "secret-1"
 * ```
 */
export function neutralText(text: string, noun: string, nameOf: Naming): string {
  if (hasNoWord(text)) return text;
  if (/^-?\d+$/.test(text)) return "1";
  if (/^\d{1,3}(?:\.\d{1,3}){3}(?:\/\d+)?$/.test(text)) return text.includes("/") ? "192.0.2.0/24" : "192.0.2.1";
  if (isColonAddress(text)) return text.includes("/") ? "2001:db8::/32" : "2001:db8::1";
  const port = portOf(text);
  if (port !== undefined) return `${nameOf("host", text)}.example:${port}`;
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(text) ?? [];
  if (scheme !== undefined) return `${scheme}://${nameOf("host", text)}.example`;
  if (text.startsWith("/")) return `/${nameOf("path", text)}`;
  return nameOf(noun, text);
}

/** Returns the name of an image of nobody's. */
export function neutralImage(text: string, nameOf: Naming): string {
  return text === "" ? "" : `registry.example/${nameOf("image", text)}:1`;
}

/** An image without the registry that it is in: `registry.example/team/web:2` for `10.0.0.1:5000/team/web:2`. */
export function withoutRegistry(image: string): string {
  const [first = "", ...rest] = image.split("/");
  return rest.length > 0 && /[.:]|^localhost$/.test(first) ? ["registry.example", ...rest].join("/") : image;
}

/** Whether a text says nothing about its owner, by its form alone: `true`, `*`, `100m`, `30s`. */
export function isPlain(text: string): boolean {
  return hasNoWord(text) || /^(?:true|false)$/i.test(text) || AMOUNT.test(text);
}

const AMOUNT = /^\d{1,5}(?:\.\d{1,3})?(?:m|k|M|G|T|Ki|Mi|Gi|Ti|ms|s|h)$/;

/** Parameter Store takes no two braces in a row: a text with any is replaced. */
function hasNoWord(text: string): boolean {
  return !/[\p{L}\p{N}{}]/u.test(text);
}

/** Whether a text has an address in it, or credentials of one. What may be one counts. */
export function hasAddress(text: string): boolean {
  if (["::", "://", "@"].some((sign) => text.includes(sign))) return true;
  return /\d\.\d{1,3}\.\d{1,3}\.\d|[\da-f]:[\da-f]{1,4}:|[\w.-]:\d{2}/i.test(text);
}

/** Whether a text is an address or a block of IPv6. */
function isColonAddress(text: string): boolean {
  return text.split(":").length > 2 && /^[\da-f:.]+(?:\/\d+)?$/i.test(text);
}

/** The port of `db.internal:5432`. */
function portOf(text: string): string | undefined {
  const colon = text.lastIndexOf(":");
  const [host, port] = [text.slice(0, colon), text.slice(colon + 1)];
  return /^[\w.-]+$/.test(host) && /[a-z]/i.test(host) && /^\d{1,5}$/.test(port) ? port : undefined;
}
