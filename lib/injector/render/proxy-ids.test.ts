import { describe, expect, it } from "vitest";
import { proxyIds } from "./proxy-ids.ts";

const USERS = "openshift.io/sa.scc.uid-range";
const GROUPS = "openshift.io/sa.scc.supplemental-groups";

describe("proxyIds()", () => {
  it("is 1337 when the namespace reserves nothing", () => {
    expect(proxyIds(undefined)).toEqual({ uid: 1337, gid: 1337 });
    expect(proxyIds({ other: "1/2" })).toEqual({ uid: 1337, gid: 1337 });
  });

  it("is the last of the range when the namespace reserves one", () => {
    expect(proxyIds({ [USERS]: "1000620000/10000", [GROUPS]: "100-200,300/5" })).toEqual({ uid: 1000629999, gid: 200 });
    expect(proxyIds({ [USERS]: "10-20" })).toEqual({ uid: 20, gid: 20 });
  });

  it("falls back to the users' range only when there are no groups, not when they are empty", () => {
    expect(proxyIds({ [USERS]: "10/5", [GROUPS]: "" })).toEqual({ uid: 14, gid: 1337 });
  });

  it.each(["", "x", "10", "0/1", "0-0", "1/0", "10/", "-1/5", "10/x", "4294967296/1", "1/4294967296", "10-20/5x"])(
    "is 1337 when the range is %j",
    (range) => {
      expect(proxyIds({ [USERS]: range })).toEqual({ uid: 1337, gid: 1337 });
    },
  );

  it("is 1337 for the group when one block of several cannot be read", () => {
    expect(proxyIds({ [GROUPS]: "10/5,x" }).gid).toBe(1337);
  });
});
