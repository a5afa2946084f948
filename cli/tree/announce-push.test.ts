import { fakeParameterStore } from "@outrigger/fake-aws";
import { describe, expect, it } from "vitest";
import { announcePush } from "./announce-push.ts";

const NAME = "/outrigger/dev/source/manifest";
/** A manifest as a push of this person writes it, first and last. */
const manifest = (by: string, state: "pushing" | "complete" = "pushing", digest = by.padEnd(64, "0")) =>
  JSON.stringify({ format: 1, digest: digest.replaceAll(/[^0-9a-f]/g, "a"), state, by, at: "2026-01-01T00:00:00Z" });

describe("announcePush()", () => {
  async function storeWith(...texts: readonly string[]) {
    const store = fakeParameterStore();
    for (const value of texts) await store.putParameter({ name: NAME, value, overwrite: true, tier: "Standard" });
    return { store, text: () => store.values()[NAME] };
  }

  it("announces a push that nobody was faster than, the first of all too", async () => {
    const { store, text } = await storeWith();
    await announcePush(store, NAME, manifest("ann"), 0);
    expect(text()).toBe(manifest("ann"));
    await announcePush(store, NAME, manifest("bob"), 1);
    expect(text()).toBe(manifest("bob"));
  });

  it("announces whatever was there where the push replaces it", async () => {
    const { store, text } = await storeWith(manifest("ann"), manifest("bob"));
    await announcePush(store, NAME, manifest("eve"), undefined);
    expect(text()).toBe(manifest("eve"));
  });

  it("gives way to the push that was announced first, names who pushes, and puts back what that one wrote last", async () => {
    const { store, text } = await storeWith(manifest("old", "complete"), manifest("bob"), manifest("bob", "complete"));
    await expect(announcePush(store, NAME, manifest("ann"), 1)).rejects.toMatchObject({
      code: "tree-changed",
      path: NAME,
      message:
        'Cannot push: a push by bob was begun at the same time, and it continues; nothing of yours was written: run "outrigger pull" and "outrigger push" again',
    });
    expect(text()).toBe(manifest("bob", "complete"));
  });

  it("passes over what a third push wrote meanwhile, which gives way as well", async () => {
    const { store, text } = await storeWith(manifest("bob"), manifest("eve"), manifest("bob", "pushing", "e"));
    await expect(announcePush(store, NAME, manifest("ann"), 0)).rejects.toThrow("a push by bob was begun");
    expect(text()).toBe(manifest("bob"));
  });

  it("looks back no more than twenty versions, and leaves the parameter then", async () => {
    const many = (count: number) => Array.from({ length: count }, () => manifest("eve"));
    const near = await storeWith(manifest("bob"), ...many(19));
    await expect(announcePush(near.store, NAME, manifest("ann"), 0)).rejects.toThrow("a push by bob");
    expect(near.text()).toBe(manifest("bob"));
    const far = await storeWith(manifest("bob"), ...many(21));
    await expect(announcePush(far.store, NAME, manifest("ann"), 0)).rejects.toThrow("a push by bob");
    expect(far.text()).toBe(manifest("ann"));
  });

  it("does not know who pushes where that manifest cannot be read", async () => {
    const { store, text } = await storeWith("damaged");
    await expect(announcePush(store, NAME, manifest("ann"), 0)).rejects.toThrow(
      "Cannot push: another push was begun at the same time",
    );
    expect(text()).toBe(manifest("ann"));
  });
});
