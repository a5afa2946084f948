import { expect, it } from "vitest";
import { acceptedIn, parseEffects } from "./action-request.ts";

it("acceptedIn() reads the classes that a person accepts, and the release that they were seen in", () => {
  expect(acceptedIn(undefined)).toEqual({});
  expect(acceptedIn("image")).toEqual({ accept: ["image"] });
  expect(acceptedIn("container-gone, image@1f2e3d4c5b6a")).toEqual({
    accept: ["container-gone", "image"],
    release: "1f2e3d4c5b6a",
  });
});

it("parseEffects() takes names as they are written, in their order", () => {
  expect(parseEffects(" image ,sidecar-gone")).toEqual(["image", "sidecar-gone"]);
});
