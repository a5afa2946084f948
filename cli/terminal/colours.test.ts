import { describe, expect, it } from "vitest";
import { hasColours, lineColours } from "./colours.ts";

describe("hasColours()", () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: "1" }, false],
    [true, { NO_COLOR: "" }, true],
    [true, { TERM: "dumb" }, false],
    [false, { FORCE_COLOR: "1" }, true],
    [true, { FORCE_COLOR: "0" }, false],
    [true, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
  ])("of a terminal (%s) with %j is %s", (isTerminal, env, expected) => {
    expect(hasColours(isTerminal, env)).toBe(expected);
  });
});

describe("lineColours()", () => {
  const shown = (...texts: readonly string[]) => {
    const colour = lineColours();
    return texts.map(colour).join("").replaceAll("\u001b", "␛");
  };

  it.each([
    ["✔ stack  sound\n", "␛[32m✔␛[0m stack  sound\n"],
    ["✖ stack  gone. Fix: x\n", "␛[31m✖␛[0m stack  gone. Fix: x\n"],
    ["a.yaml:1:2: error: no\n", "a.yaml:1:2: ␛[31merror␛[0m: no\n"],
    ["a.yaml: warning: odd\n", "a.yaml: ␛[33mwarning␛[0m: odd\n"],
    ["Cannot read x: no\n", "␛[31mCannot ␛[0mread x: no\n"],
    ["  Warning: odd\n", "␛[33m  Warning:␛[0m odd\n"],
    ["  Injected (opted-in): it asks\n", "␛[32m  Injected␛[0m (opted-in): it asks\n"],
    ["    Refused (pod-invalid): it cannot\n", "␛[31m    Refused␛[0m (pod-invalid): it cannot\n"],
    ["  Result: no sidecar\n", "␛[1m  Result:␛[0m no sidecar\n"],
    ["NAME   WHY IT IS\n", "␛[1mNAME   WHY IT IS␛[0m\n"],
    ["spec:\n- a: 1\n--- \n---\nkind: Pod\n", "spec:\n- a: 1\n--- \n---\nkind: Pod\n"],
  ])("of %j", (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it("colours a diff, and nothing after it", () => {
    expect(shown("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\n", "Pushed\n- a\n")).toBe(
      "␛[1m--- a␛[0m\n␛[1m+++ b␛[0m\n␛[36m@@ -1 +1 @@␛[0m\n␛[31m-x␛[0m\n␛[32m+y␛[0m\n z\nPushed\n- a\n",
    );
  });

  it("takes a line that is written in two parts for one", () => {
    expect(shown("ready ", "Warning: x\n")).toBe("ready Warning: x\n");
  });

  it("colours the first line after progress that erased its own", () => {
    expect(shown("\r\u001b[Kreading", "\r\u001b[K", "Warning: x\n")).toMatch(/␛\[33mWarning:␛\[0m x\n$/);
  });
});
