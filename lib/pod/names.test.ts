import { describe, expect, it } from "vitest";
import {
  byteLength,
  isConfigKey,
  isDnsLabel,
  isDnsSubdomain,
  isDnsSubdomainPrefix,
  isDnsSubdomainWithUnderscore,
  isEnvName,
  isHeaderName,
  isLabelValue,
  isPortName,
  isQualifiedName,
  isSysctlName,
} from "./names.ts";

/** The patterns of apimachinery's validation; those of names.ts are written so that they cannot backtrack. */
const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const UNDERSCORED = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const TEXT = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const SYSCTL = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";

const RULES: readonly (readonly [string, (name: string) => boolean, RegExp])[] = [
  ["isDnsLabel()", isDnsLabel, new RegExp(`^(?=.{1,63}$)${LABEL}$`)],
  ["isDnsSubdomain()", isDnsSubdomain, new RegExp(`^(?=.{1,253}$)${LABEL}(\\.${LABEL})*$`)],
  [
    "isDnsSubdomainWithUnderscore()",
    isDnsSubdomainWithUnderscore,
    new RegExp(`^(?=.{1,253}$)${UNDERSCORED}(\\.${UNDERSCORED})*$`),
  ],
  ["isQualifiedName()", isQualifiedName, new RegExp(`^(${LABEL}(\\.${LABEL})*/)?(?=[^/]{1,63}$)${TEXT}$`)],
  ["isLabelValue()", isLabelValue, new RegExp(`^(?=.{0,63}$)(${TEXT})?$`)],
  ["isPortName()", isPortName, /^(?=.{1,15}$)(?=.*[a-z])(?!.*--)(?!-)[-a-z0-9]*[a-z0-9]$/],
  ["isEnvName()", isEnvName, /^[ -<>-~]+$/],
  ["isConfigKey()", isConfigKey, /^(?=.{1,253}$)(?!\.$)(?!\.\.)[-._a-zA-Z0-9]+$/],
  ["isHeaderName()", isHeaderName, /^[-A-Za-z0-9]+$/],
  ["isSysctlName()", isSysctlName, new RegExp(`^(?=.{1,253}$)(${SYSCTL}[./])*${SYSCTL}$`)],
];

/** All texts of up to five of these characters, and long ones around the lengths that count. */
function* texts(): Generator<string> {
  const characters = ["a", "Z", "0", "-", ".", "_", "/", "=", "é"];
  for (let count = 0; count <= 5; count++) {
    for (let index = 0; index < characters.length ** count; index++) {
      let text = "";
      for (let rest = index, at = 0; at < count; at++, rest = Math.floor(rest / characters.length)) {
        text += characters[rest % characters.length];
      }
      yield text;
    }
  }
  for (const length of [15, 16, 62, 63, 64, 252, 253, 254]) {
    yield "a".repeat(length);
    yield `x.io/${"a".repeat(length)}`;
    yield `${"a".repeat(length - 1)}-`;
  }
}

describe("names", () => {
  it.each(RULES)("%s takes what the pattern of the reference takes", (_, isName, pattern) => {
    const different: string[] = [];
    for (const text of texts()) if (isName(text) !== pattern.test(text)) different.push(text);
    expect(different).toEqual([]);
  });

  it("isDnsSubdomainPrefix() takes a dash at the end, as more follows", () => {
    expect(["a-", "a", "a.", "-", "a--"].map(isDnsSubdomainPrefix)).toEqual([true, true, false, false, true]);
  });

  it("byteLength() counts the bytes of UTF-8", () => {
    for (const text of ["", "a", "é", "€", "😀", "a😀b", "\ud800x"])
      expect(byteLength(text)).toBe(Buffer.byteLength(text));
  });
});
