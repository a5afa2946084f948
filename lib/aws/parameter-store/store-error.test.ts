import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { storeError } from "./store-error.ts";

function sdkError(name: string, message: string, httpStatusCode?: number): Error {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode } });
}

describe("storeError()", () => {
  it.each<[string, Error, string]>([
    ["is too busy", sdkError("ThrottlingException", "Rate exceeded", 400), "store-unavailable"],
    ["has failed", sdkError("InternalServerError", "", 500), "store-unavailable"],
    ["has an error that nobody knows", sdkError("Unknown", "", 503), "store-unavailable"],
    ["says 429 under any name", sdkError("SlowDown", "", 429), "store-unavailable"],
    [
      "cannot be reached",
      Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
      "store-unavailable",
    ],
    ["answers too late", sdkError("TimeoutError", "socket timed out"), "store-unavailable"],
    ["is two writers' at once", sdkError("TooManyUpdates", "", 400), "store-unavailable"],
    ["does not permit it", sdkError("AccessDeniedException", "User is not authorized", 400), "store-denied"],
    ["does not permit it under any name", sdkError("Forbidden", "", 403), "store-denied"],
    ["was asked with old credentials", sdkError("ExpiredTokenException", "", 400), "store-denied"],
    [
      "was asked without credentials",
      sdkError("CredentialsProviderError", "Could not load credentials"),
      "store-denied",
    ],
    ["has one already", sdkError("ParameterAlreadyExists", "", 400), "parameter-exists"],
    ["does not take the value", sdkError("ValidationException", "", 400), "parameter-refused"],
    [
      "keeps an advanced parameter advanced",
      sdkError("ValidationException", "You can't downgrade a parameter from the advanced-parameter tier", 400),
      "parameter-downgrade",
    ],
    ["has no space left", sdkError("ParameterLimitExceeded", "", 400), "parameter-refused"],
  ])("says what can be done when the store %s", (_what, error, code) => {
    expect(storeError(error, "write", ["/a"])).toMatchObject({ code, path: "/a", cause: error });
  });

  it("names the first parameter and how many more, and the way out", () => {
    const { message } = storeError(sdkError("AccessDeniedException", "not you", 400), "read", ["/a", "/b", "/c"]);
    expect(message).toBe(
      "Cannot read /a and 2 more: AccessDeniedException: not you; check the credentials and their permissions",
    );
  });

  it("names the command that takes a label off the oldest of a hundred versions", () => {
    const said =
      "You attempted to create a new version of /a by calling the PutParameter API with the overwrite flag. Version 7, the oldest version, can't be deleted because it has a label associated with it.";
    const error = storeError(sdkError("ParameterMaxVersionLimitExceeded", said, 400), "write", ["/a"]);
    expect(error.code).toBe("parameter-refused");
    expect(error.message).toContain("aws ssm unlabel-parameter-version --name /a --parameter-version 7 --labels LABEL");
  });

  it("repeats no more of the service's words than a line holds: they may hold a whole value", () => {
    const { message } = storeError(sdkError("ValidationException", "x".repeat(8000), 400), "write", ["/a"]);
    expect(message.length).toBeLessThan(350);
  });

  it("leaves an error of ours as it is, and finds words for what is none", () => {
    const ours = new OutriggerError("store-corrupt", "no");
    expect(storeError(ours, "read", ["/a"])).toBe(ours);
    expect(storeError(undefined, "read", ["/a"]).message).toBe("Cannot read /a: no reason was given");
    expect(storeError(sdkError("Unknown", "UnknownError", 500), "delete", []).message).toBe(
      "Cannot delete nothing: Unknown",
    );
  });
});
