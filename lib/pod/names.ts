// The forms of names in Kubernetes: DNS labels and names, label keys and values, port and variable names; and of paths.
// In each pattern, what may follow a run of characters is not in the run: none can backtrack.

/** The form of a text, and what is said of one that has another: half a sentence. */
export interface Form {
  readonly has: (text: string) => boolean;
  readonly message: string;
}

function patternForm(length: number, pattern: RegExp, message: string): Form {
  return { has: (text) => text.length <= length && pattern.test(text), message };
}

/** validation.IsDNS1123Label: RFC 1123. */
export const DNS_LABEL = patternForm(
  63,
  /^[a-z0-9]+(?:-+[a-z0-9]+)*$/,
  'must be a DNS label: at most 63 lowercase letters, digits and "-", with a letter or digit at both ends',
);

/** validation.IsDNS1123Subdomain: the parts have no length of their own. */
export const DNS_NAME = patternForm(
  253,
  /^[a-z0-9]+(?:(?:-+|\.)[a-z0-9]+)*$/,
  'must be a DNS name: at most 253 lowercase letters, digits, "-" and ".", with a letter or digit at both ends of each part',
);

/** validation.IsDNS1123SubdomainWithUnderscore. */
export const UNDERSCORED_DNS_NAME = patternForm(
  253,
  /^_?[a-z0-9]+(?:(?:[-_]+|\._?)[a-z0-9]+)*$/,
  `${DNS_NAME.message}; each part may start with or contain "_"`,
);

/** apimachinery validation.NameIsDNSSubdomain of a prefix, which may end with "-" as more follows. */
export const DNS_NAME_PREFIX: Form = {
  has: (text) => DNS_NAME.has(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text),
  message: DNS_NAME.message,
};

/** A label value that is not empty, and the part of a label key after the slash. */
export const LABEL_TEXT = patternForm(
  63,
  /^[A-Za-z0-9]+(?:[-_.]+[A-Za-z0-9]+)*$/,
  'must be at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends',
);

/** content.IsLabelValue: the empty text is one. */
export const LABEL_VALUE: Form = {
  has: (text) => text === "" || LABEL_TEXT.has(text),
  message: LABEL_TEXT.message,
};

/** content.IsLabelKey, also known as IsQualifiedName: `name` or `example.com/name`. */
export const QUALIFIED_NAME: Form = {
  has: (text) => {
    const slash = text.indexOf("/");
    return LABEL_TEXT.has(text.slice(slash + 1)) && (slash === -1 || DNS_NAME.has(text.slice(0, slash)));
  },
  message:
    'must be a name of at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends, after an optional DNS name and "/"',
};

/** validation.IsValidPortName: IANA_SVC_NAME. */
export const PORT_NAME = patternForm(
  15,
  /^(?=[0-9-]*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*$/,
  'must be at most 15 lowercase letters, digits and single "-", with at least one letter and no "-" at either end',
);

/** validation.IsRelaxedEnvVarName: what Kubernetes takes since 1.32. */
export const ENV_NAME = patternForm(Infinity, /^[ -<>-~]+$/, 'must be printable ASCII characters other than "="');

/** validation.IsConfigMapKey. */
export const CONFIG_KEY = patternForm(
  253,
  /^(?!\.$|\.\.)[-._A-Za-z0-9]+$/,
  'must be at most 253 letters, digits, "-", "_" and ".", and must not be "." or start with ".."',
);

/** validation.IsHTTPHeaderName. */
export const HEADER_NAME = patternForm(Infinity, /^[-A-Za-z0-9]+$/, 'must be letters, digits and "-"');

/** core/validation: IsValidSysctlName: parts of a-z, 0-9, "-" and "_" between "." or "/". */
export const SYSCTL_NAME = patternForm(
  253,
  /^[a-z0-9]+(?:(?:[-_]+|[./])[a-z0-9]+)*$/,
  "must be a sysctl name, like net.core.somaxconn",
);

/** core/validation: validatePathNoBacksteps. */
export const PLAIN_PATH: Form = {
  has: (path) => !path.includes("..") || !path.split("/").includes(".."),
  message: 'must not contain ".." as a part of the path',
};

/** core/validation: validateLocalDescendingPath. */
export const DESCENDING_PATH: Form = {
  has: (path) => !path.startsWith("/") && PLAIN_PATH.has(path),
  message: 'must be a relative path without ".." as a part',
};

/** core/validation: ValidateLocalNonReservedPath. */
export const LOCAL_PATH: Form = {
  has: (path) => DESCENDING_PATH.has(path) && !path.startsWith(".."),
  message: 'must be a relative path that does not start with ".." and has no ".." as a part',
};

const NAME_FORMS = { "dns-label": DNS_LABEL, "dns-name": DNS_NAME, "label-value": LABEL_VALUE, "env-name": ENV_NAME };

/**
 * Returns what a name must be if it is not of the form: half a sentence for a message.
 *
 * @example
 * ```ts
 * nameProblem("dns-label", "istio-system") // => undefined
 * nameProblem("env-name", "A=B") // => 'must be printable ASCII characters other than "="'
 * ```
 */
export function nameProblem(form: keyof typeof NAME_FORMS, name: string): string | undefined {
  const { has, message } = NAME_FORMS[form];
  return has(name) ? undefined : message;
}

/** Returns what the key of a label must be if it is none: half a sentence for a message. */
export function labelKeyProblem(key: string): string | undefined {
  return QUALIFIED_NAME.has(key) ? undefined : QUALIFIED_NAME.message;
}

const UTF8 = new TextEncoder();

/** The length in bytes of the text in UTF-8, as Go counts. */
export function byteLength(text: string): number {
  return UTF8.encode(text).length;
}
