import { describe, expect, it } from "vitest";
import { isHostName, isHostPort, isIpAddress, isIpPrefix, isTrustDomain, isWildcardHostName } from "./addresses.ts";

describe("isIpAddress()", () => {
  it.each([
    "1.2.3.4",
    "0.0.0.0",
    "::",
    "::1",
    "fe80::1%eth0",
    "1:2:3:4:5:6:7:8",
    "1::8",
    "::ffff:1.2.3.4",
    "1:2:3:4:5:6:7::",
  ])("takes %s when Go does", (text) => expect(isIpAddress(text)).toBe(true));

  it.each([
    "",
    "1.2.3",
    "01.2.3.4",
    "256.1.1.1",
    "1.2.3.4%eth0",
    "fe80::1%",
    "1::2::3",
    ":::",
    "1:2:3:4:5:6:7::8",
    "12345::",
    "1:",
  ])("refuses %s when Go does", (text) => expect(isIpAddress(text)).toBe(false));
});

describe("isIpPrefix()", () => {
  it.each(["10.0.0.0/8", "10.0.0.1/24", "0.0.0.0/0", "::/0", "fe80::/10", "::1/128"])(
    "takes %s when Go does",
    (text) => {
      expect(isIpPrefix(text)).toBe(true);
    },
  );

  it.each(["10.0.0.0", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/+8", "::/129", "fe80::1%a/64", "/8", "10.0.0.0/"])(
    "refuses %s when Go does",
    (text) => expect(isIpPrefix(text)).toBe(false),
  );
});

describe("isHostPort()", () => {
  it.each(["a:1", "istiod.istio-system.svc:15012", "1.2.3.4:65535", "[::1]:80", "a.:80"])(
    "takes %s when Go does",
    (text) => {
      expect(isHostPort(text)).toBe(true);
    },
  );

  it.each(["", "a", "a:", ":80", "a:0", "a:65536", "a:x", "::1:80", "[::1]80", "[::1", "a_b:80", "a b:80", "a.1:80"])(
    "refuses %j when Go does",
    (text) => expect(isHostPort(text)).toBe(false),
  );

  it("decides at once when the text is a megabyte", () => {
    expect(isHostPort(`${"a.".repeat(500_000)}:80`)).toBe(false);
  });
});

describe("isHostName()", () => {
  it("wants labels of at most 63 characters and no number at the end when it is a name", () => {
    expect(["a", "a.b-c", "A.b.", "a".repeat(63)].map(isHostName)).toEqual([true, true, true, true]);
    expect(["", ".", "a..b", "-a", "a-", "a.1", "a".repeat(64), "*.a"].map(isHostName)).not.toContain(true);
  });
});

describe("isWildcardHostName()", () => {
  it("takes a star only at the beginning when there is one", () => {
    expect(["*", "*.a.b", "*-a.b", "*a.b", "a.b"].map(isWildcardHostName)).toEqual([true, true, true, true, true]);
    expect(["", "a.*", "a*.b", "**", "*.*"].map(isWildcardHostName)).not.toContain(true);
  });
});

describe("isTrustDomain()", () => {
  it("takes numbers as labels when a host name does not", () => {
    expect(["cluster.local", "a.1", "a."].map(isTrustDomain)).toEqual([true, true, true]);
    expect(["", ".", "a_b", "a..b"].map(isTrustDomain)).not.toContain(true);
  });
});
