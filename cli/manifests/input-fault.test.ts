import { describe, expect, it } from "vitest";
import { inputFault, isUrl, urlName } from "./input-fault.ts";

describe("isUrl()", () => {
  it.each([
    ["https://example.com/a.yaml", true],
    ["http://127.0.0.1:1/", true],
    ["http://", false],
    ["a/https://example.com", false],
    ["file:///etc/passwd", false],
    ["web.yaml", false],
  ])("of %s is %s", (name, expected) => expect(isUrl(name)).toBe(expected));
});

describe("urlName()", () => {
  it("has neither passwords nor signatures", () => {
    expect(urlName("https://ann:secret@example.com:8443/a/b.yaml?signature=x#y")).toBe(
      "https://example.com:8443/a/b.yaml",
    );
  });
});

describe("inputFault()", () => {
  const failure = (code: string) => Object.assign(new Error("no"), { code });

  it("says in words why a file cannot be read, and by its code what has none", () => {
    expect(inputFault(failure("ENOENT"))).toBe("there is no such file or directory");
    expect(inputFault(failure("EACCES"))).toBe(inputFault(failure("EPERM")));
    expect(inputFault(failure("EMFILE"))).toBe("EMFILE");
  });

  it("says of any other failure what it says itself", () => {
    expect(inputFault(new Error("broken"))).toBe("Error: broken");
    expect(inputFault("broken")).toBe("broken");
    expect(inputFault({ code: "ENOENT" })).toBe("[object Object]");
  });
});
