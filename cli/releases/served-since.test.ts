import { expect, it } from "vitest";
import { servedSince } from "./served-since.ts";

const [A, B, C] = ["a", "b", "c"].map((digit) => digit.repeat(12)) as [string, string, string];
const history = [
  { release: B, at: "2026-11-04T09:00:00.000Z" },
  { release: B, at: "2026-11-03T09:00:00.000Z" },
  { release: A, at: "2026-11-02T09:00:00.000Z", share: { release: B, percent: 5 } },
  { release: A, at: "2026-11-01T09:00:00.000Z" },
] as unknown as Parameters<typeof servedSince>[0]["history"];

it("is the oldest of the newest moves of the release that is served", () => {
  expect(servedSince({ release: B, history })).toBe("2026-11-03T09:00:00.000Z");
  expect(servedSince({ release: A, history: history.slice(2) })).toBe("2026-11-01T09:00:00.000Z");
});

it("counts a share where it is asked so, and is empty where no newest move is of the release", () => {
  const isOfB = ({ release, share }: { readonly release: string; readonly share?: { readonly release: string } }) =>
    release === B || share?.release === B;
  expect(servedSince({ release: B, history }, isOfB)).toBe("2026-11-02T09:00:00.000Z");
  expect(servedSince({ release: C, history })).toBe("");
});
