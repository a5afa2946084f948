import { expect, it } from "vitest";
import { decodeState, encodeState, MAX_STATE } from "./sharing.ts";

const STATE = {
  own: { "templates/x": "labels: { 你好: {{ metadata.name }} }\n" },
  pod: { kind: "manifest", text: "kind: Pod", index: 1 },
  path: "templates/x",
} as const;

it("a link holds the whole state, in characters that a URL takes", async () => {
  const fragment = await encodeState(STATE);
  expect(fragment).toMatch(/^s1\.[\w-]+$/);
  expect(await decodeState(fragment)).toEqual(STATE);
});

it.each(["", "other", "s1.", "s1.%%%", "s1.AAAA"])("decodeState(%j) is undefined", async (fragment) => {
  expect(await decodeState(fragment)).toBeUndefined();
});

it("decodeState() gives up a link that unpacks to more than the page takes", async () => {
  const bomb = await encodeState({ ...STATE, own: { config: "a".repeat(MAX_STATE + 1) } });
  expect(bomb.length).toBeLessThan(20_000);
  expect(await decodeState(bomb)).toBeUndefined();
});

it("decodeState() checks the shape", async () => {
  for (const wrong of [{ ...STATE, own: { a: 1 } }, { ...STATE, pod: { kind: "sample" } }, { ...STATE, path: 1 }, []]) {
    expect(await decodeState(await encodeState(wrong as never))).toBeUndefined();
  }
});
