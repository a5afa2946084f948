import { describe, expect, it } from "vitest";
import {
  byteLength,
  CONFIG_KEY,
  DNS_LABEL,
  DNS_NAME,
  DNS_NAME_PREFIX,
  ENV_NAME,
  type Form,
  HEADER_NAME,
  LABEL_VALUE,
  PORT_NAME,
  QUALIFIED_NAME,
  SYSCTL_NAME,
  UNDERSCORED_DNS_NAME,
} from "./names.ts";

/** The patterns of apimachinery's validation; those of names.ts are written so that they cannot backtrack. */
const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const UNDERSCORED = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const TEXT = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const SYSCTL = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";

const RULES: readonly (readonly [string, Form, RegExp])[] = [
  ["DNS_LABEL", DNS_LABEL, new RegExp(`^(?=.{1,63}$)${LABEL}$`)],
  ["DNS_NAME", DNS_NAME, new RegExp(`^(?=.{1,253}$)${LABEL}(\\.${LABEL})*$`)],
  ["UNDERSCORED_DNS_NAME", UNDERSCORED_DNS_NAME, new RegExp(`^(?=.{1,253}$)${UNDERSCORED}(\\.${UNDERSCORED})*$`)],
  ["QUALIFIED_NAME", QUALIFIED_NAME, new RegExp(`^(${LABEL}(\\.${LABEL})*/)?(?=[^/]{1,63}$)${TEXT}$`)],
  ["LABEL_VALUE", LABEL_VALUE, new RegExp(`^(?=.{0,63}$)(${TEXT})?$`)],
  ["PORT_NAME", PORT_NAME, /^(?=.{1,15}$)(?=.*[a-z])(?!.*--)(?!-)[-a-z0-9]*[a-z0-9]$/],
  ["ENV_NAME", ENV_NAME, /^[ -<>-~]+$/],
  ["CONFIG_KEY", CONFIG_KEY, /^(?=.{1,253}$)(?!\.$)(?!\.\.)[-._a-zA-Z0-9]+$/],
  ["HEADER_NAME", HEADER_NAME, /^[-A-Za-z0-9]+$/],
  ["SYSCTL_NAME", SYSCTL_NAME, new RegExp(`^(?=.{1,253}$)(${SYSCTL}[./])*${SYSCTL}$`)],
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
  it.each(RULES)("%s takes what the pattern of the reference takes", (_, { has }, pattern) => {
    const different: string[] = [];
    for (const text of texts()) if (has(text) !== pattern.test(text)) different.push(text);
    expect(different).toEqual([]);
  });

  it("DNS_NAME_PREFIX takes a dash at the end, as more follows", () => {
    expect(["a-", "a", "a.", "-", "a--"].map(DNS_NAME_PREFIX.has)).toEqual([true, true, false, false, true]);
  });

  it("byteLength() counts the bytes of UTF-8", () => {
    for (const text of ["", "a", "é", "€", "😀", "a😀b", "\ud800x"])
      expect(byteLength(text)).toBe(Buffer.byteLength(text));
  });
});
