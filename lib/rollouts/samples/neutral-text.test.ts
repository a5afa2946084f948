import { describe, expect, it } from "vitest";
import { hasAddress, isPlain, neutralText, startNaming, withoutRegistry } from "./neutral-text.ts";

describe("neutralText()", () => {
  it.each([
    ["", ""],
    ["*", "*"],
    ["8080", "1"],
    ["-5", "1"],
    ["10.1.2.3", "192.0.2.1"],
    ["10.1.0.0/16", "192.0.2.0/24"],
    ["fd00::7", "2001:db8::1"],
    ["fd00::/8", "2001:db8::/32"],
    ["db.acme.internal:5432", "host-1.example:5432"],
    ["/etc/acme/keys", "/path-1"],
    ["acme-payments", "value-1"],
    ["https://user:pass@acme.example/x", "https://host-1.example"],
    ["12:30", "value-1"],
  ])("of %j is %j", (text, expected) => {
    expect(neutralText(text, "value", startNaming())).toBe(expected);
  });

  it("names equal texts alike, wherever they are, and different ones apart", () => {
    const nameOf = startNaming();
    const names = [
      ["secret", "a"],
      ["secret", "b"],
      ["volume", "a"],
      ["volume", "c"],
    ].map(([noun = "", text = ""]) => neutralText(text, noun, nameOf));
    expect(names).toEqual(["secret-1", "secret-2", "secret-1", "volume-1"]);
  });
});

it.each([
  ["registry.example.com/team/web:2", "registry.example/team/web:2"],
  ["localhost/web", "registry.example/web"],
  ["10.0.0.1:5000/web@sha256:ab", "registry.example/web@sha256:ab"],
  ["team/web:2", "team/web:2"],
  ["web.app:2", "web.app:2"],
])("withoutRegistry() makes %j %j", (image, expected) => {
  expect(withoutRegistry(image)).toBe(expected);
});

it("isPlain() is true of what says nothing about its author", () => {
  expect(["true", "False", "100m", "30s", "1.5Gi", "*", ""].filter((text) => !isPlain(text))).toEqual([]);
  expect(["8080", "truely", "123456m", "web"].filter(isPlain)).toEqual([]);
});

it("hasAddress() finds addresses inside of texts", () => {
  const addresses = ["to 10.1.2.3", "fd00::1", "a@b.example", "http://x", "db.internal:5432"];
  expect(addresses.filter((text) => !hasAddress(text))).toEqual([]);
  expect(["web", "team-a", "v1.2.3", "sidecar,agent"].filter(hasAddress)).toEqual([]);
});
