// The forms of names in Kubernetes: DNS labels and subdomains, label keys and values, port and variable names.
// Each is read once, character by character: no pattern here can backtrack.

const DASH = 45;
const DOT = 46;
const UNDERSCORE = 95;

export const LABEL_FORM =
  'must be a DNS label: at most 63 lowercase letters, digits and "-", with a letter or digit at both ends';
export const SUBDOMAIN_FORM =
  'must be a DNS name: at most 253 lowercase letters, digits, "-" and ".", with a letter or digit at both ends of each part';
export const QUALIFIED_FORM =
  'must be a name of at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends, after an optional DNS name and "/"';
export const LABEL_VALUE_FORM =
  'must be at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends';
export const PORT_NAME_FORM =
  'must be at most 15 lowercase letters, digits and single "-", with at least one letter and no "-" at either end';
export const ENV_NAME_FORM = 'must be printable ASCII characters other than "="';
export const CONFIG_KEY_FORM =
  'must be at most 253 letters, digits, "-", "_" and ".", and must not be "." or start with ".."';

function isLower(code: number): boolean {
  return code >= 97 && code <= 122;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isLowerAlphanumeric(code: number): boolean {
  return isLower(code) || isDigit(code);
}

function isAlphanumeric(code: number): boolean {
  return isLower(code) || isDigit(code) || (code >= 65 && code <= 90);
}

/** validation.IsDNS1123Label: RFC 1123, at most 63 characters. */
export function isDnsLabel(name: string): boolean {
  const end = name.length;
  if (end === 0 || end > 63) return false;
  if (!isLowerAlphanumeric(name.charCodeAt(0)) || !isLowerAlphanumeric(name.charCodeAt(end - 1))) return false;
  for (let at = 1; at < end - 1; at++) {
    const code = name.charCodeAt(at);
    if (!isLowerAlphanumeric(code) && code !== DASH) return false;
  }
  return true;
}

/** validation.IsDNS1123Subdomain: at most 253 characters; the parts have no length of their own. */
export function isDnsSubdomain(name: string): boolean {
  return isSubdomain(name, false);
}

/** validation.IsDNS1123SubdomainWithUnderscore: each part may start with "_" and have it inside. */
export function isDnsSubdomainWithUnderscore(name: string): boolean {
  return isSubdomain(name, true);
}

function isSubdomain(name: string, allowUnderscore: boolean): boolean {
  if (name.length === 0 || name.length > 253) return false;
  // What a part may start with, after which it needs a letter or digit; and whether the last character may end a part.
  let isStart = true;
  let mayEnd = false;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (isLowerAlphanumeric(code)) {
      isStart = false;
      mayEnd = true;
    } else if (code === DOT) {
      if (!mayEnd) return false;
      isStart = true;
      mayEnd = false;
    } else if (code === DASH || (allowUnderscore && code === UNDERSCORE && !isStart)) {
      if (isStart) return false;
      mayEnd = false;
    } else if (!allowUnderscore || code !== UNDERSCORE || !isLowerAlphanumeric(name.charCodeAt(at + 1))) {
      return false;
    } else {
      isStart = false;
    }
  }
  return mayEnd;
}

/** apimachinery validation.NameIsDNSSubdomain of a prefix, which may end with "-" as more follows. */
export function isDnsSubdomainPrefix(prefix: string): boolean {
  const isCut = prefix.length > 1 && prefix.endsWith("-");
  return isDnsSubdomain(isCut ? `${prefix.slice(0, -2)}a` : prefix);
}

/** content.IsLabelKey, also known as IsQualifiedName: `name` or `example.com/name`. */
export function isQualifiedName(name: string): boolean {
  const slash = name.indexOf("/");
  if (slash === -1) return name !== "" && isLabelText(name, 0);
  return slash + 1 < name.length && isLabelText(name, slash + 1) && isDnsSubdomain(name.slice(0, slash));
}

/** content.IsLabelValue: the empty text is one. */
export function isLabelValue(value: string): boolean {
  return value === "" || isLabelText(value, 0);
}

function isLabelText(text: string, start: number): boolean {
  const end = text.length;
  if (end - start > 63) return false;
  if (!isAlphanumeric(text.charCodeAt(start)) || !isAlphanumeric(text.charCodeAt(end - 1))) return false;
  for (let at = start + 1; at < end - 1; at++) {
    const code = text.charCodeAt(at);
    if (!isAlphanumeric(code) && code !== DASH && code !== DOT && code !== UNDERSCORE) return false;
  }
  return true;
}

/** validation.IsValidPortName: IANA_SVC_NAME. */
export function isPortName(name: string): boolean {
  const end = name.length;
  if (end === 0 || end > 15) return false;
  let hasLetter = false;
  for (let at = 0; at < end; at++) {
    const code = name.charCodeAt(at);
    if (isLower(code)) hasLetter = true;
    else if (code === DASH) {
      if (at === 0 || at === end - 1 || name.charCodeAt(at + 1) === DASH) return false;
    } else if (!isDigit(code)) return false;
  }
  return hasLetter;
}

/** validation.IsRelaxedEnvVarName: what Kubernetes takes since 1.32. */
export function isEnvName(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (code < 32 || code > 126 || code === 61) return false;
  }
  return name !== "";
}

/** validation.IsConfigMapKey */
export function isConfigKey(key: string): boolean {
  if (key.length === 0 || key.length > 253 || key === "." || key.startsWith("..")) return false;
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at);
    if (!isAlphanumeric(code) && code !== DASH && code !== DOT && code !== UNDERSCORE) return false;
  }
  return true;
}

/** validation.IsHTTPHeaderName */
export function isHeaderName(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (!isAlphanumeric(code) && code !== DASH) return false;
  }
  return name !== "";
}

/** core/validation: IsValidSysctlName: parts of a-z, 0-9, "-" and "_" between "." or "/", at most 253 characters. */
export function isSysctlName(name: string): boolean {
  if (name.length === 0 || name.length > 253) return false;
  let isEdge = true;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (isLowerAlphanumeric(code)) isEdge = false;
    else if (isEdge) return false;
    else if (code === DOT || code === 47) {
      if (!isLowerAlphanumeric(name.charCodeAt(at - 1))) return false;
      isEdge = true;
    } else if (code !== DASH && code !== UNDERSCORE) return false;
  }
  return isLowerAlphanumeric(name.charCodeAt(name.length - 1));
}

/** The length in bytes of the text in UTF-8, as Go counts. */
export function byteLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    if (code < 0x800) length += 1;
    else if (code >= 0xd800 && code <= 0xdbff && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      // A pair is four bytes of two code units.
      length += 2;
      at += 1;
    } else length += 2;
  }
  return length;
}
