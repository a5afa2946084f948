// The forms of names in Kubernetes: DNS labels and subdomains, label keys and values, port and variable names; and of paths.
// In each pattern, what may follow a run of characters is not in the run: none can backtrack.

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

const LABEL = /^[a-z0-9]+(?:-+[a-z0-9]+)*$/;
const SUBDOMAIN = /^[a-z0-9]+(?:(?:-+|\.)[a-z0-9]+)*$/;
const UNDERSCORED_SUBDOMAIN = /^_?[a-z0-9]+(?:(?:[-_]+|\._?)[a-z0-9]+)*$/;
const LABEL_TEXT = /^[A-Za-z0-9]+(?:[-_.]+[A-Za-z0-9]+)*$/;
const SYSCTL = /^[a-z0-9]+(?:(?:[-_]+|[./])[a-z0-9]+)*$/;
const PORT = /^(?=[0-9-]*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*$/;
const ENV = /^[ -<>-~]+$/;
const CONFIG_KEY = /^(?!\.$|\.\.)[-._A-Za-z0-9]+$/;
const HEADER = /^[-A-Za-z0-9]+$/;

/**
 * What a name must be, if it is not: half a sentence for a message.
 *
 * @example
 * ```ts
 * nameProblem("dns-label", "istio-system") // => undefined
 * nameProblem("env-name", "A=B") // => 'must be printable ASCII characters other than "="'
 * ```
 */
export function nameProblem(form: "dns-label" | "label-value" | "env-name", name: string): string | undefined {
  switch (form) {
    case "dns-label":
      return isDnsLabel(name) ? undefined : LABEL_FORM;
    case "label-value":
      return isLabelValue(name) ? undefined : LABEL_VALUE_FORM;
    default:
      return isEnvName(name) ? undefined : ENV_NAME_FORM;
  }
}

/** validation.IsDNS1123Label: RFC 1123, at most 63 characters. */
export function isDnsLabel(name: string): boolean {
  return name.length <= 63 && LABEL.test(name);
}

/** validation.IsDNS1123Subdomain: at most 253 characters; the parts have no length of their own. */
export function isDnsSubdomain(name: string): boolean {
  return name.length <= 253 && SUBDOMAIN.test(name);
}

/** validation.IsDNS1123SubdomainWithUnderscore: each part may start with "_" and have it inside. */
export function isDnsSubdomainWithUnderscore(name: string): boolean {
  return name.length <= 253 && UNDERSCORED_SUBDOMAIN.test(name);
}

/** apimachinery validation.NameIsDNSSubdomain of a prefix, which may end with "-" as more follows. */
export function isDnsSubdomainPrefix(prefix: string): boolean {
  const isCut = prefix.length > 1 && prefix.endsWith("-");
  return isDnsSubdomain(isCut ? `${prefix.slice(0, -2)}a` : prefix);
}

/** content.IsLabelKey, also known as IsQualifiedName: `name` or `example.com/name`. */
export function isQualifiedName(name: string): boolean {
  const slash = name.indexOf("/");
  return isLabelText(name.slice(slash + 1)) && (slash === -1 || isDnsSubdomain(name.slice(0, slash)));
}

/** content.IsLabelValue: the empty text is one. */
export function isLabelValue(value: string): boolean {
  return value === "" || isLabelText(value);
}

/** A label value that is not empty, and the part of a label key after the slash. */
export function isLabelText(text: string): boolean {
  return text.length <= 63 && LABEL_TEXT.test(text);
}

/** validation.IsValidPortName: IANA_SVC_NAME. */
export function isPortName(name: string): boolean {
  return name.length <= 15 && PORT.test(name);
}

/** validation.IsRelaxedEnvVarName: what Kubernetes takes since 1.32. */
export function isEnvName(name: string): boolean {
  return ENV.test(name);
}

/** validation.IsConfigMapKey */
export function isConfigKey(key: string): boolean {
  return key.length <= 253 && CONFIG_KEY.test(key);
}

/** validation.IsHTTPHeaderName */
export function isHeaderName(name: string): boolean {
  return HEADER.test(name);
}

/** core/validation: IsValidSysctlName: parts of a-z, 0-9, "-" and "_" between "." or "/", at most 253 characters. */
export function isSysctlName(name: string): boolean {
  return name.length <= 253 && SYSCTL.test(name);
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

export const NO_BACKSTEPS = 'must not contain ".." as a part of the path';
export const RELATIVE_PATH = 'must be a relative path without ".." as a part';
export const LOCAL_PATH = 'must be a relative path that does not start with ".." and has no ".." as a part';

/** core/validation: validatePathNoBacksteps. */
export function hasBackstep(path: string): boolean {
  for (let at = path.indexOf(".."); at !== -1; at = path.indexOf("..", at + 1)) {
    const isStart = at === 0 || path[at - 1] === "/";
    const isEnd = at + 2 === path.length || path[at + 2] === "/";
    if (isStart && isEnd) return true;
  }
  return false;
}

/** core/validation: validateLocalDescendingPath. */
export function isDescendingPath(path: string): boolean {
  return !path.startsWith("/") && !hasBackstep(path);
}

/** core/validation: ValidateLocalNonReservedPath. */
export function isLocalPath(path: string): boolean {
  return isDescendingPath(path) && !path.startsWith("..");
}
