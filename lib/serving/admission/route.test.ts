import { describe, expect, it } from "vitest";
import { parseRoute } from "./route.ts";

describe("parseRoute()", () => {
  it.each([
    ["/inject", undefined, "/inject"],
    ["/inject/", undefined, "/inject/"],
    ["/inject/cluster/c", undefined, "/inject/cluster/c"],
    ["/t/abc/inject", "abc", "/inject"],
    ["/t/abc/inject/net/n", "abc", "/inject/net/n"],
    ["/t//inject", "", "/inject"],
    ["/inject/net/a%20b", undefined, "/inject/net/a b"],
    ["/inject/net/a%2Fb", undefined, "/inject/net/a/b"],
    ["/inject/net/100%", undefined, "/inject/net/100%"],
  ])("takes %s apart when it is ours", (path, token, rest) => {
    expect(parseRoute(path)).toEqual({ token, revision: "default", path: rest });
  });

  it.each([
    ["/t/abc/r/canary/inject", "canary", "/inject"],
    ["/t/abc/r/1-31-2/inject/net/n", "1-31-2", "/inject/net/n"],
    ["/t/abc/r/default/inject", "default", "/inject"],
    ["/t/r/r/r/inject/r/r", "r", "/inject/r/r"],
  ])("finds the revision in %s", (path, revision, rest) => {
    expect(parseRoute(path)).toMatchObject({ revision, path: rest });
  });

  it.each([
    "",
    "/",
    "/injected",
    "/inject2/x",
    "/t",
    "/t/",
    "/t/abc",
    "/t/abc/",
    "/t/abc/injectx",
    "/t/a/b/inject",
    "/prod/inject",
    "/t/abc/r/inject",
    "/t/abc/r/",
    "/t/abc/r//inject",
    "/t/abc/r/Canary/inject",
    "/t/abc/r/a%62/inject",
    "/t/abc/r/canary/injected",
    "/t/abc/r/a/r/b/inject",
    "/r/canary/inject",
    "inject",
  ])("knows nothing of %s when it is not ours", (path) => {
    expect(parseRoute(path)).toBeUndefined();
  });
});
